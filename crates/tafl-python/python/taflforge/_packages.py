"""Packages of others, which parts of this one need."""

from collections.abc import Iterator
from contextlib import contextmanager

_INSTALLED_AS = {"pyspiel": "open_spiel"}


@contextmanager
def needed(part: str, *packages: str) -> Iterator[None]:
    """Says what to install if one of some packages, which are imported in it, is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in packages:
            raise
        installed = [_INSTALLED_AS.get(it, it) for it in packages]
        needs = f"{part} needs {' and '.join(installed)}: pip install {' '.join(installed)}"
        raise ModuleNotFoundError(needs, name=error.name) from None
