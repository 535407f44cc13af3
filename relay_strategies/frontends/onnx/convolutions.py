"""The convolutions of ONNX that are supported."""

from onnx import TensorProto

# The convolutions that are supported: where they have their filter, and what they compute in.
CONVOLUTIONS = {
    "Conv": (1, (TensorProto.FLOAT,)),
    "ConvTranspose": (1, (TensorProto.FLOAT,)),
    "ConvInteger": (1, (TensorProto.UINT8, TensorProto.INT8)),
    "QLinearConv": (3, (TensorProto.UINT8, TensorProto.INT8)),
}
DIMENSIONS = (1, 2, 3)
"""Of maps, as many are supported."""
