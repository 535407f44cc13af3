"""Weights of Relax modules as TVM's importers hand them over: in order, beside the module or inside it.

``relax.frontend.detach_params`` gives lists by the names of functions; with ``keep_params_as_input`` the list
is main's attribute. Both are of main's last parameters, in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import relax

from tvm_directconv.errors import ModelError

ATTRIBUTE = "params"


def named_params(module: tvm.IRModule, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """``params`` by the names of main's parameters, whether given by name or in order.

    Raises ModelError for a list that does not fit main.
    """
    given = dict(params or {})
    main = next((f for v, f in module.functions_items() if v.name_hint == "main"), None)
    if not isinstance(main, relax.Function):
        return given  # which is refused for that
    names = [param.name for param in main.params]
    in_order = given.pop("main") if isinstance(given.get("main"), list | tuple) else None
    if in_order is None and main.attrs and ATTRIBUTE in main.attrs and not given:
        in_order = list(main.attrs[ATTRIBUTE])
    if in_order is None:
        return given
    if len(in_order) > len(names):
        raise ModelError(f"params has {len(in_order)} tensors for main, which has {len(names)} parameters")
    return {**dict(zip(names[len(names) - len(in_order) :], in_order, strict=True)), **given}
