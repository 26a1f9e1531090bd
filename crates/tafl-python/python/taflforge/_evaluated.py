"""What functions say of planes, checked."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["evaluated"]

_Floats = npt.NDArray[np.float32]


def evaluated(function: Callable[[_Floats], Any], obs: _Floats, actions: int) -> tuple[_Floats, _Floats]:
    """Returns a function's logits [batch, actions], and win, draw and loss [batch, 3]."""
    said = function(obs)
    if not isinstance(said, tuple | list) or len(said) < 2:
        raise TypeError(f"net: it returned {type(said).__name__}, not logits and values")
    logits, values = (np.asarray(it, np.float32) for it in said[:2])
    if values.shape in ((len(obs),), (len(obs), 1)):
        value = values.reshape(-1)
        values = np.stack([(1 + value) / 2, np.zeros_like(value), (1 - value) / 2], axis=1)
    for name, found, wanted in (("logits", logits, [len(obs), actions]), ("values", values, [len(obs), 3])):
        if list(found.shape) != wanted:
            raise ValueError(f"net: it returned {name} of shape {list(found.shape)}, not {wanted}")
    if np.isnan(logits).any() or np.isposinf(logits).any():
        raise ValueError("net: it returned a logit that is no number, or infinite")
    if not ((values >= 0).all() and np.allclose(values.sum(axis=1), 1, atol=1e-3)):
        raise ValueError("net: it returned values that are neither probabilities of win, draw and loss nor from -1 to 1")
    # Of a move that is left out, a probability of 0 has no logarithm.
    return np.maximum(logits, np.float32(-1e9)), values
