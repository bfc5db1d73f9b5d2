"""The table of misbehaviours: what the endpoint does, what is decided, how long is waited, and what is said.

The cases C44 and C46 are in it, each with its forms.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from enum import Enum

from tests.endpoint.conftest import error_body
from tests.support import endpoint_behaviours as does
from tests.support.endpoint_behaviours import Behaviour, status


class Decision(Enum):
    # The same request once more, in place, until the answer is there.
    AGAIN = "again in place"
    # The attempt ends free of charge, and the worker is free; the next one gets the answer.
    WAITS = "the task waits"
    # This page has no answer, and the reason stands in its place; the other page has one.
    ITEM_FAILS = "the item fails alone"
    # Every page would meet the same: no other is asked about.
    TASK_FAILS = "the task fails"
    # The page is asked about in halves.
    SMALLER = "asked in halves"
    # The answer stands, and says that it was cut off.
    MARKED = "marked as cut off"


type Bounds = tuple[float, float]

# The waits that nobody asked for: base 2 s, doubled with each failure.
OWN: tuple[Bounds, ...] = ((1.6, 2.4), (3.2, 4.8))
# The limit of a call, where the endpoint is silent. The answers that follow must come within it on a loaded machine.
CALL_SECONDS = 2


def asked(seconds: float) -> tuple[Bounds, ...]:
    """Never before what was asked for, and not much later."""
    return ((seconds, seconds * 1.3),)


@dataclass(frozen=True, slots=True)
class Case:
    """`calls`: for the first page. `waits`: before each repeat. `says`: words of the reason that is kept."""

    name: str
    does: list[Behaviour]
    decision: Decision
    calls: int
    waits: tuple[Bounds, ...] = ()
    says: str = ""

    @property
    def is_silence(self) -> bool:
        return self in SILENCE


def once(name: str, behaviour: Behaviour, says: str, *, waits: tuple[Bounds, ...] = OWN[:1]) -> Case:
    return Case(name, [behaviour], Decision.AGAIN, 2, waits, says)


def item(name: str, behaviour: Behaviour, says: str) -> Case:
    return Case(name, [behaviour], Decision.ITEM_FAILS, 1, (), says)


def whole(name: str, behaviour: Behaviour, says: str) -> Case:
    return Case(name, [behaviour], Decision.TASK_FAILS, 1, (), says)


def date(seconds: float) -> str:
    return format_datetime(datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(seconds=seconds), usegmt=True)


def slow_down(form: str, headers: dict[str, str], waits: tuple[Bounds, ...]) -> Case:
    """A 429 with one of the ten forms in which endpoints ask for a wait (C44)."""
    return once(f"429, {form}", status(429, headers=headers), "asks us to slow down (HTTP 429)", waits=waits)


TEN_FORMS = [
    slow_down("3 seconds", {"Retry-After": "3"}, asked(3)),
    slow_down("a date 4 s ahead", {"Retry-After": date(4), "Date": date(0)}, asked(4)),
    slow_down("a date in the past", {"Retry-After": date(-4), "Date": date(0)}, OWN[:1]),
    slow_down("1500 milliseconds", {"retry-after-ms": "1500"}, asked(1.5)),
    slow_down("both", {"retry-after-ms": "1500", "Retry-After": "3"}, asked(1.5)),
    slow_down("0", {"Retry-After": "0"}, OWN[:1]),
    slow_down("-5", {"Retry-After": "-5"}, OWN[:1]),
    slow_down("soon", {"Retry-After": "soon"}, OWN[:1]),
    slow_down("nothing", {}, OWN[:1]),
    Case(
        "429, 3600 seconds",
        [status(429, headers={"Retry-After": "3600"})],
        Decision.WAITS,
        2,
        asked(3600),
        "asks us to slow down",
    ),
]
NO_WHOLE_ANSWERS = [
    Case("cut off, with 80 % of the text", [does.finish_length(0.8)], Decision.MARKED, 1),
    once("cut off, without text", does.finish_length(0), "without text (finish reason: length)"),
    once("the chunked body breaks off", does.close_half("cut"), "broke off in the middle"),
    once("the connection is reset half-way", does.close_half("reset"), "broke off in the middle"),
    once("the stream ends without a finish", does.no_finish_reason(), "broke off in the middle"),
    item("the filter stops it half-way", does.content_filter(), "content filter stopped the answer."),
    once("an error inside the stream", does.error_in_stream(), "an error in the middle of its answer: the engine"),
    once("empty choices", does.empty_choices(), "not a chat completion"),
    once("null content", does.null_content(), "without text (finish reason: stop)"),
    once("empty text", does.empty_text(), "without text (finish reason: stop)"),
    once("HTML with status 200", does.html(), "not a chat completion"),
    once("broken JSON", does.broken_json(), "not a chat completion"),
    once("no chunk at all", does.no_chunks(), "not a chat completion"),
    once("bytes that are not HTTP", does.garbage(), "not a chat completion"),
]
SILENCE = [
    once(name, behaviour, f"did not finish its answer within {CALL_SECONDS:g} seconds")
    for name, behaviour in {
        "hangs before the headers": does.hang_before_headers(),
        "hangs after the headers": does.hang_after_headers(),
        "trickles text": does.trickle("chunks"),
        "trickles comments": does.trickle("comments"),
    }.items()
]
NOBODY_IS_SERVED = [
    Case("reset before any answer", [does.drop()], Decision.WAITS, 2, OWN[:1], "cannot be reached"),
]
STATUSES = [
    *(once(str(code), status(code), f"could not answer (HTTP {code})") for code in (408, 409, 500, 502, 503, 504, 529)),
    Case("500, three times", [status(500)] * 3, Decision.ITEM_FAILS, 3, OWN, "could not answer (HTTP 500)"),
    once("503 with a wish", status(503, headers={"Retry-After": "7"}), "HTTP 503", waits=asked(7)),
    whole("401", status(401), "does not let us in: check MODEL_API_KEY (HTTP 401)"),
    whole("402", status(402), "quota at the model endpoint is spent: check the account's plan and billing (HTTP 402)"),
    whole("403", status(403), "does not let us in: check MODEL_API_KEY (HTTP 403)"),
    whole("404", status(404), "check MODEL_BASE_URL and MODEL_NAME (HTTP 404)"),
    item("413", status(413), "refused the request (HTTP 413): scripted 413"),
    item("422", status(422), "refused the request (HTTP 422): scripted 422"),
    whole("429 for a spent quota", status(429, error_body("no", code="insufficient_quota")), "quota at the model"),
    whole("429 for a bill", status(429, error_body("no", code="billing_hard_limit_reached")), "quota at the model"),
    item("400 for a filtered prompt", status(400, error_body("no", code="content_filter")), "content filter"),
    item("400 for a policy", status(400, error_body("no", code="content_policy_violation")), "content filter"),
    Case(
        "400 for a long text",
        [status(400, error_body("too long", code="context_length_exceeded"))],
        Decision.SMALLER,
        2,
    ),
    item("500 that says no", status(500, headers={"x-should-retry": "false"}), "refused the request (HTTP 500)"),
    once("400 that says yes", status(400, headers={"x-should-retry": "true"}), "could not answer (HTTP 400)"),
]

ALL = [*TEN_FORMS, *NO_WHOLE_ANSWERS, *SILENCE, *NOBODY_IS_SERVED, *STATUSES]
