"""The convolutions of ONNX that are supported."""

from onnx import TensorProto

FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)
# The convolutions that are supported: where they have their filter, and what their data is.
CONVOLUTIONS = {
    "Conv": (1, FLOATS),
    "ConvTranspose": (1, FLOATS),
    "ConvInteger": (1, (TensorProto.UINT8, TensorProto.INT8)),
    "QLinearConv": (3, (TensorProto.UINT8, TensorProto.INT8)),
}
DIMENSIONS = (1, 2, 3)
"""Numbers of spatial dimensions that are supported."""
