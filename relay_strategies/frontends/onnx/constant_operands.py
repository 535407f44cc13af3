"""Operands that have to be constants, because the shapes of results follow from them.

ONNX lets a network compute its shapes while it runs; here memory and kernels are laid out before. What
follows from static shapes is constant after folding; what is left over is a size that is known when the model
runs, where it may be one, and else refused by node and operand.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx import ModelProto, NodeProto

from tvm_directconv.zoo.inputs import true_inputs

from .nodes import DEFAULT_DOMAINS

REDUCTIONS = (
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin"),
    *("ReduceProd", "ReduceSum", "ReduceSumSquare"),
)
CONSTANT_OPERANDS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(REDUCTIONS, (1,)),
    **dict.fromkeys(("Reshape", "Expand", "Tile", "Squeeze", "Unsqueeze", "Split", "TopK", "Upsample"), (1,)),
    **dict.fromkeys(("CumSum", "CumProd", "Trilu", "AffineGrid", "CenterCropPad", "OneHot"), (1,)),
    **dict.fromkeys(("ConstantOfShape", "BlackmanWindow", "HammingWindow", "HannWindow"), (0,)),
    "Slice": (1, 2, 3, 4),
    "Pad": (1, 2, 3),
    "Resize": (1, 2, 3),
    "Range": (0, 1, 2),
    "Dropout": (1, 2),
    "NonMaxSuppression": (2, 3, 4),
    "MaxUnpool": (2,),
    "Col2Im": (1, 2),
    "DFT": (1, 2),
    "STFT": (1, 3),
    "MelWeightMatrix": (0, 1, 2, 3, 4),
}
"""The positions of the operands that have to be constants, by operator."""
MEASURED: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("Reshape", "Expand", "Tile", "TopK", "Pad", "OneHot"), (1,)),
    "ConstantOfShape": (0,),
    "Range": (0, 1, 2),
    "Slice": (1, 2),
    "Resize": (3,),
}
"""The positions of those that may be computed when the model runs, where sizes need not be numbers."""
OF_SHAPES = ("Shape", "Size")
"""These know nothing of the values of their operand."""


def constant_inputs(model: ModelProto) -> list[str]:
    """The inputs of a model that operands are computed from that have to be constants, in order."""
    graph = model.graph
    makers = {name: node for node in graph.node for name in node.output if name}
    pending = [name for node in graph.node for name in constant_operands(node)]
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in makers and makers[name].op_type not in OF_SHAPES:
            pending.extend(filter(None, makers[name].input))
    return [value.name for value in true_inputs(graph) if value.name in needed]


def measured_operands(node: NodeProto) -> list[str]:
    """The operands of a node, by name, that may be sizes which are known when the model runs."""
    return _operands_at(node, MEASURED)


def constant_operands(node: NodeProto) -> list[str]:
    """The operands of a node that have to be constants, by name."""
    return _operands_at(node, CONSTANT_OPERANDS)


def _operands_at(node: NodeProto, table: Mapping[str, tuple[int, ...]]) -> list[str]:
    places = table.get(node.op_type, ()) if node.domain in DEFAULT_DOMAINS else ()
    return [node.input[place] for place in places if place < len(node.input) and node.input[place]]
