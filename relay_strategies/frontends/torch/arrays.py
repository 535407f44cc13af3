"""The values of torch tensors; torch is imported by whoever has one."""

from __future__ import annotations

from typing import Any

import numpy as np


def array_of(tensor: Any) -> np.ndarray:
    """The values of a torch tensor, without a copy where it is dense and on the CPU.

    numpy lacks bfloat16; TVM takes that of ml_dtypes.
    """
    import torch

    dense = tensor.detach().to_dense() if tensor.layout != torch.strided else tensor.detach()
    plain = dense.cpu().resolve_conj().resolve_neg()
    if plain.dtype is torch.bfloat16:
        import ml_dtypes

        return plain.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return plain.numpy()
