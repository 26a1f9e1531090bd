"""Networks, by what computes them."""

import importlib.util
import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
import numpy.typing as npt

from ._core import PLANES, Game, Net
from ._core import load_net as _load_net
from ._packages import needed

if TYPE_CHECKING:
    import torch

__all__ = ["OnnxNet", "load_net"]


_Precision = Literal["f32", "int8", "auto"]


@overload
def load_net(net: str | PathLike[str], backend: Literal["rust"] = "rust", precision: _Precision = "f32") -> Net: ...
@overload
def load_net(net: str | PathLike[str], backend: Literal["onnx"]) -> "OnnxNet": ...
@overload
def load_net(net: str | PathLike[str], backend: Literal["torch"]) -> "torch.nn.Module": ...
def load_net(net: str | PathLike[str], backend: str = "rust", precision: _Precision = "f32") -> Any:
    """Loads a checkpoint's folder, or where there is none of that name a network of `NETS`.

    `backend`: "rust", which needs no other package and can search; "onnx", by onnxruntime; or "torch", an `nn.Module` from
    planes float32 [batch, planes, size, size], 0 to 1, to logits [batch, actions], win, draw and loss [batch, 3] and plies to the end
    [batch, 1]. It evaluates planes alone: its `policy` and `value` are layers, and take no game. It computes as the others do; call
    `.train()` before it learns on, when batch norms take each batch's statistics and change the stored ones, also under
    `torch.no_grad()`. It needs torch and safetensors.

    `precision`, for "rust": "f32" computes what the network was trained to, within 1e-4; "int8" searches about twice as fast,
    computes batches up to one and a half times as fast, and changes about one best move in twelve, as `tafl` does by default,
    and more under rules that the network has not learned (two in five of "five-rulesets" in sea-battle);
    "auto" takes "int8" where the CPU has instructions for it. What it says of planes in uint8 and of the same in float32 differs
    by its rounding, on average by less than from "f32".
    """
    if backend not in ("rust", "onnx", "torch"):
        meant = f"; did you mean precision={backend!r}?" if backend in get_args(_Precision) else ""
        raise ValueError(f"backend: {backend!r} is none of rust, onnx, torch{meant}")
    if backend != "rust" and precision != "f32":
        raise ValueError(f"precision: {precision!r} is for the backend rust, {backend} computes in f32")
    loaded = _load_net(net, precision)
    if backend == "onnx":
        return OnnxNet(loaded)
    return _torch_module(loaded) if backend == "torch" else loaded


class OnnxNet:
    """A network that onnxruntime computes; called as `Net` is."""

    def __init__(self, net: Net) -> None:
        with needed('backend="onnx"', "onnxruntime"):
            import onnxruntime

        self.name, self.size, self.rulesets, self._net = net.name, net.size, net.rulesets, net
        with tempfile.TemporaryDirectory() as folder:
            net._export(folder, "onnx")
            self._session = onnxruntime.InferenceSession(Path(folder) / "network.onnx")

    def __call__(self, obs: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Evaluates planes [batch, planes, size, size], uint8 (255 stands for 1) or float32; see `Net`."""
        if not isinstance(obs, np.ndarray) or obs.dtype not in (np.uint8, np.float32):
            found = f"{obs.dtype} of shape {obs.shape}" if isinstance(obs, np.ndarray) else type(obs).__name__
            raise TypeError(f"obs: an array [batch, planes, size, size] of uint8 or float32 is wanted, not {found}")
        wanted = [len(PLANES), self.size, self.size]
        if list(obs.shape[1:]) != wanted:
            raise ValueError(f"obs: the shape is {list(obs.shape)}, not [batch, {', '.join(map(str, wanted))}]")
        if obs.size and obs.dtype == np.uint8 and (obs.max(axis=(1, 2, 3)) == 1).any():
            raise ValueError("obs: uint8 planes have 255 for 1, these have 1")
        if not np.isfinite(obs).all():
            raise ValueError("obs: a number is not finite")
        if obs.size and obs.dtype == np.float32 and obs.max() > 1:
            raise ValueError("obs: a number of float32 planes is above 1")
        if obs.size and obs.dtype == np.float32 and obs.min() < 0:
            raise ValueError("obs: a number of float32 planes is below 0")
        planes = obs.astype(np.float32) / np.float32(255) if obs.dtype == np.uint8 else obs
        logits, wdl, moves_left = self._session.run(None, {"planes": planes})
        return logits, wdl, moves_left[:, 0]

    def policy(self, game: Game) -> dict[str, float]:
        """Returns the probability of each legal move."""
        logits = self(self._planes(game))[0][0][game.legal_actions()]
        weights = np.exp((logits - logits.max()).astype(np.float64))
        return dict(zip(game.legal_moves(), (weights / weights.sum()).tolist(), strict=True))

    def value(self, game: Game) -> tuple[float, float, float]:
        """Returns the probabilities of win, draw and loss of the side to move."""
        win, draw, loss = self(self._planes(game))[1][0].tolist()
        return win, draw, loss

    def _planes(self, game: Game) -> npt.NDArray[np.float32]:
        """Returns the planes of a game that is not over, as a batch of one."""
        self._net._check(game)
        planes: npt.NDArray[np.float32] = game.observation("f32")[None]
        return planes

    def __repr__(self) -> str:
        return f"<OnnxNet {self.name}>"


def _torch_module(net: Net) -> "torch.nn.Module":
    """Returns the module of the exported text, with the weights."""
    with needed('backend="torch"', "torch", "safetensors"), tempfile.TemporaryDirectory() as folder:
        try:
            importlib.import_module("torch")
        except ModuleNotFoundError:
            raise
        except (ImportError, OSError) as error:
            raise ValueError(f"backend: torch cannot be loaded: {error}") from error
        net._export(folder, "pytorch")
        spec = importlib.util.spec_from_file_location("taflforge_exported", Path(folder) / "model.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        loaded: torch.nn.Module = module.load(next(Path(folder).glob("*.safetensors")))
        return loaded
