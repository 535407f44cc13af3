"""How exact results are asked to be, and how exact algorithms are: words of a contract.

    portable    sums of products as the definition has them, in one order: the same bits on every target
    exact       the same sums in whatever order: the default
    standard    also what is bounded to be off by no more than ``STANDARD_GROWTH`` times as much
    fast        also what amplifies roundings more, but is known to serve networks

What is off by more is used only where it is asked for by name.
"""

from __future__ import annotations

PORTABLE, EXACT, STANDARD, FAST = ACCURACIES = ("portable", "exact", "standard", "fast")
BY_NAME = "by name"
"""The accuracy of algorithms that no choice takes by itself."""
STANDARD_GROWTH = 4.0
"""An error bounded by so many times the definition's is standard."""


def allows(asked: str, offered: str) -> bool:
    """Whether an algorithm of the accuracy ``offered`` may be chosen where ``asked`` is. Whether sums go in
    the order of what is portable depends on the plan (``Plan.sums_in_order``)."""
    order = (*ACCURACIES, BY_NAME)
    return offered != BY_NAME and order.index(offered) <= max(order.index(asked), order.index(EXACT))
