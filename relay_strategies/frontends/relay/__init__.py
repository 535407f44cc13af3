"""Relay's text format and parameters read, printed, and converted to Relax."""
