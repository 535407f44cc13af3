"""The layouts that layers are computed in: the network's, and NCHW at its edges."""

from __future__ import annotations

from tvm import relax

from relay_strategies.operators.layouts import NCHW, NHWC, TO_NCHW
from relay_strategies.passes.layout.kernel_layouts import KernelLayoutRewriter
from relay_strategies.relax.graph import Graph
from relay_strategies.relax.views import axes_of
from tvm_directconv.problem.storage import WHOLE
from tvm_directconv.problem.workload import Conv2dWorkload, channel_block

from .layer_workload import Layer


def in_network_layout(rewriter: KernelLayoutRewriter, layer: Layer) -> Conv2dWorkload:
    """Return a convolution in the network's layout. One of the network's first layers may read its input as
    it came, in NCHW, if that fills no block of channels."""
    workload, block = layer.workload, channel_block(rewriter.layout)
    if block and workload.in_channels < block and rewriter.original(layer.call.arguments[0]) is not None:
        return workload.in_layouts(NCHW, rewriter.layout)
    return workload.in_layouts(rewriter.layout)


def between_edges(rewriter: KernelLayoutRewriter, layer: Layer, workload: Conv2dWorkload) -> Conv2dWorkload:
    """Return the workload of an NHWC network with NCHW at the edges of the network that the layer lies at.

    It lies at the first edge if its input came in NCHW and nothing else reads that in NHWC; at the last, if
    its result is only wanted in NCHW and its residual is there in NCHW. One channel is the same in both.
    """
    if rewriter.layout != NHWC or not layer.is_conv2d or workload.storage != WHOLE:
        return workload
    graph, original = rewriter.graph, rewriter.original
    data, _, *extra = layer.call.arguments
    first = isinstance(data, relax.Var) and graph.uses[data] == 1 and original(data) is not None
    readers = graph.consumers.get(layer.var, [])
    last = graph.uses[layer.var] == len(readers) > 0 and all(
        nhwc_source(graph, reader) is not None for reader in readers
    )
    last = last and all(original(term) is not None for term in extra[int(workload.epilogue.bias) :])
    last = last or workload.out_channels == 1
    return workload.in_layouts(NCHW if first else NHWC, NCHW if last else NHWC)


def nhwc_source(graph: Graph, var: relax.Var) -> relax.Var | None:
    """Return the NHWC variable that a variable is a copy of in NCHW, None if it is anything else."""
    call = graph.call(var, "relax.permute_dims")
    if call is None or axes_of(call) != TO_NCHW:
        return None
    return call.args[0]
