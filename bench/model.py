"""200 pages of prose on the embedded model, from submit to result: every process of `make run`, two cores or more."""

import time
from functools import cache
from itertools import cycle, islice

from django.db import connection

from tasks_app.models import StepResult
from tests.support.documents import text_pdf
from tests.support.programs import Program
from tests.support.story import SECTIONS

from .samples import percentile
from .scale import Scale
from .site import Site, free_port
from .table import Row, Table

# The product's own deadline for this model.
PATIENCE_SECONDS = 7200


class ModelServer:
    """The embedded model on a free port. `environment`: of the house that it is started in."""

    def __init__(self) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self.environment = {"LONGHAUL_EMBEDDED_MODEL_PORT": str(self._port)}

    def start(self, site: Site) -> Program:
        """When it returns, the model is ready."""
        program = site.house.manage("modelserver")
        site.house.wait_until(lambda: "Model ready" in program.said, 60, what="the model is ready")
        return program


def measure(scale: Scale) -> Table:
    model = ModelServer()
    with Site(**model.environment, MODEL_BASE_URL=model.url) as site:
        model.start(site)
        site.house.ready_worker("gpu")
        site.house.scheduler()
        began = time.monotonic()
        task_id = site.submit(story(scale.model_pages), preset="summarise")
        answered = time.monotonic() - began
        task = site.ended(task_id, within=PATIENCE_SECONDS)
        result = site.api.get(f"/api/tasks/{task_id}/result?format=md")
        whole = time.monotonic() - began
        usage = site.api.task(task_id)["usage"]
    pages = list(StepResult.objects.items().filter(task=task).values_list("duration_seconds", flat=True))
    return Table(
        title=f"{scale.model_pages} pages on the embedded model, {connection.display_name}",
        how="Each page about 100 words, to be summarised in two or three sentences, one call at a time; model, web, "
        "worker and scheduler share the cores.",
        rows=[
            Row(what="submission answered", measured=f"{answered:.2f} s"),
            Row(what="submitted to the result in hand", measured=f"{whole:.0f} s ({whole / 60:.1f} min)"),
            Row(
                what="one page",
                measured=f"mean {whole / len(pages):.2f}, p50 {percentile(pages, 50):.2f}, "
                f"p99 {percentile(pages, 99):.2f} s (n {len(pages)})",
            ),
            Row(
                what="calls and tokens",
                measured=f"{usage['calls']} calls, {usage['prompt_tokens']} tokens read, "
                f"{usage['completion_tokens']} written; result {len(result.body)} bytes; attempts {task.attempt}",
            ),
        ],
    )


@cache
def story(pages: int) -> bytes:
    """The sections of the story over and over, each page with its number."""
    sections = islice(cycle(SECTIONS), pages)
    return text_pdf(*(f"Page {number}. {heading}\n{text}" for number, (heading, text) in enumerate(sections, start=1)))
