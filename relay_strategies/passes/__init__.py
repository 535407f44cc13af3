"""Relax passes, one file each, that turn an imported network into calls of this library's kernels.

``graph_passes``, ``kernel_passes`` and ``finish_passes`` are their order in the compiler. Each is a
``tvm.transform.Pass`` that works alone in a Relax pipeline of the user's own; its file says what should
have run before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import relax
from tvm.relax.backend.cpu_generic import pipeline

from relay_strategies.operators import OPERATORS
from relay_strategies.operators.layouts import NHWC
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import NO_LIMITS, Limits
from relay_strategies.strategies.operators import users_operators
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .fuse.fuse_affine import FuseAffine
from .fuse.fuse_conv2d import FuseConv2d
from .fuse.fuse_operators import FuseOperators
from .fuse.fuse_products import FuseProducts
from .fuse.fuse_quantized import FuseQuantized
from .fuse.fuse_quantized_operators import FuseQuantizedOperators
from .fuse.inline_composites import InlineComposites
from .fuse.split_activations import SplitActivations
from .layout.join_slices import JoinSlices
from .layout.to_nhwc import ToNHWC
from .lower.assert_sizes import AssertSizes
from .lower.by_name import Words
from .lower.check_calls import CheckCalls
from .lower.define_parts import DefineParts
from .lower.expose_layers import ExposeLayers
from .lower.layer_kernels import OnKernel, Tuned
from .lower.legalize import LegalizeOperators
from .lower.lower_by_strategy import LowerByStrategy
from .lower.lower_conv2d import LowerConv2d
from .lower.lower_operators import LowerOperators
from .lower.make_empty import MakeEmpty
from .lower.measure_first import MeasureFirst
from .lower.narrow_tensors import NarrowTensors
from .lower.plan_memory import PlanMemory
from .lower.schedule_default import ScheduleDefault
from .rewrite.compute_in_float32 import ComputeInFloat32
from .rewrite.expand_1d import Expand1d
from .rewrite.fold_3d import Fold3d
from .rewrite.fold_constants import FoldConstants, FoldDequantize
from .rewrite.fold_scales import FoldScales
from .rewrite.fuse_normalization import FuseNormalization
from .rewrite.hoist_quantize import HoistQuantize
from .rewrite.merge_branches import MergeBranches
from .rewrite.name_activations import NameActivations
from .rewrite.pad_narrow_rows import PadNarrowRows
from .rewrite.simplify import Simplify
from .rewrite.sink_dequantize import SinkDequantize
from .rewrite.split_transposed import SplitTransposed
from .rewrite.turn_columns import TurnColumns
from .rows.choice import FASTEST
from .rows.place_rows import PlaceRows
from .rows.place_tensors import PlaceTensors
from .rows.stream_rows import StreamRows

__all__ = [
    "AssertSizes",
    "CheckCalls",
    "ComputeInFloat32",
    "DefineParts",
    "Expand1d",
    "ExposeLayers",
    "Fold3d",
    "FoldConstants",
    "FoldDequantize",
    "FoldScales",
    "FuseAffine",
    "FuseConv2d",
    "FuseNormalization",
    "FuseOperators",
    "FuseProducts",
    "FuseQuantized",
    "FuseQuantizedOperators",
    "HoistQuantize",
    "InlineComposites",
    "JoinSlices",
    "LegalizeOperators",
    "LowerByStrategy",
    "LowerConv2d",
    "LowerOperators",
    "MakeEmpty",
    "MeasureFirst",
    "MergeBranches",
    "NameActivations",
    "NarrowTensors",
    "PadNarrowRows",
    "PlaceRows",
    "PlaceTensors",
    "ScheduleDefault",
    "Simplify",
    "SinkDequantize",
    "SplitActivations",
    "SplitTransposed",
    "StreamRows",
    "ToNHWC",
    "TurnColumns",
    "call_passes",
    "finish_passes",
    "first_passes",
    "graph_passes",
    "kernel_passes",
]


FIRST_PASSES = (
    ComputeInFloat32,
    FoldConstants,
    Simplify,
)
"""These clean up an imported network."""
TO_NHWC = (
    SplitTransposed,
    Expand1d,
    TurnColumns,
    Fold3d,
    SinkDequantize,
    FoldConstants,
    Simplify,
    NameActivations,
    FoldScales,
    MergeBranches,
    ToNHWC,
    PadNarrowRows,
    # Permutations that it has moved down change bytes again.
    SinkDequantize,
)
"""These lead from there to NHWC, whatever the network is compiled for."""


def first_passes(target: CompileTarget | GpuTarget) -> list[tvm.transform.Pass]:
    """Return the passes from an imported network to NHWC, users' own operators done."""
    by_strategy = [LowerByStrategy(target)] if users_operators(target) else []
    return [*FIRST_PASSES, *by_strategy, *TO_NHWC]


