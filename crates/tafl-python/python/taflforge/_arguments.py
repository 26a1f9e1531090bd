"""Arguments of the parts in Python; what is wrong with one is an error with its name."""

from operator import index
from typing import SupportsIndex


def whole_number(value: SupportsIndex, argument: str, least: int) -> int:
    """Returns a whole number; of Python's, or of numpy's."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{argument}: a whole number is wanted, not {type(value).__name__}")
    if index(value) < least:
        raise ValueError(f"{argument}: {value} is below {least}")
    return index(value)
