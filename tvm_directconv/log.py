"""The package's logger, "tvm_directconv": what is done, for whoever wants to see it.

Programs set its level and handlers as those of any other logger; the command line has ``--log``. INFO tells
of phases, files and what came from the cache, DEBUG also of what the cache lacks and of the linkers that are
started. Nothing is logged that users have to know: that is an error, or a warning of Python's.
"""

from __future__ import annotations

import logging

LOG = logging.getLogger("tvm_directconv")
LOG.addHandler(logging.NullHandler())

LEVELS = ("error", "warning", "info", "debug")


def log_to_stderr(level: str) -> None:
    """Show messages from this level on, one of LEVELS, on standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(level.upper())
