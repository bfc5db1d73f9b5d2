"""How large a text is for a model, where nobody can be asked."""

BYTES_OF_A_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """A careful estimate: seldom fewer than a model would count, half as many again for English."""
    return -(-len(text.encode()) // BYTES_OF_A_TOKEN)
