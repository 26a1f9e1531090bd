"""A policy/value network for Hnefatafl as a PyTorch module, with its weights beside it; written by {{ program }}.

    from model import load
    network = load("weights.safetensors")  # to play with; network.train() before it learns on
    policy, wdl, moves_left = network(planes)  # README.md says what they are

Weights that learned on go back to Taflforge:

    safetensors.torch.save_file(network.state_dict(), "weights.safetensors")  # then `tafl train CONFIG --from weights.safetensors`
"""

import itertools

import torch
from torch import nn
from torch.nn import functional as F


class Part(nn.Module):
    """Layers by name."""

    def __getitem__(self, number):
        return getattr(self, str(number))


def add(module, name, layer):
    """Adds a layer under a name such as `blocks.0.first.conv`."""
    first, _, rest = name.partition(".")
    if not rest:
        return module.add_module(first, layer)
    if not hasattr(module, first):
        module.add_module(first, Part())
    add(getattr(module, first), rest, layer)


def places(size):
    """Returns where each move ends, by the square that it leaves, direction and distance: among the squares of four planes, one for
    each direction, or behind them beyond the board."""
    steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # up, right, down, left
    found = []
    for rank, file, direction, distance in itertools.product(range(size), range(size), range(4), range(1, size)):
        to_rank, to_file = rank + distance * steps[direction][0], file + distance * steps[direction][1]
        is_on_board = 0 <= to_rank < size and 0 <= to_file < size
        found.append((direction * size + to_rank) * size + to_file if is_on_board else 4 * size * size)
    return torch.tensor(found)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
{% for it in layers %}
        add(self, "{{ it.name }}", nn.{{ it.layer }})
{% endfor %}
        self.register_buffer("places", places({{ size }}), persistent=False)

    def logits(self, planes):
        """Returns what is learned: logits of all moves; of win, draw and loss; plies that are left, in units of 40; and of the
        other side's next move, if the network has that head."""
{% for line in logits %}
        {{ line }}
{% endfor %}
        return {{ learned|join(", ") }}

    def forward(self, planes):
        """Returns the logits of all moves; probabilities of win, draw and loss; plies that are left.

        `ValueError` for planes of 0 to 255, which hold 0 to 1 here; unless the module is traced or compiled."""
        is_traced = torch.jit.is_tracing() or torch.compiler.is_compiling()
        if not is_traced and planes.numel() and planes.amax() > 1:
            raise ValueError("planes: a number is above 1; planes of uint8 must be divided by 255")
        {{ learned[:3]|join(", ") }} = self.logits(planes)[:3]
{% for line in outputs %}
        {{ line }}
{% endfor %}
        return policy, wdl, moves_left


def load(path):
    """Returns the network with the weights of a file, as it plays. To go on training, call `.train()`: batch norms then use the
    statistics of each batch and change the stored ones, also without gradients."""
    from safetensors.torch import load_file

    network = Network()
    network.load_state_dict(load_file(path))
    return network.eval()
