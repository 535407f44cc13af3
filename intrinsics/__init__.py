"""Ground floor: micro-kernels. Knows instruction sets and registers, nothing of convolution graphs.

``microkernel`` describes a kernel and names it, ``epilogue`` what is done to its tile in the end. An
``instruction_set`` is an entry beside the emitter of its kernels, in the folder of its architecture (``x86``,
``arm``, ``power``, ``portable``); ``isa`` lists them, ``engines`` says what each way to multiply takes of a
tile. ``registry`` lists the kernels that follow, ``packing`` makes their operands, ``tensorize`` registers
TensorIntrins.
"""
