"""What lxml means by its errors."""

from lxml import etree


def refuse_out_of_memory(error: etree.LxmlError) -> None:
    """Raises MemoryError where the parser got no memory, which it calls a syntax error."""
    if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
        raise MemoryError from error
