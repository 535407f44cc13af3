"""How well "auto" chose among the algorithms, and how its choice stands against other libraries.

All is derived from a layer benchmark in which ``ours`` (the choice), the algorithms and the peers took
turns. The choice is judged where it was made, between NHWC neighbours: an algorithm with other layouts is
charged the changes of layout. The choice's time is that of the algorithm's own contestant, so that two
timings of the same code cannot make a difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm_directconv.algorithms import ALGORITHMS

from .contestants import PEERS
from .figures import SUBJECT, AnyFigures, Comparison, Figures, geometric_mean

SLACK = 0.05
"""A choice counts as good while it is at most this share slower than the best of ours."""
SCONV_NETWORKS = (
    "light_inception_v1",
    "light_inception_v2",
    "light_resnet50",
    "light_squeezenet",
    "light_vgg19",
)
"""These are the networks of the SConv paper's table 3 in the zoo; VGG-19 has the layers of its VGG-16,
repeated."""
BASELINE = "im2col+openblas"


def algorithms_in(result: Figures) -> list[str]:
    """Return the algorithms that took part, in the order of the library's list."""
    return [name for name in ALGORITHMS if name in result.contestants]


def chosen(comparison: Comparison) -> str:
    """Return the algorithm "auto" took; empty where ``ours`` did not take part."""
    facts = _facts(comparison, SUBJECT)
    return str(facts.get("algorithm", ""))


def nhwc_seconds(comparison: Comparison, algorithm: str) -> float | None:
    """Return median seconds of an algorithm between NHWC neighbours: changes of layout added."""
    median = _median(comparison, algorithm)
    extra = _facts(comparison, algorithm).get("layout_seconds", 0.0)
    return None if median is None else median + float(extra)


def excess(comparison: Comparison, algorithms: Sequence[str], edges: bool = True) -> float | None:
    """Return by what share the choice is slower than the fastest of the algorithms; None without figures.

    Without ``edges``, changes of layout are free, as if each algorithm's neighbours kept its layouts.
    """
    seconds_of = nhwc_seconds if edges else _median
    times = {name: seconds_of(comparison, name) for name in algorithms}
    known = {name: seconds for name, seconds in times.items() if seconds is not None}
    choice = chosen(comparison)
    return known[choice] / min(known.values()) - 1 if choice in known else None


def best_peer(comparison: Comparison) -> str | None:
    """Return the peer of the least median time."""
    times = {name: _median(comparison, name) for name in PEERS}
    known = {name: seconds for name, seconds in times.items() if seconds is not None}
    return min(known, key=lambda name: known[name]) if known else None


def rivals(result: Figures) -> list[str]:
    """Return the algorithms among which "auto" chose: those that are exact."""
    return [name for name in algorithms_in(result) if not ALGORITHMS[name].amplifies]


def good_share(result: Figures, slack: float = SLACK, edges: bool = True) -> float | None:
    """Return the share of layers whose choice is at most ``slack`` slower than the best of ours."""
    algorithms = rivals(result)
    known = [e for e in (excess(c, algorithms, edges) for c in result.comparisons) if e is not None]
    return sum(e <= slack for e in known) / len(known) if known else None


def speed_up(result: Figures, contestant: str, peer: str) -> float | None:
    """Return the geometric mean, over layers both were timed on, of the peer's time over the contestant's."""
    ratios = [
        c.time_ratio(peer, contestant)
        for c in result.comparisons
        if {contestant, peer} <= {m.contestant for m in c.measurements}
    ]
    known = [ratio for ratio in ratios if ratio is not None]
    return geometric_mean(known) if known else None


def of_sconv_paper(result: AnyFigures) -> AnyFigures:
    """Return the layers of the networks SConv was published with."""
    return result.of_model(*SCONV_NETWORKS)


def summary(result: Figures) -> dict[str, float | None]:
    """Return the figures by name."""
    good = f"choice within {SLACK:.0%} of the best algorithm"
    figures = {
        f"{good}, share of layers": good_share(result),
        f"{good} were changes of layout free, share of layers": good_share(result, edges=False),
    }
    for peer in PEERS:
        if peer in result.contestants:
            figures[f"speed of the choice over {peer}"] = speed_up(result, SUBJECT, peer)
    if BASELINE in result.contestants and "sconv" in result.contestants:
        figures[f"speed of sconv over {BASELINE}, networks of its paper"] = speed_up(
            of_sconv_paper(result), "sconv", BASELINE
        )
    return figures


def summary_lines(result: Figures) -> list[str]:
    """Return ``summary`` as lines of text; figures that could not be had are left out."""
    return [
        f"{name}: {value:.0%}" if "share" in name else f"{name}: {value:.2f} x (geometric mean)"
        for name, value in summary(result).items()
        if value is not None
    ]


def _facts(comparison: Comparison, contestant: str) -> dict[str, str | int | float]:
    found = [m.facts for m in comparison.measurements if m.contestant == contestant]
    return found[0] if found else {}


def _median(comparison: Comparison, contestant: str) -> float | None:
    found = [m.median_seconds for m in comparison.measurements if m.contestant == contestant]
    return found[0] if found else None
