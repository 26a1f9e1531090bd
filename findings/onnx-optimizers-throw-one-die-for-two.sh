#!/usr/bin/env bash
# onnxsim 0.8.1, onnxoptimizer 0.4.2, onnxscript 0.7.2, ONNX Runtime 1.32.0: two random draws become one, or one for all time.
#
# Good guess: what draws is left alone. ONNX's own schemas mark seven operators as not deterministic, and say that each without a
#   seed gets one of its own: two of them are two draws, and the next run draws again.
# What happens: equal nodes with equal inputs are merged as common subexpressions. onnxoptimizer, and onnxsim built on it, look at no
#   mark and keep no list: all seven are merged, after which both branches see the same noise in every run. onnxscript and ONNX
#   Runtime keep lists by hand that miss some: onnxscript merges Bernoulli and Dropout in training mode, ONNX Runtime merges
#   Bernoulli when a session is opened with its default settings. If all inputs are constants, onnxscript moreover draws these two
#   while it optimizes and stores what came out: the "random" mask is the same in every run for ever. Shapes, types and the
#   distribution of each output are right, and so no check of one output sees it.
# Who cares: who puts sampling or exploration into the network's file: Gumbel noise for two moves, noise for two players, masks of
#   an ensemble. Two players that ought to explore apart play the same; an ensemble by dropout says that it is certain.
# Seen on 2026-11-30 with these versions, onnx 1.23.2 on Python 3.11 (two equal draws of 400 numbers without a seed, doubled by Add;
#   "one": both the same; "frozen": also the same in the next run of the session):
#   RandomNormal, RandomUniform, RandomNormalLike, RandomUniformLike, Multinomial, of an input and of constants:
#                                  as it is two, onnxruntime two, onnxoptimizer one, onnxsim one, onnxscript two
#   Bernoulli         of an input: as it is two, onnxruntime one, onnxoptimizer one, onnxsim one, onnxscript one
#   Dropout           of an input: as it is two, onnxruntime two, onnxoptimizer one, onnxsim one, onnxscript one
#   Bernoulli         of constants: as it is two, onnxruntime one, onnxoptimizer one, onnxsim one, onnxscript frozen
#   Dropout           of constants: as it is two, onnxruntime two, onnxoptimizer one, onnxsim one, onnxscript frozen
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
  onnxsim==0.8.1 onnxoptimizer==0.4.2 onnxscript==0.7.2 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

venv/bin/python -W ignore - <<'PY'
import logging
from importlib.metadata import version

import numpy as np
import onnx
import onnxoptimizer
import onnxruntime
import onnxscript.optimizer
import onnxsim
from onnx import TensorProto, helper, numpy_helper

ODDS = np.full((4, 100), 0.5, np.float32)
OPS = {
    "RandomNormal": ([], {"shape": ODDS.shape}),
    "RandomUniform": ([], {"shape": ODDS.shape}),
    "RandomNormalLike": (["odds"], {}),
    "RandomUniformLike": (["odds"], {}),
    "Multinomial": (["odds"], {"sample_size": 100}),
    "Bernoulli": (["odds"], {}),
    "Dropout": (["odds", "ratio", "training"], {}),
}


def model(op, given):
    """Two draws without a seed, doubled so that none is an output; the odds are an input if `given`, else a constant."""
    inputs, attributes = OPS[op]
    kind = TensorProto.INT32 if op == "Multinomial" else TensorProto.FLOAT
    constants = {"odds": ODDS, "ratio": np.float32(0.5), "training": np.array(True)}
    used = [name for name in inputs if not (given and name == "odds")]
    nodes = [helper.make_node(op, inputs, [name], **attributes) for name in "ab"]
    nodes += [helper.make_node("Add", [name, name], [f"{name}2"]) for name in "ab"]
    graph = helper.make_graph(
        nodes,
        "draws",
        [helper.make_tensor_value_info("odds", TensorProto.FLOAT, ODDS.shape)] if given else [],
        [helper.make_tensor_value_info(f"{name}2", kind, ODDS.shape) for name in "ab"],
        [numpy_helper.from_array(np.asarray(constants[name]), name) for name in used],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(made, full_check=True)
    return made


def draws(model, level):
    """Whether the two outputs are the same, and whether a second run of the session gives the same again."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {it.name: ODDS for it in session.get_inputs()}
    first, second = session.run(None, feeds), session.run(None, feeds)
    return np.array_equal(*first), np.array_equal(first[0], second[0])


logging.disable(logging.WARNING)
NONE, ALL = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
TOOLS = {
    "as it is": lambda it: draws(it, NONE),
    "onnxruntime": lambda it: draws(it, ALL),
    "onnxoptimizer": lambda it: draws(onnxoptimizer.optimize(it), NONE),
    "onnxsim": lambda it: draws(onnxsim.simplify(it)[0], NONE),
    "onnxscript": lambda it: draws(onnxscript.optimizer.optimize(it), NONE),
}
MERGED = {"onnxruntime": ("Bernoulli",), "onnxscript": ("Bernoulli", "Dropout")}
print(", ".join(f"{name} {version(name)}" for name in (*list(TOOLS)[1:], "onnx")))
assert {str(onnx.defs.get_schema(op).node_determinism) for op in OPS} == {"NodeDeterminism.NonDeterministic"}
for given in (True, False):
    for op in OPS:
        words = []
        for name, tool in TOOLS.items():
            same, frozen = tool(model(op, given))
            words.append(f"{name} {'frozen' if frozen else 'one' if same else 'two'}")
            merges = MERGED.get(name, OPS if name != "as it is" else ())
            stored = name == "onnxscript" and not given
            assert (same and not frozen, frozen) == (op in merges and not stored, op in merges and stored), (op, given, words)
        print(f"{op:17} of {'an input' if given else 'constants'}: " + ", ".join(words))
print("as recorded")
PY
