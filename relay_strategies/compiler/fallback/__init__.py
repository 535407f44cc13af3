"""Models of which a part is compiled, and the rest computed by ONNX Runtime."""
