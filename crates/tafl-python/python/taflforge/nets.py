"""Networks, by what computes them."""

from typing import Any

from ._core import load_net as _load_net


def load_net(net: Any, backend: str = "rust") -> Any:
    """Loads a network of `NETS`, or a checkpoint's folder."""
    if backend == "rust":
        return _load_net(net)
    raise ValueError(f"backend: {backend!r} is not one of 'rust'")
