"""Operator calls rebuilt with other operands or attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tvm
from tvm import relax


def replaced(call: relax.Call, arguments: Sequence[relax.Expr], **changes: Any) -> relax.Call:
    """``call`` on ``arguments``, with the attributes in ``changes`` changed; it keeps its name."""
    attrs = call.attrs
    if changes:
        kind = type(attrs).__tvm_ffi_type_info__
        values = {field.name: getattr(attrs, field.name) for field in kind.fields}
        assert changes.keys() <= values.keys()
        attrs = tvm.ir.make_node(kind.type_key, **values | changes)
    return relax.Call(call.op, list(arguments), attrs, call.ty_args, call.span)