def graph_passes(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
    algorithm: Words = strategy.AUTO,
    layout: str = NHWC,
    limits: Limits = NO_LIMITS,
    tuning: Tuned | None = None,
    precision: Words = FLOAT,
    expose_layers: bool = False,
    on_kernel: OnKernel | None = None,
    common: Tuned | None = None,
    memory: str = FASTEST,
) -> list[tvm.transform.Pass]:
    """Return the passes from an imported network to calls of kernels, in order; the options are those of
    LowerConv2d and NarrowTensors. With ``expose_layers`` the network also returns its layers' results.
    ``on_kernel`` is told the layers' kernels, by their names, as they are made; ``memory`` is what StreamRows
    asks for."""
    resolved = resolve_target(target)
    return [
        *first_passes(resolved),
        FuseNormalization,
        HoistQuantize,
        FuseQuantized,
        FuseQuantizedOperators,
        FoldDequantize,
        SplitActivations,
        FuseConv2d,
        FuseProducts,
        FuseAffine,
        JoinSlices,
        NarrowTensors(resolved, precision, algorithm, limits),
        *([ExposeLayers] if expose_layers else []),
        StreamRows(memory),
        LowerConv2d(resolved, algorithm, layout, limits, tuning, on_kernel, common),
        MakeEmpty,
        LowerOperators(resolved),
        InlineComposites,
        relax.transform.DeadCodeElimination(),
    ]


def kernel_passes(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
) -> list[tvm.transform.Pass]:
    """Return the passes that write, fuse and schedule kernels for the operators ``graph_passes`` left."""
    resolved = resolve_target(target)
    return [
        *pipeline.library_dispatch_passes(resolved.tvm_target),
        *operator_passes(),
        ScheduleDefault(resolved),
        CheckCalls,
    ]


def operator_passes() -> list[tvm.transform.Pass]:
    """Return the passes that write and fuse kernels for plain operators, whatever they are compiled for."""
    rules = {name: entry.legalize for name, entry in OPERATORS.items() if entry.legalize}
    return [
        LegalizeOperators(rules),
        relax.transform.AnnotateTIROpPattern(),
        FuseOperators,
        MeasureFirst,
    ]


def call_passes() -> list[tvm.transform.Pass]:
    """Return the passes that make plain calls of kernels, each with a result that was allocated before."""
    transform = relax.transform
    return [
        transform.ToNonDataflow(),
        transform.RemovePurityChecking(),
        transform.CallTIRRewrite(),
        PlaceRows,
    ]


def finish_passes() -> list[tvm.transform.Pass]:
    """Return the passes from calls of kernels to what the virtual machine runs, which are TVM's own for CPUs.

    RewriteDataflowReshape is left out, one of its ``dataflow_lower_passes``: it fails on kernels that are not
    written in TE.
    """
    return [
        *call_passes(),
        PlaceTensors,
        PlanMemory,
        DefineParts,
        *pipeline.finalize_passes(tvm.target.Target("llvm")),  # they look at no target
    ]
