"""A convolution on a GPU by TVM: its operator's definition, scheduled by dlight's rules.

The rule for matrix products takes convolutions in NHWC, windows gathered as they are loaded.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import te, topi

from tvm_directconv.bench.contestants.base import Prepared
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.problem.workload import Conv2dWorkload

from .base import DeviceContestant, by_events, memory_facts, output_shape, plain


class Dlight(DeviceContestant):
    name = "dlight"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        w = plain(problem.workload)
        kernels = self.scheduled({"main": definition(w)})
        program = self.program(kernels)
        function = kernels.functions["main"]
        weights, shape = np.ascontiguousarray(problem.filter.transpose(2, 3, 1, 0)), output_shape(w)
        buffers, launches = program.load("main", [problem.data, weights, np.full(shape, np.nan, np.float32)])
        facts = memory_facts(problem, function.workspace_bytes) | {"version": tvm.__version__}
        names = [launch.kernel for launch in function.launches]
        return by_events(launches, names, lambda: [program.download(buffers[-1], shape, np.float32)], facts)


def definition(w: Conv2dWorkload) -> tvm.tirx.PrimFunc:
    """Return the layer as TVM's operator in NHWC defines it, of data, filter (HWIO) and output."""
    data = te.placeholder((w.batch, w.height, w.width, w.in_channels), w.dtype, name="data")
    weights = te.placeholder((*w.kernel, w.in_channels, w.out_channels), w.dtype, name="filter")
    output = topi.nn.conv2d_nhwc(data, weights, w.strides, w.padding, w.dilation)
    return te.create_prim_func([data, weights, output])
