"""Ground floor: micro-kernels. Knows instruction sets and registers, nothing of convolution graphs.

``microkernel`` describes a kernel and names it, ``isa`` the instruction sets there are, ``avx512``, ``avx2``
and ``portable`` emit one kernel as LLVM IR, ``registry`` lists them, ``tensorize`` registers TensorIntrins.
"""
