"""Networks to try things on, and what the name of a model or a layer stands for."""

from .networks import full_name, layers, list_models, load_model, reference_input, reference_output
from .onnx_layers import convolution_layers
from .own import NETWORKS
from .sets import SETS, expanded, members
from .sources import is_descriptor, layers_of, read_onnx, resolve_model

__all__ = [
    "NETWORKS",
    "SETS",
    "convolution_layers",
    "expanded",
    "full_name",
    "is_descriptor",
    "layers",
    "layers_of",
    "list_models",
    "load_model",
    "members",
    "read_onnx",
    "reference_input",
    "reference_output",
    "resolve_model",
]
