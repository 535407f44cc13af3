"""Ground floor: micro-kernels. Knows instruction sets and registers, nothing of convolution graphs.

``microkernel`` describes a kernel and names it, ``epilogue`` what is done to its tile in the end. An
``instruction_set`` is an entry beside the emitter of its kernels, in the folder of its architecture (``x86``,
``arm``, ``power``, ``riscv``, ``portable``); ``isa`` lists them, ``engines`` says what each way to multiply
takes of a tile. ``registry`` lists the kernels that follow, ``packing`` makes their operands, ``tensorize``
registers TensorIntrins.
"""

import os as _os

SPIN_VARIABLE = "TVM_THREAD_POOL_SPIN_COUNT"
SPIN_COUNT = "2000"
"""A thread of TVM's pool yields its CPU so often before it sleeps until there is work. TVM's own 300000 keeps
a core busy while a model is idle (docs/serving.md). The first pool of a process reads the variable."""

_os.environ.setdefault(SPIN_VARIABLE, SPIN_COUNT)
