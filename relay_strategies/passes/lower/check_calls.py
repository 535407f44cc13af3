"""CheckCalls: no kernel is called with other operands than it takes.

Most kernels are compiled without TVM's checks of their arguments, which would take LLVM about as long as the
kernels and every call some time. TVM's own analysis makes the same comparison here, once per call: count,
shape and dtype of all operands and results. It takes about a millisecond for a network of a hundred layers.
"""

from __future__ import annotations

import tvm
from tvm import relax

from tvm_directconv.errors import ModelError, last_line


@tvm.transform.module_pass(opt_level=0, name="directconv.CheckCalls")
def CheckCalls(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Raise ModelError for a module whose functions call kernels with operands that these do not take."""
    try:
        relax.analysis.well_formed(module)
    except ValueError as error:
        raise ModelError(
            f"a kernel would be called with other operands than it takes: {last_line(error)}"
        ) from error
    return module
