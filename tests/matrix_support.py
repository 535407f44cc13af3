"""What the tests of products and attention share: views of drawn tensors, what they hold, exact results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tvm_directconv.operators.attention import Attention
from tvm_directconv.operators.matrix_product import MatrixProduct
from tvm_directconv.operators.matrix_terms import ADD
from tvm_directconv.operators.matrix_views import View


def seen(view: View, tensor: np.ndarray) -> np.ndarray:
    """The elements of a contiguous tensor that a view names, in its shape; they can be written."""
    flat = tensor.reshape(-1)[view.offset :]
    strides = [stride * flat.itemsize for stride in view.strides]
    return np.lib.stride_tricks.as_strided(flat, view.shape, strides)


def tensors_of(views: Sequence[View], scale: float = 1.0) -> list[np.ndarray]:
    """A drawn tensor for each view."""
    return [
        np.random.default_rng(seed).standard_normal(view.tensor, np.float32) * np.float32(scale)
        for seed, view in enumerate(views)
    ]


def exact_product(
    product: MatrixProduct, left: np.ndarray, right: np.ndarray, *terms: np.ndarray
) -> np.ndarray:
    """The output tensor in float64."""
    made = product.scale * (
        seen(product.left, left.astype(np.float64)) @ seen(product.right, right.astype(np.float64))
    )
    return _placed(product.output, _after(product, made, terms))


def exact_attention(
    what: Attention, query: np.ndarray, key: np.ndarray, value: np.ndarray, *terms: np.ndarray
) -> np.ndarray:
    """The output tensor in float64."""
    query, key, value = (array.astype(np.float64) for array in (query, key, value))
    scores = _after(what, what.scale * (seen(what.query, query) @ seen(what.key, key)), terms)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return _placed(what.output, weights @ seen(what.value, value))


def _after(what: MatrixProduct | Attention, made: np.ndarray, terms: Sequence[np.ndarray]) -> np.ndarray:
    for term, tensor in zip(what.terms, terms, strict=True):
        other = seen(term.view, tensor.astype(np.float64))
        made = made + other if term.kind == ADD else made * other
    return made


def _placed(view: View, values: np.ndarray) -> np.ndarray:
    output = np.zeros(view.tensor)
    seen(view, output)[...] = values
    return output
