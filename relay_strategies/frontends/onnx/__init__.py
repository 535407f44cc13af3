"""ONNX networks, through TVM's own importer."""
