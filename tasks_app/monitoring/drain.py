"""How long a backlog lasts."""

# Arrivals and completions are counted over the last ten minutes.
WINDOW_MINUTES = 10.0


def drain_minutes(*, depth: int, completions: int, minutes: float = WINDOW_MINUTES) -> float | None:
    """Minutes until `depth` tasks are done, at the rate of `completions` in the last `minutes`.

    0: nothing waits. None: something does and nothing was done, so that no end is in sight.
    """
    if depth == 0:
        return 0.0
    if completions == 0:
        return None
    return depth * minutes / completions
