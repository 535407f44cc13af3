"""PyTorch modules for tests: functions as modules, and answers compared with PyTorch's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree


class Function(torch.nn.Module):
    """A function of tensors as a module in evaluation mode."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.eval()

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def leaves(answer: Any) -> list[np.ndarray]:
    """The tensors of an answer of PyTorch's, in order."""
    return [
        leaf.detach().resolve_conj().numpy()
        for leaf in pytree.tree_leaves(answer)
        if isinstance(leaf, torch.Tensor)
    ]


def assert_same(found: Any, wanted: Any, tolerance: float = 2e-5) -> None:
    """Answers of the same number, shapes and types, and values that differ by rounding."""
    got = [np.asarray(value) for value in found]
    expected = leaves(wanted)
    assert [(a.shape, a.dtype) for a in got] == [(a.shape, a.dtype) for a in expected]
    for place, (one, other) in enumerate(zip(got, expected, strict=True)):
        scale = max(1.0, float(np.abs(other[np.isfinite(other)]).max(initial=0.0)))
        np.testing.assert_allclose(
            one, other, atol=tolerance * scale, rtol=tolerance, err_msg=f"output {place}"
        )
