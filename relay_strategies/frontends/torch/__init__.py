"""PyTorch networks, through torch.export: imported only where torch is, and when a model is its."""
