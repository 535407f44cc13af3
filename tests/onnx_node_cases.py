"""ONNX's own tests of single operators: all of them, many as one graph, and which are excluded and why."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
import onnx.compose
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.backend.test.case.test_case import TestCase as OnnxCase
from onnx.backend.test.loader import load_model_tests

from relay_strategies import onnx_backend
from tvm_directconv.errors import DirectConvError

EXCLUDED = {
    "sequences, optional values and strings are no tensors of numbers": (
        *(r"test_sequence|sequence_(insert|map)|split_to_sequence", r"_(opt|seq|sequence)$"),
        r"test_optional_(?!get_element_tensor|has_element_empty_no_input_name_(tensor|optional))",
        *(r"string", r"strnorm", r"regex", r"tfidf", r"image_decoder", r"label_encoder"),
    ),
    "loops and scans": (r"^test_(loop|scan_)",),
    "training": (r"adagrad|adam|momentum",),
    "trees and other machine learning that is no network": (r"ai_onnx_ml",),
    "no processor computes in floats of 8 bits and less, nor in integers of 4 and 2": (
        *(r"FLOAT8|FLOAT4|INT4|INT2(?!\d)", r"quantizelinear_(e4m3|e5m2|u?int[24]|float4)"),
    ),
    "operators of linear algebra": (r"test_det_",),
    "operators of caches and of regions that TVM has not": (r"tensorscatter", r"roialign_mode_max"),
    "types that TVM does not sort": (r"top_k_uint64",),
    "shapes that a condition inside the graph chooses": (r"affine_grid_.*_expanded",),
}
"""Parts of the names of tests that are refused, by why; every one is checked to be refused still."""

DIFFERING = tuple(f"test_resize_downsample_scales_{mode}_align_corners" for mode in ("linear", "cubic"))
"""Tests of what the evaluator computes of a size before it is rounded. The standard's text, ONNX Runtime,
OpenVINO and PyTorch align the corners of the result; docs/numerics.md lists where they differ."""

DRAWN = re.compile(r"bernoulli|training_dropout(?!.*zero_ratio)")
"""Tests whose results are drawn by the generator that onnx uses; ``test_random.py`` tests these operators."""


ROUNDING = {"float16": 2**-8, "bfloat16": 2**-6}
"""A few units in the last place, where the tests ask for less than one."""

CANCELLING = re.compile("_i?dft")
"""Tests of sums that cancel to about zero: what is left is rounding of the largest results."""


@lru_cache(maxsize=1)
def node_cases() -> dict[str, OnnxCase]:
    """All node tests of the installed onnx by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, about what the tests compute
        return {case.name: case for case in load_model_tests(kind="node")}


def reason_excluded(name: str) -> str | None:
    """Why a test is excluded, None where it is not."""
    for reason, patterns in EXCLUDED.items():
        if any(re.search(pattern, name) for pattern in patterns):
            return reason
    return None


def batches(names: Sequence[str], size: int) -> dict[str, list[str]]:
    """Tests that can be one graph, at most ``size`` together, by the versions of operator sets they use."""
    by_opsets = defaultdict(list)
    for name in names:
        imports = node_cases()[name].model.opset_import
        by_opsets[", ".join(sorted(f"{o.domain}{o.version}" for o in imports))].append(name)
    return {
        f"{opsets}-{first // size}": group[first : first + size]
        for opsets, group in sorted(by_opsets.items())
        for first in range(0, len(group), size)
    }


def failures(names: Sequence[str]) -> dict[str, str]:
    """What is wrong with the results of these tests, which are compiled as one graph, by name.

    Where that raises an error each is compiled by itself.
    """
    try:
        outputs = iter(onnx_backend.run_model(_merged(names), [a for n in names for a in _inputs(n)]))
    except DirectConvError:
        if len(names) == 1:
            raise
        found = {}
        for name in names:
            try:
                found |= failures([name])
            except DirectConvError as error:
                found[name] = f"{type(error).__name__}: {error}"
        return found
    found = {}
    for name in names:
        case = node_cases()[name]
        for wanted in map(_array, case.data_sets[0][1]):
            got = next(outputs)
            if (got.dtype, got.shape) != (wanted.dtype, wanted.shape):
                found[name] = f"{got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}"
                continue
            tolerance = max(case.rtol, ROUNDING.get(str(wanted.dtype), 0)) if wanted.dtype.kind != "i" else 0
            least = 2**-21 * np.abs(wanted).max() if CANCELLING.search(name) else 0
            if not np.allclose(_wide(got), _wide(wanted), tolerance, max(case.atol, least), equal_nan=True):
                found[name] = f"{got.tolist()}, not {wanted.tolist()}"
    return found


def _merged(names: Sequence[str]) -> ModelProto:
    """The tests' graphs side by side in one model."""
    merged = ModelProto(ir_version=max(node_cases()[name].model.ir_version for name in names))
    merged.opset_import.extend(node_cases()[names[0]].model.opset_import)
    merged.graph.name = "tests"
    for number, name in enumerate(names):
        model = node_cases()[name].model
        if len(names) > 1:
            model = onnx.compose.add_prefix(model, f"t{number}_")
        for field in ("node", "input", "output", "initializer", "value_info"):
            getattr(merged.graph, field).extend(getattr(model.graph, field))
    return merged


def _inputs(name: str) -> list[Any]:
    """The values of a test's inputs; a sequence stays a list."""
    return [v if isinstance(v, list) else _array(v) for v in node_cases()[name].data_sets[0][0]]


def _array(value: Any) -> np.ndarray:
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def _wide(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind == "c" else array.astype(np.float64)
