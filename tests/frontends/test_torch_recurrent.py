"""PyTorch's recurrent layers: whole ones are kernels, and results are PyTorch's."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from support import assert_matches

torch = pytest.importorskip("torch")

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv.errors import UnsupportedOperatorError  # noqa: E402

CASES: list[tuple[str, dict[str, Any], int]] = [
    ("LSTM", {}, 1),
    ("LSTM", {"num_layers": 2, "bidirectional": True, "batch_first": True}, 4),
    ("LSTM", {"proj_size": 7}, 0),
    ("GRU", {"bidirectional": True}, 2),
    ("GRU", {"num_layers": 3, "bias": False}, 3),
    ("RNN", {"nonlinearity": "relu", "num_layers": 2, "dropout": 0.5}, 2),
]


class Layer(torch.nn.Module):
    """A recurrent layer, and all of its results."""

    def __init__(self, kind: str, options: dict[str, Any]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = getattr(torch.nn, kind)(12, 20, **options)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y, last = self.layer(x)
        return (y, *(last if isinstance(last, tuple) else (last,)))


@pytest.mark.parametrize(("kind", "options", "kernels"), CASES, ids=lambda value: str(value))
def test_layers(kind: str, options: dict[str, Any], kernels: int) -> None:
    """A kernel for each direction of each layer; what is projected has its steps written out."""
    module, x = Layer(kind, options).eval(), torch.randn(5, 3, 12)
    compiled = directconv.compile(module, "llvm -mcpu=native", example_inputs=(x,), cache=False)
    with torch.no_grad():
        wanted = module(x)
    for got, want in zip(compiled.run([x.numpy()]), wanted, strict=True):
        assert_matches(got, want.numpy().astype(np.float64), (kind, options))
    assert Counter(dict(compiled.report().other_kernels))[kind.lower()] == kernels


def test_dropout_of_training_is_refused() -> None:
    module = Layer("GRU", {"num_layers": 2, "dropout": 0.5})
    program = torch.export.export(module, (torch.randn(5, 3, 12),))
    with pytest.raises(UnsupportedOperatorError, match="training mode"):
        directconv.compile(program, "llvm -mcpu=native", cache=False)
