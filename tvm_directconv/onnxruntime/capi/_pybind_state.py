"""The names of ONNX Runtime's compiled module, by its other name."""

from .onnxruntime_pybind11_state import *  # noqa: F403
