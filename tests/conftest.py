"""Test setup shared by all: hypothesis profiles, and the tests' own folder importable."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# Compiling takes longer than hypothesis' deadline; the seed is fixed, so that CI repeats itself.
settings.register_profile("directconv", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("directconv")
