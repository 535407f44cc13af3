"""Operators as TVM 0.17 printed and computed them: attributes in the metadata section, what is found at run
time, and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from relay_support import SAMPLES, WRITTEN, program

import tvm_directconv as directconv
from relay_strategies.frontends.relay.converters import CONVERTERS
from relay_strategies.frontends.relay.left_out import LEFT_OUT, reason
from relay_strategies.frontends.relay.metadata import ATTRIBUTES
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

OPERATORS = (SAMPLES / "operators.txt").read_text().split()
"""The names of all operators that TVM 0.17 had, those of its virtual machine aside."""
CONSTANT = {"trilu": ("k",)}
"""Inputs that have to be constants."""


def array(stored: dict[str, Any]) -> np.ndarray:
    return np.array(stored["values"], stored["dtype"]).reshape(stored["shape"])


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_what_relay_wrote_computes_what_it_computed(name: str) -> None:
    sample = WRITTEN[name]
    arrays = {key: array(value) for key, value in sample["inputs"].items()}
    params = {key: arrays.pop(key) for key in CONSTANT.get(name, ())}
    found = directconv.compile(sample["text"], params=params).run(arrays)
    expected = [array(value) for value in sample["outputs"]]
    assert [part.dtype for part in found] == [part.dtype for part in expected]
    for part, wanted in zip(found, expected, strict=True):
        whole = part[tuple(slice(size) for size in wanted.shape)]
        np.testing.assert_allclose(whole, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unique", "all_class_non_max_suppression", "regular_non_max_suppression"])
def test_what_is_behind_is_zero(name: str) -> None:
    sample = WRITTEN[name]
    found = directconv.compile(sample["text"]).run(
        {key: array(value) for key, value in sample["inputs"].items()}
    )
    for part, wanted in zip(found, sample["outputs"], strict=True):
        axis = next((i for i, size in enumerate(wanted["shape"]) if size < part.shape[i]), None)
        if axis is not None:
            assert not part.take(range(wanted["shape"][axis], part.shape[axis]), axis).any()


def test_attributes_by_reference_are_those_that_relay_prints_so() -> None:
    texts = " ".join(sample["text"] for sample in WRITTEN.values())
    assert {kind for kind in ATTRIBUTES if f"meta[{kind}]" not in texts} == {"relay.attrs.InitOpAttrs"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"4"', '"0"', "inverse=None should be True or False"),
        ('"4"', '"1"', "an attribute is a Map, which is not supported"),
        ("[relay.attrs.DFTAttrs][0]", "[relay.attrs.DFTAttrs][1]", "has 1 of that kind"),
        ("[relay.attrs.DFTAttrs][0]", "[relay.attrs.BinaryDenseAttrs][0]", "that kind are not supported"),
        ('"relay.attrs.DFTAttrs", \n', '"relay.attrs.StftAttrs", \n', "is of another kind"),
    ],
)
def test_damaged_attributes_are_refused(old: str, new: str, message: str) -> None:
    text = WRITTEN["dft"]["text"]
    assert old in text
    with pytest.raises(ModelError, match=message):
        directconv.compile(text.replace(old, new))


@pytest.mark.parametrize(
    ("body", "shapes"),
    [
        ("nn.sparse_dense(%x, %v, %i, %p)", {"x": (1, 1 << 30), "v": (1,), "i": (1,), "p": (9,)}),
        ("sliding_window(%x, axis=0, window_shape=[600000], strides=[1])", {"x": (1 << 20,)}),
    ],
)
def test_what_would_be_too_large_is_refused_before_it_is_made(
    body: str, shapes: dict[str, tuple[int, ...]]
) -> None:
    declared = ", ".join(f"%{name}: Tensor[{shape}, float32]" for name, shape in shapes.items())
    text = f'#[version = "0.0.5"]\ndef @main({declared}) {{\n  {body}\n}}\n'.replace(",)", ")")
    with pytest.raises(ModelError, match="bytes, more than the"):
        directconv.from_relay(text)


def test_every_operator_of_relay_is_converted_or_explained() -> None:
    explained = [name for names in LEFT_OUT.values() for name in names]
    assert {name for name in OPERATORS if name not in CONVERTERS} == set(explained)
    assert len(explained) == len(set(explained))


@pytest.mark.parametrize("name", ["nn.max_pool2d_grad", "random.uniform"])
def test_an_operator_that_is_left_out_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(UnsupportedOperatorError, match=f"{name}, which {reason(name)}"):
        directconv.from_relay(program(f"{name}(%x)", {"x": np.zeros(3, np.float32)}))


def test_results_of_open_sizes_go_on_through_the_network() -> None:
    """What follows takes as many rows as are found, and none."""
    x = np.random.default_rng(5).standard_normal((3, 4), np.float32)
    rows = "take(%x, take(%i, 0, axis=1), axis=0)"
    body = f"let %i = argwhere(greater(%x, 0.5f)); (%i, nn.relu({rows}))"
    for shift in (0, -9):
        given = x + np.float32(shift)
        model = directconv.compile(program(body, {"x": x}))
        places, chosen = model.run({"x": given})
        expected = np.argwhere(given > 0.5)
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_array_equal(chosen, np.maximum(given, 0)[expected[:, 0]])
