def useful_seconds(whole: float) -> float:
    """What must be left of an attempt, or of a task, that may last `whole` seconds, for it to begin anything more."""
    return min(5.0, whole * 0.1)
