"""A game as text, as SVG, or as pixels, for the environments' `render`."""

import numpy as np
import numpy.typing as npt

from ._core import Game

MODES = ["ansi", "svg", "rgb_array"]

# Pixels of a square's side.
_SQUARE = 32
_BOARD, _LINES = (236, 220, 185), (150, 130, 100)
_COLORS = {"t": (30, 30, 30), "c": (150, 100, 20), "T": (250, 250, 250), "N": (225, 130, 130), "K": (240, 195, 40)}


def check_mode(mode: str | None) -> None:
    """Raises `ValueError` for a mode that there is not."""
    if mode not in (None, *MODES):
        raise ValueError(f"render_mode: {mode!r} is none of {', '.join(MODES)}")


def render(game: Game, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """Returns a text, or pixels [height, width, 3]; None without a mode."""
    if mode == "rgb_array":
        return _pixels(game)
    if mode == "svg":
        return game.svg()
    return str(game) if mode == "ansi" else None


def _pixels(game: Game) -> npt.NDArray[np.uint8]:
    size = game.rules.size
    pixels = np.empty((size * _SQUARE, size * _SQUARE, 3), np.uint8)
    pixels[:] = _BOARD
    pixels[::_SQUARE] = pixels[:, ::_SQUARE] = _LINES
    down, across = np.indices((_SQUARE, _SQUARE)) - _SQUARE // 2
    disc = down**2 + across**2 < (0.4 * _SQUARE) ** 2
    for square, letter in game.pieces.items():
        top, left = (size - int(square[1:])) * _SQUARE, (ord(square[0]) - ord("a")) * _SQUARE
        pixels[top : top + _SQUARE, left : left + _SQUARE][disc] = _COLORS[letter]
    return pixels
