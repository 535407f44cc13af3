"""How well "auto" chose among the algorithms, and how its choice stands against other libraries.

All is derived from a layer benchmark in which ``ours`` (the choice), the algorithms and the peers took
turns. The choice is judged where it was made, between NHWC neighbours: an algorithm with other layouts is
charged the changes of layout. Times are the least of all rounds, to which other work on the machine has added
least. The choice's time is that of the algorithm's own contestant, so that two
timings of the same code cannot make a difference. ``ours`` is judged by the exact algorithms;
``ours-standard`` and ``ours-fast``, where they take part, by all that they may choose, on the layers that
one of these takes that is not exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_strategies.strategies.strategy import conv2d_strategy
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import ACCURACIES, EXACT, allows
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

from .contestants import PEERS
from .figures import SUBJECT, AnyFigures, Comparison, Figures, mean_of_known

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
ALL_LAYERS = "all layers"
BASELINE = "im2col+openblas"


def algorithms_in(result: Figures) -> list[str]:
    """Return the algorithms that took part, in the order of the library's list."""
    return [name for name in ALGORITHMS if name in result.contestants]


def chosen(comparison: Comparison, subject: str = SUBJECT) -> str:
    """Return the algorithm "auto" took; empty where the subject did not take part."""
    return str(comparison.of(subject).facts.get("algorithm", ""))


def nhwc_seconds(comparison: Comparison, algorithm: str) -> float | None:
    """Return the least seconds of an algorithm between NHWC neighbours: changes of layout added."""
    measured = comparison.of(algorithm)
    extra = float(measured.facts.get("layout_seconds", 0.0))
    return None if measured.best_seconds is None else measured.best_seconds + extra


def excess(
    comparison: Comparison, algorithms: Sequence[str], edges: bool = True, subject: str = SUBJECT
) -> float | None:
    """Return by what share the choice is slower than the fastest of the algorithms; None without figures.

    Without ``edges``, changes of layout are free, as if each algorithm's neighbours kept its layouts.
    """
    times = {
        name: nhwc_seconds(comparison, name) if edges else comparison.of(name).best_seconds
        for name in algorithms
    }
    known = {name: seconds for name, seconds in times.items() if seconds is not None}
    choice = chosen(comparison, subject)
    return known[choice] / min(known.values()) - 1 if choice in known else None


def best_peer(comparison: Comparison) -> str | None:
    """Return the peer of the least median time."""
    return comparison.fastest(PEERS)


def rivals(result: Figures, comparison: Comparison, accuracy: str = EXACT) -> list[str]:
    """Return the algorithms among which "auto" chose: those that are as exact as asked."""
    exact = [name for name in algorithms_in(result) if not ALGORITHMS[name].amplifies]
    if accuracy == EXACT:
        return exact
    target, workload = resolve_target(result.target), Conv2dWorkload.parse(comparison.problem)
    offered = {
        i.name: i.accuracy(workload, target) for i in conv2d_strategy(workload, target).implementations
    }
    others = [name for name in algorithms_in(result) if name not in exact and name in offered]
    return exact + [name for name in others if allows(accuracy, offered[name])]


def good_share(
    result: Figures, slack: float = SLACK, edges: bool = True, accuracy: str = EXACT
) -> float | None:
    """Return the share of layers whose choice is at most ``slack`` slower than the best of ours; where less
    than exact is asked, of those that an algorithm of that takes."""
    known = []
    for comparison in result.comparisons:
        algorithms = rivals(result, comparison, accuracy)
        if accuracy == EXACT or any(ALGORITHMS[name].amplifies for name in algorithms):
            known.append(excess(comparison, algorithms, edges, subject_of(accuracy)))
    shares = [share for share in known if share is not None]
    return sum(share <= slack for share in shares) / len(shares) if shares else None


def subject_of(accuracy: str) -> str:
    """Return the contestant that chooses so."""
    return SUBJECT if accuracy == EXACT else f"{SUBJECT}-{accuracy}"


def speed_up(result: Figures, contestant: str, peer: str) -> float | None:
    """Return the geometric mean, over layers both were timed on, of the peer's time over the contestant's."""
    return mean_of_known(c.time_ratio(peer, contestant) for c in result.comparisons)


def time_weighted_speed_up(result: Figures, model: str, contestant: str, peer: str) -> float | None:
    """Return the peer's time over the contestant's for all convolutions of a network together, each as often
    as it has it: the measure of SConv's Table 3. None where one of them was not timed on a layer."""
    layers = [comparison for comparison in result.comparisons if model in comparison.models]
    times = []
    for name in (peer, contestant):
        seconds = [comparison.of(name).median_seconds for comparison in layers]
        counted = [s * c.models[model] for s, c in zip(seconds, layers, strict=True) if s is not None]
        times.append(sum(counted) if len(counted) == len(layers) else 0.0)
    return times[0] / times[1] if all(times) else None


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
    for accuracy in ACCURACIES:
        if accuracy != EXACT and subject_of(accuracy) in result.contestants:
            figures[f"{good}, accuracy {accuracy}, share of layers"] = good_share(result, accuracy=accuracy)
    for peer in PEERS:
        if peer in result.contestants:
            figures[f"speed of the choice over {peer}"] = speed_up(result, SUBJECT, peer)
    if BASELINE in result.contestants and "sconv" in result.contestants:
        figures[f"speed of sconv over {BASELINE}, networks of its paper"] = speed_up(
            of_sconv_paper(result), "sconv", BASELINE
        )
        for model in result.models:
            name = f"speed of sconv over {BASELINE}, {ALL_LAYERS} of {model}"
            figures[name] = time_weighted_speed_up(result, model, "sconv", BASELINE)
    return figures


def summary_lines(result: Figures) -> list[str]:
    """Return ``summary`` as lines of text; figures that could not be had are left out."""
    return [
        f"{name}: {value:.0%}"
        if "share" in name
        else f"{name}: {value:.2f} x{'' if ALL_LAYERS in name else ' (geometric mean)'}"
        for name, value in summary(result).items()
        if value is not None
    ]
