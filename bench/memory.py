"""What each process of one machine keeps in memory, idle and after work."""

import json
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import psutil  # type: ignore[import-untyped]

from tests.support.documents import marker_pdf
from tests.support.programs import Program

from .model import ModelServer
from .scale import Scale
from .site import Site
from .table import Row, Table

MODEL_CALLS = 3


def measure(scale: Scale) -> Table:
    model = ModelServer()
    with Site(**model.environment) as site:
        programs = _programs(site, model)
        idle = _memory(programs)
        for number in range(scale.rounds):
            site.ended(site.submit(marker_pdf(scale.pages), instruction=f"Sum up, {number}."), within=120)
        for _ in range(MODEL_CALLS):
            _ask(model)
        after = _memory(programs)
    return Table(
        title="Memory of each process, SQLite",
        how=f"MB. RSS counts shared pages in every process, PSS shares them out, USS is what its end would free. Work: "
        f"{scale.rounds} x {scale.pages} pages at the test endpoint, {MODEL_CALLS} answers of the embedded model.",
        rows=[_row(name, idle[name], after[name]) for name in idle],
    )


def _programs(site: Site, model: ModelServer) -> dict[str, psutil.Process]:
    gpu, cpu = site.house.ready_worker("gpu"), site.house.ready_worker("cpu")
    running = {
        "web (daphne)": _process(site.web),
        "worker gpu": _process(gpu),
        "its child": _child(gpu),
        "worker cpu": _process(cpu),
        "child of worker cpu": _child(cpu),
        "scheduler": _process(site.house.scheduler()),
        "Redis": _process(site.house.redis),
        "embedded model": _process(model.start(site)),
    }
    # Its first look at everything belongs to being started.
    site.house.wait_until(lambda: site.api.get("/readyz").status == 200, 20, what="all is ready")
    return running


def _process(program: Program) -> psutil.Process:
    return psutil.Process(program.pid)


def _child(worker: Program) -> psutil.Process:
    (child,) = [one for one in worker.children() if "tasks_app.processes.child" in one.cmdline()]
    return child


def _ask(model: ModelServer) -> None:
    body = {"model": "any", "max_tokens": 32, "messages": [{"role": "user", "content": "Describe a harbour."}]}
    request = Request(f"{model.url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with build_opener(ProxyHandler({})).open(request, timeout=120) as answer:
        answer.read()


def _memory(programs: dict[str, psutil.Process]) -> dict[str, Any]:
    return {name: process.memory_full_info() for name, process in programs.items()}


def _row(name: str, idle: Any, after: Any) -> Row:
    return Row(
        what=name,
        measured="; ".join(
            f"{kind.upper()} {getattr(idle, kind) / 2**20:.0f} -> {getattr(after, kind) / 2**20:.0f}"
            for kind in ("rss", "pss", "uss")
        ),
        ratio=f"RSS {after.rss / idle.rss:.2f} x idle",
    )
