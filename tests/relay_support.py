"""Relay modules for the tests: the samples that TVM 0.18 wrote, and small ones around one operator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from graph_support import run_by_plain_tvm

import tvm_directconv as directconv
from tvm_directconv import from_relay

SAMPLES = Path(__file__).parent / "relay_samples"
"""NAME.relay, the module as text; NAME.json, how its inputs and parameters are drawn; NAME.npy, the first
1,000 values of TVM 0.18's output for them; mlp.params, the parameters as relay.save_param_dict wrote them."""
NAMES = ("mlp", "squeezenet")
WRITTEN = json.loads((SAMPLES / "operators.json").read_text())
"""Small modules of one operator each as TVM 0.17 printed them, with inputs and its outputs, by name. Outputs
are cut to what was found, as behind it Relay left anything."""


LOOP = """let %turn = fn (%i: int32, %v: Tensor[(1, 8, 6, 6), float32]) {{
    if (less(%i, {})) {{ %turn(add(%i, 1), add(multiply(%v, 0.5f), %x)) }} else {{ %v }}
  }};
  %turn(0, %x)"""
"""A loop of so many turns, as Relay has them: a function that calls itself."""


def sample_text(name: str) -> str:
    return (SAMPLES / f"{name}.relay").read_text()


def sample_params(name: str) -> dict[str, np.ndarray]:
    description = json.loads((SAMPLES / f"{name}.json").read_text())
    rng = np.random.default_rng(description["seed_params"])
    params = {}
    for key, shape in sorted(description["params"].items()):
        if key.endswith("bias"):
            drawn = rng.standard_normal(shape) * 0.1
        else:
            drawn = rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        params[key] = drawn.astype(np.float32)
    return params


def sample_input(name: str) -> np.ndarray:
    description = json.loads((SAMPLES / f"{name}.json").read_text())
    rng = np.random.default_rng(description["seed_input"])
    return rng.standard_normal(description["inputs"]["data"]).astype(np.float32)


def sample_output(name: str) -> np.ndarray:
    return np.load(SAMPLES / f"{name}.npy")


def type_text(array: np.ndarray) -> str:
    shape = ", ".join(map(str, array.shape))
    return f"Tensor[({shape}), {array.dtype}]" if array.ndim else str(array.dtype)


def program(body: str, arrays: Mapping[str, np.ndarray], result: str = "") -> str:
    """A module whose main has a parameter of each array's type."""
    declared = ", ".join(f"%{name}: {type_text(array)}" for name, array in arrays.items())
    arrow = f" -> {result}" if result else ""
    return f'#[version = "0.0.5"]\ndef @main({declared}){arrow} {{\n  {body}\n}}\n'


def meaning(
    body: str, inputs: Mapping[str, np.ndarray], params: Mapping[str, np.ndarray] | None = None
) -> list[np.ndarray]:
    """The outputs of a body by TVM's own pipeline, which knows nothing of this library's kernels."""
    module = from_relay(program(body, {**inputs, **(params or {})}), params or {})
    return run_by_plain_tvm(module, list(inputs.values()))


def compiled(
    body: str, inputs: Mapping[str, np.ndarray], params: Mapping[str, Any] | None = None
) -> list[np.ndarray]:
    """The outputs of a body by this library."""
    text = program(body, {**inputs, **(params or {})})
    return directconv.compile(text, params=params).run(inputs)


def close(found: Sequence[np.ndarray] | np.ndarray, expected: np.ndarray, tolerance: float = 1e-5) -> None:
    """Equal shapes, and differences below ``tolerance`` of the largest value."""
    (found,) = found if isinstance(found, list) else [found]
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    largest = max(float(np.abs(expected).max(initial=0)), 1e-30)
    difference = np.abs(found.astype(np.float64) - expected.astype(np.float64)).max(initial=0)
    assert difference <= tolerance * largest, f"{difference / largest:.2g} of the largest"
