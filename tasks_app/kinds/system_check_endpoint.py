"""`system.check_endpoint`: an alert while the model endpoint does not answer."""

from django.tasks import task

from tasks_app.models import AlertRule
from tasks_app.monitoring.alerts import open_alert, resolve_alert
from tasks_app.work.context import Context

# Not its address: an alert about the one before would stay open.
SUBJECT = "model endpoint"
# Looks before it counts as away, and the time between them: a restart is no incident.
LOOKS = 3
PAUSE_SECONDS = 5.0


# The stubs do not know that a backend may bring arguments of its own.
@task(  # type: ignore[call-overload,untyped-decorator]
    kind="system.check_endpoint",
    title="Check the model endpoint",
    queue_name="cpu",
    takes_context=True,
    max_attempts=1,
    attempt_timeout=120,
    deadline=240,
)
def check_endpoint(context: Context) -> str:
    """What was found, in a sentence."""
    # Only who looks at the endpoint imports what that needs.
    from tasks_app.endpoint.health import check

    found = check()
    for _ in range(LOOKS - 1):
        if found.answers:
            break
        context.sleep(PAUSE_SECONDS)
        found = check()
    tell = resolve_alert if found.answers else open_alert
    tell(AlertRule.ENDPOINT, SUBJECT, found.text)
    return found.text
