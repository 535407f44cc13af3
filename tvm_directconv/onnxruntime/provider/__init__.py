"""An execution provider for ONNX Runtime, in C; see ``docs/onnxruntime_provider.md``."""
