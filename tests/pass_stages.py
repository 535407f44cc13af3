"""The networks of ``graph_cases`` after each graph pass."""

from __future__ import annotations

from functools import cache

import tvm
from graph_cases import CASES

from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model

ORDER = [
    passes.FoldConstants,
    passes.Simplify,
    passes.NameActivations,
    passes.FoldScales,
    passes.MergeBranches,
    passes.ToNHWC,
    passes.FuseConv2d,
    passes.FuseAffine,
    passes.InlineComposites,
]


@cache
def stages(case: str) -> dict[str, tvm.IRModule]:
    """The network after each pass of ORDER, by the pass's name."""
    module, modules = import_model(CASES[case].model), {}
    for graph_pass in ORDER:
        modules[graph_pass.info.name] = module = graph_pass(module)
    return modules


def after(case: str, graph_pass: tvm.transform.Pass) -> tvm.IRModule:
    return stages(case)[graph_pass.info.name]
