"""``python -m tvm_directconv`` is the command ``tvm-directconv``."""

from tvm_directconv.cli import main

main()
