"""Casts in TE, which become part of the kernels that LegalizeOps writes and fuses."""

from __future__ import annotations

from tvm import te, topi

from .builder import BFLOAT16, narrowed, widened

FLOAT = "float32"


def cast(data: te.Tensor, dtype: str) -> te.Tensor:
    """``data`` as ``dtype``; bfloat16 is float32's upper half, and is cast on the numbers' bits."""
    if data.dtype == BFLOAT16:
        wide = te.compute(data.shape, lambda *at: widened(data(*at), BFLOAT16), name="widened")
        return wide if dtype == FLOAT else topi.cast(wide, dtype)
    if dtype == BFLOAT16:
        wide = data if data.dtype == FLOAT else topi.cast(data, FLOAT)
        return te.compute(data.shape, lambda *at: narrowed(wide(*at), BFLOAT16), name="narrowed")
    return topi.cast(data, dtype)
