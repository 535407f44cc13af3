"""Proofs that the code of a kernel computes what its name says, by symbolic execution of its assembly.

The specification of a name (``specification``) stands apart from all that emits code; what instructions do is
one table for each architecture (``x86_table``); ``execution`` follows all paths, loops by induction; and
``comparison`` and ``windows`` say whether what is stored and read is what is specified.
"""

from .proof import NOT_COVERED, PROVEN, REFUTED, Verification, verify

__all__ = ["NOT_COVERED", "PROVEN", "REFUTED", "Verification", "verify"]
