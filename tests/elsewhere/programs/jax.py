"""Computes what the header of `network.safetensors` lists."""

import json

import given
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import safe_open

with safe_open(given.folder / "network.safetensors", "numpy") as file:
    weights = {name: jnp.asarray(file.get_tensor(name), jnp.float32) for name in file.keys()}  # noqa: SIM118
    graph = json.loads(file.metadata()["graph"])
size = given.size


def places():
    """Returns for each move the square that it reaches, in planes of the four directions; past them where it leaves the board."""
    steps = (1, 0), (0, 1), (-1, 0), (0, -1)
    for square in range(size * size):
        for direction, (up, right) in enumerate(steps):
            for distance in range(1, size):
                rank, file = square // size + up * distance, square % size + right * distance
                is_on = 0 <= rank < size and 0 <= file < size
                yield direction * size * size + rank * size + file if is_on else 4 * size * size


PLACES = np.array(list(places()))


def value(name, kind, of, x, others):
    weight, bias = weights.get(f"{name}.weight"), weights.get(f"{name}.bias")
    match kind:
        case "convolution":
            return jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME") + bias[:, None, None]
        case "linear":
            return x @ weight.T + bias
        case "relu":
            return jax.nn.relu(x)
        case "add":
            return x + others[0]
        case "pool":
            return jnp.concatenate([x.mean((2, 3)), x.max((2, 3))], 1)
        case "squares":
            return x.transpose(0, 2, 3, 1).reshape(len(x), -1)
        case "destinations":
            return jnp.pad(x.reshape(len(x), -1), ((0, 0), (0, 1)))[:, PLACES]
        case "columns":
            return x[:, of["first"] : of["first"] + of["count"]]
        case "concat":
            return jnp.concatenate([x, *others], 1)
        case "softplus":
            return jax.nn.softplus(x)
        case "softmax":
            return jax.nn.softmax(x, 1)
        case "times":
            return x * of


@jax.jit
def run(planes):
    values = {"planes": planes}
    for step in graph:
        kind, of = next(iter(step["kind"].items())) if isinstance(step["kind"], dict) else (step["kind"], None)
        x, *others = (values[name] for name in step["from"])
        values[step["name"]] = value(step["name"], kind, of, x, others)
    return [values[name] for name in given.NAMES]


given.batches(run)
