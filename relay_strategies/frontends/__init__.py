"""Ways in: ONNX networks and Relay modules become Relax modules."""
