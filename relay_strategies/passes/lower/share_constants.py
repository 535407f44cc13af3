"""ShareConstants: constants of equal values become one, also with those of modules that went before."""

from __future__ import annotations

import hashlib
from collections.abc import MutableMapping

import numpy as np
import tvm
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.relax.graph import Rewriter, constant, rewrite_pass

Constants = MutableMapping[tuple[str, tuple[int, ...], bytes], GenericConst]
"""Constants by dtype, shape and a digest of their values."""


def ShareConstants(known: Constants) -> tvm.transform.Pass:
    """The pass that takes equal constants from ``known``, and adds those that are not there."""
    return rewrite_pass("ShareConstants", lambda f, builder: _ShareConstants(f, builder, known))


class _ShareConstants(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, known: Constants) -> None:
        super().__init__(function, builder)
        self._known = known

    def new(self, expr: relax.Expr) -> relax.Expr:
        array = constant(expr)
        if array is None:
            return super().new(expr)
        values = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        key = str(array.dtype), array.shape, hashlib.blake2b(values.data, digest_size=32).digest()
        return self._known.setdefault(key, expr)
