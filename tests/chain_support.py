"""Chains of layers for tests: what their functions take, and what comes out of the layers in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from support import operands, reference_conv2d

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.base import KernelPlan
from tvm_directconv.algorithms.chains.choice import chain_of
from tvm_directconv.algorithms.chains.geometry import Chain
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget

DIRECT = ALGORITHMS["direct_nhwc"]
PLAIN = Epilogue()
CLIP = Epilogue(bias=True, low=0.0, high=1.0)
SILU, RESIDUAL = Epilogue.parse("bias+silu"), Epilogue(bias=True, residual=True)


def one_by_one(
    batch: int, height: int, width: int, into: int, out: int, epilogue: Epilogue = CLIP
) -> Conv2dWorkload:
    return Conv2dWorkload(batch, height, width, into, out, (1, 1), epilogue=epilogue)


def inverted_residual(
    size: tuple[int, int, int],
    channels: tuple[int, int, int],
    kernel: int = 3,
    stride: int = 1,
    epilogue: Epilogue = CLIP,
    last: Epilogue = RESIDUAL,
) -> list[Conv2dWorkload | None]:
    """The three layers of images of ``size``, batch and height and width; so many ``channels`` go in, lie
    between, and come out."""
    around = (kernel // 2,) * 4
    middle = Conv2dWorkload(
        *size,
        channels[1],
        channels[1],
        (kernel, kernel),
        (stride, stride),
        around,
        groups=channels[1],
        epilogue=epilogue,
    )
    first = one_by_one(*size, *channels[:2], epilogue)
    return [first, middle, one_by_one(size[0], middle.out_height, middle.out_width, *channels[1:], last)]


def plans(layers: Sequence[Conv2dWorkload | None], target: CompileTarget) -> list[KernelPlan | None]:
    return [None if layer is None else DIRECT.plan(layer, target) for layer in layers]


def chain(layers: Sequence[Conv2dWorkload | None], target: CompileTarget, rows: int = 0) -> Chain:
    found = chain_of(*plans(layers, target), rows=rows)
    assert found is not None, layers
    return found


Drawn = list[tuple[np.ndarray | None, ...]]


def drawn(found: Chain) -> Drawn:
    """Operands of each part; the data of the first alone counts."""
    return [operands(part.workload, seed=index) for index, part in enumerate(found.parts)]


def arguments(found: Chain, given: Drawn) -> list[np.ndarray]:
    """What the chain's function takes; the output last, NaN so that gaps are seen."""
    assert given[0][0] is not None
    arrays = [given[0][0]]
    for part, (_, weights, bias, _) in zip(found.parts, given, strict=True):
        assert weights is not None
        arrays += [part.pack(weights), *([] if bias is None else [bias])]
    residual = given[-1][3]
    arrays += [] if residual is None else [residual]
    return [*arrays, np.full(found.parts[-1].workload.output_shape, np.nan, np.float32)]


def reference(found: Chain, given: Drawn) -> np.ndarray:
    """The layers one after the other in float64; what lies between is rounded."""
    data = given[0][0]
    assert data is not None
    for part, (_, weights, bias, residual) in zip(found.parts, given, strict=True):
        assert weights is not None
        data = reference_conv2d(part.workload, data, weights, bias, residual).astype(np.float32)
    return data
