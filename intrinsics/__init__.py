"""Ground floor: micro-kernels. Knows instruction sets and registers, nothing of convolution graphs.

``microkernel`` describes a kernel and names it, ``isa`` the instruction sets there are. A file per
instruction set (``avx512``, ``neon``, ``mma``, ``portable``; of bytes ``neon_dotprod`` and those whose names
end in ``int8`` or ``i8mm``) emits one kernel as LLVM IR, ``registry`` lists them, ``tensorize`` registers
TensorIntrins.
"""
