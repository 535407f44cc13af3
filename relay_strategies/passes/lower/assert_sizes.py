"""AssertSizes: a function says itself what its sizes have to be, where no other code checks them."""

from __future__ import annotations

from contextlib import ExitStack

import tvm
from tvm import relax, tirx
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from relay_strategies.relax.kernels import scheduled
from tvm_directconv.problem.open_sizes import active_sizes


@tvm.transform.module_pass(opt_level=0, name="directconv.AssertSizes")
def AssertSizes(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Have ``main`` call, before anything else, a kernel that raises ValueError where sizes are others than
    was assumed of them, or out of their bounds.

    Multiples, as of 4, need no assertion: the virtual machine matches the inputs' shapes.
    """
    sizes, main = active_sizes(), module["main"]
    if sizes is None or not sizes.required:
        return module
    dims = [var for name, var in sizes.variables.items() if name not in sizes.measured]
    builder = relax.BlockBuilder(module.clone())
    kernel = builder.add_func(scheduled(_kernel(dims, sizes.required)), "check_sizes")
    call = relax.call_tir(kernel, list(dims), relax.TensorType([1], "int32"))
    block = relax.BindingBlock([relax.VarBinding(relax.Var("checked", call.ty_args[0]), call)])
    body = relax.SeqExpr([block, *main.body.blocks], main.body.body)
    function = relax.Function(main.params, builder.normalize(body), None, main.is_pure, main.attrs)
    builder.update_func(module.get_global_var("main"), function)
    return builder.get()


def _kernel(dims: list[tirx.Var], required: list[tuple[str, tirx.Expr]]) -> tirx.PrimFunc:
    """A kernel of the open dimensions that asserts what is required of them."""
    with IRBuilder() as builder, T.prim_func(is_private=True, s_tir=True):
        T.func_name("check_sizes")
        for var in dims:
            T.arg(str(var.name), var)
        checked = T.arg("checked", T.buffer((1,), "int32"))
        with ExitStack() as asserting:
            for text, condition in required:
                asserting.enter_context(T.Assert(condition, [f"sizes have to be: {text}"], "ValueError"))
            T.buffer_store(checked, tirx.const(0, "int32"), [0])
    return builder.get()
