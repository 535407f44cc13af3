"""TensorFlow Lite, by its runtime LiteRT with the XNNPACK delegate that it takes by default.

A network is a .tflite file. A layer is a file of one convolution, behind a PAD where borders are not
TensorFlow's SAME.

Data is NHWC, in 8 bits int8: unsigned bytes and zero points are shifted by 128, which is the same layer.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

import numpy as np

from tvm_directconv.bench.problems import LayerProblem, NetworkProblem
from tvm_directconv.bench.quantized_problems import QuantizedLayerProblem
from tvm_directconv.bench.tflite_problems import TfliteProblem, interpreter, outputs_of, set_inputs
from tvm_directconv.problem.workload import Conv2dWorkload

from .base import CannotSolve, Contestant, Prepared, exact

SAME, VALID = 0, 1
"""TensorFlow Lite's numbers of ways to pad."""
TO_SIGNED = 128


class LiteRt(Contestant):
    name = "litert"
    reads_tflite = True
    package = "ai_edge_litert"

    def available(self) -> str | None:
        missing = "the package 'tflite', which writes its files, is not installed"
        return super().available() or (None if importlib.util.find_spec("tflite") else missing)

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        if not isinstance(problem, TfliteProblem):
            raise CannotSolve("it takes networks in .tflite files")
        made = interpreter(problem.path, self.setting.threads)
        set_inputs(made, problem.inputs)
        return Prepared(made.invoke, lambda: outputs_of(made), facts={"version": _version()})

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        w = problem.workload
        operands = {
            "filter": _filter_of(w, problem.filter),
            "bias": np.zeros(w.out_channels, np.float32),
        }
        return self._prepared(_file(w, operands, {}), problem.data, 0, problem.data.dtype)

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        w, types = problem.workload, problem.types
        if str(problem.filter.dtype) != "int8" or w.out_dtype not in ("uint8", "int8"):
            raise CannotSolve("its 8-bit convolution takes int8 filters with zero point 0, and stores 8 bits")
        shifts = [TO_SIGNED * (dtype == "uint8") for dtype in (w.dtype, w.out_dtype)]
        data = (problem.data.astype(np.int16) - shifts[0]).astype(np.int8)
        bias = np.zeros(w.out_channels, np.int32) if problem.bias is None else problem.bias
        scales = problem.filter_scales
        quantization = {
            "data": ([problem.data_scale], types.data_zero - shifts[0]),
            "filter": (scales, 0),
            "bias": (problem.data_scale * scales, 0),
            "output": ([problem.out_scale], types.out_zero - shifts[1]),
        }
        operands = {"filter": _filter_of(w, problem.filter), "bias": bias}
        file = _file(w, operands, quantization)
        return exact(problem, [self._prepared(file, data, shifts[1], np.dtype(w.out_dtype))])

    def _prepared(self, file: bytes, data: np.ndarray, shift: int, dtype: np.dtype) -> Prepared:
        made = interpreter(None, self.setting.threads, model_content=file)
        set_inputs(made, {"data": data})

        def outputs() -> list[np.ndarray]:
            (found,) = outputs_of(made)
            return [(found.astype(np.int16) + shift).astype(dtype) if shift else found]

        return Prepared(made.invoke, outputs, facts={"version": _version()}, keep=file)


def _version() -> str:
    return importlib.metadata.version("ai-edge-litert")


def _is_depthwise(w: Conv2dWorkload) -> bool:
    return w.groups > 1 and w.groups == w.in_channels


def _filter_of(w: Conv2dWorkload, oihw: np.ndarray) -> np.ndarray:
    """Return an OIHW filter as TensorFlow Lite has it: OHWI, of depthwise layers 1HWO."""
    return np.ascontiguousarray(oihw.transpose((1, 2, 3, 0) if _is_depthwise(w) else (0, 2, 3, 1)))


def _is_same(w: Conv2dWorkload) -> bool:
    """Return whether the padding is TensorFlow's SAME, whose larger half is behind."""
    for axis, size in enumerate((w.height, w.width)):
        reach = (w.kernel[axis] - 1) * w.dilation[axis] + 1
        whole = max((-(-size // w.strides[axis]) - 1) * w.strides[axis] + reach - size, 0)
        if (w.padding[axis], w.padding[axis + 2]) != (whole // 2, whole - whole // 2):
            return False
    return True


def _file(w: Conv2dWorkload, operands: dict[str, np.ndarray], quantization: dict[str, Any]) -> bytes:
    """Return the file of one convolution, ``data`` to ``output``."""
    from tvm_directconv.bench.tflite_files import StoredOperator, StoredTensor, model

    dtype = "int8" if quantization else "float32"
    depthwise, pads = _is_depthwise(w), any(w.padding) and not _is_same(w)
    top, left, bottom, right = w.padding
    padded = (w.batch, w.height + top + bottom, w.width + left + right, w.in_channels)

    def tensor(
        name: str, shape: tuple[int, ...], kind: str = dtype, of: str = "", axis: int = 0
    ) -> StoredTensor:
        scales, zero = quantization.get(of or name, ((), 0))
        return StoredTensor(name, shape, kind, operands.get(name), list(map(float, scales)), zero, axis)

    tensors = [
        tensor("data", (w.batch, w.height, w.width, w.in_channels)),
        tensor("filter", operands["filter"].shape, axis=3 if depthwise else 0),
        tensor("bias", (w.out_channels,), str(operands["bias"].dtype)),
        tensor("output", (w.batch, w.out_height, w.out_width, w.out_channels)),
    ]
    operators, data = [], "data"
    if pads:
        borders = np.array([[0, 0], [top, bottom], [left, right], [0, 0]], np.int32)
        tensors += [StoredTensor("borders", (4, 2), "int32", borders), tensor("padded", padded, of="data")]
        operators.append(StoredOperator("PAD", ["data", "borders"], "padded", "PadOptions"))
        data = "padded"
    options = {
        "Padding": SAME if any(w.padding) and not pads else VALID,
        **{"StrideH": w.strides[0], "StrideW": w.strides[1]},
        **{"DilationHFactor": w.dilation[0], "DilationWFactor": w.dilation[1]},
    }
    if depthwise:
        options["DepthMultiplier"] = w.out_channels // w.in_channels
    kind, table = (
        ("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions") if depthwise else ("CONV_2D", "Conv2DOptions")
    )
    operators.append(StoredOperator(kind, [data, "filter", "bias"], "output", table, options))
    return model(tensors, operators, ["data"])
