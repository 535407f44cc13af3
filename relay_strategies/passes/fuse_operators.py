"""FuseOperators: TVM's FuseOps, with a limit to how much goes into one kernel.

FuseOps joins up to 256 operators. What scheduling and code generation take grows faster than a kernel, and
nothing is gained beyond the few operators that save a pass over memory.
"""

from __future__ import annotations

import tvm
from tvm import relax

LARGEST_GROUP = 32
"""At most this many operators become one kernel."""


@tvm.transform.module_pass(opt_level=0, name="directconv.FuseOperators")
def FuseOperators(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Group operators into functions for FuseTIR; wants their kernels' patterns annotated before it."""
    config = dict(context.config) | {"relax.FuseOps.max_depth": LARGEST_GROUP}
    with tvm.transform.PassContext(
        opt_level=context.opt_level,
        required_pass=list(context.required_pass),
        disabled_pass=list(context.disabled_pass),
        instruments=list(context.instruments),
        config=config,
    ):
        return relax.transform.FuseOps()(module)
