"""Winograd's minimal filtering: its matrices, exactly, and routines that multiply tiles by them."""
