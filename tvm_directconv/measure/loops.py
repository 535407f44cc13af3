"""A loop written as LLVM IR, compiled through TVM: what is measured is just what is written."""

from __future__ import annotations

import tvm
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T


def compile_loop(
    llvm_ir: str, function: str, buffer: tuple[int, str], target: tvm.target.Target
) -> tvm.runtime.Module:
    """Return the module whose ``main(trips, state)`` calls the code's ``i32 function(i64 trips, ptr state)``.

    The state is a tensor of as many elements of the type as ``buffer`` says.
    """
    extent, dtype = buffer
    # Written with the builder: TVMScript as text takes longer to parse than the loop to compile.
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name("main")
        trips = T.arg("trips", T.int64())
        state = T.arg("state", T.buffer((extent,), dtype, layout=None))
        with T.attr(0, "pragma_import_llvm", llvm_ir):
            T.evaluate(T.call_extern("int32", function, trips, state.data))
    return tvm.compile(tvm.IRModule({"main": builder.get()}), target=target).mod
