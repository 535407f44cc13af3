"""Networks as plain C: one object file and a header, which need no runtime.

A network that is ready for TVM's virtual machine is a straight list of kernel calls (``launches.py``) whose
tensors get their places in one arena. Kernels become functions of plain pointers
(``plain_kernels.py``); a launcher in LLVM's IR and a table of the calls (``launcher.py``) do what the virtual
machine would.
"""
