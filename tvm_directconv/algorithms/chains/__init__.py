"""Chains of convolutions by blocks of rows: what lies between them stays in cache."""
