"""Convolution Slicing Analysis: tile sizes, their numbers per cache level, and which operand stays.

Section 4.1 of SConv ("Advancing Direct Convolution Using Convolution Slicing Optimization and ISA
Extensions", ACM TACO 2023). A convolution is cut in tiles of ``n_win`` windows (output pixels) and of ``n_f``
filters, both with ``n_c`` input channels and whole windows and filters. Each level of cache gets its share:

- L1 holds one tile of each operand and of the output: as many channels as fit (equation 2);
- L2 holds ``k2`` tiles of the operand that changes faster, with their outputs (equation 4);
- L3 holds ``k3`` tiles of the stationary operand (equation 5).

*Input stationary* ("IS") keeps an input tile in L1 for k2 filter tiles, *weight stationary* ("WS") a filter
tile for k2 input tiles; a cost model of lines loaded per level (equations 6 to 14) decides between them.

One term differs from the printed paper. Equation (5) charges the outputs k2 * k3 times; the tables it prints
follow only when the output of k2 tiles is charged once, K3 |IN| + K2 |FS| + K2 |OUT| <= |L3| gamma, which is
also what the loop nest needs at any time. All values are capped by the number of tiles there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.model.cost import FLOAT_BYTES
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

INPUT_STATIONARY, WEIGHT_STATIONARY = "IS", "WS"
Heuristic = Callable[[int, Callable[[int], bool]], int]


@dataclass(frozen=True)
class Tiles:
    """One operand's tiles: how many there are, and bytes of one."""

    count: int
    bytes: int


@dataclass(frozen=True)
class Slicing:
    """The result. Bytes are of one channel set; ``cost`` is in cycles, by schedule; ``cache_use`` the bytes
    each level (1 to 3) is meant to hold; ``n_f`` and ``n_win`` may be smaller than asked for where not even
    one channel fits L1."""

    n_f: int
    n_win: int
    n_c: int
    k2: int
    k3: int
    schedule: str
    channel_sets: int
    inputs: Tiles
    filters: Tiles
    output_bytes: int
    cost: Mapping[str, float]
    cache_use: Mapping[int, int]


def slice_convolution(
    workload: Conv2dWorkload,
    machine: Machine,
    *,
    n_f: int,
    n_win: int,
    alpha: float = 0.8,
    beta: float = 0.8,
    gamma: float = 0.8,
    heuristic: str = "binary",
) -> Slicing:
    """Slice one image of one group of the workload for the machine's caches.

    ``alpha``, ``beta``, ``gamma`` are the shares of L1, L2 and L3 given to tiles. ``heuristic`` "binary"
    finds the largest values by binary search, "halving" the first that fit when the most there can be is
    halved again and again, which makes fewer incomplete tiles. Raises AlgorithmError for other arguments.
    """
    if heuristic not in HEURISTICS:
        raise AlgorithmError(f"heuristic '{heuristic}' is unknown; there are {', '.join(HEURISTICS)}")
    if min(n_f, n_win) < 1 or not all(0 < share <= 1 for share in (alpha, beta, gamma)):
        raise AlgorithmError(
            f"n_f {n_f} and n_win {n_win} must be positive; alpha {alpha}, beta {beta} and gamma {gamma} "
            "shares of a cache, above 0 and at most 1"
        )
    most = HEURISTICS[heuristic]
    room = tuple(share * machine.cache(i + 1).size_bytes for i, share in enumerate((alpha, beta, gamma)))
    n_f, n_win, n_c = _tile(workload, room[0], n_f, n_win, most)
    taps, groups = workload.kernel[0] * workload.kernel[1], workload.groups
    windows, filters = workload.out_height * workload.out_width, workload.out_channels // groups
    channels = workload.in_channels // groups
    ins = Tiles(-(-windows // n_win), FLOAT_BYTES * n_win * n_c * taps)
    fs = Tiles(-(-filters // n_f), FLOAT_BYTES * n_f * n_c * taps)
    out = FLOAT_BYTES * n_win * n_f
    orders = {INPUT_STATIONARY: (ins, fs), WEIGHT_STATIONARY: (fs, ins)}
    numbers = {name: _numbers(*order, out, room, most) for name, order in orders.items()}
    cost = {name: _cost(machine, channels / n_c, *order, *numbers[name]) for name, order in orders.items()}
    schedule = min(cost, key=lambda name: cost[name])
    (kept, moved), (k2, k3) = orders[schedule], numbers[schedule]
    in_l2 = k2 * (moved.bytes + out)
    use = {1: ins.bytes + fs.bytes + out, 2: kept.bytes + in_l2, 3: k3 * kept.bytes + in_l2}
    return Slicing(n_f, n_win, n_c, k2, k3, schedule, -(-channels // n_c), ins, fs, out, cost, use)


def _tile(workload: Conv2dWorkload, l1: float, n_f: int, n_win: int, most: Heuristic) -> tuple[int, int, int]:
    """(n_f, n_win, n_c): as many channels as L1 holds of a tile (equation 2). Where not one channel fits, the
    larger of the tile's sides gives way (section 4.1)."""
    taps = workload.kernel[0] * workload.kernel[1]

    def fits(n_c: int) -> bool:
        return FLOAT_BYTES * ((n_win + n_f) * n_c * taps + n_win * n_f) <= l1

    while not fits(1):
        if n_win == n_f == 1:
            raise WorkloadError(f"one window of one channel does not fit L1: {workload}")
        n_win, n_f = (-(-n_win // 2), n_f) if n_win >= n_f else (n_win, -(-n_f // 2))
    return n_f, n_win, most(workload.in_channels // workload.groups, fits)


def _numbers(
    kept: Tiles, moved: Tiles, out: int, room: tuple[float, ...], most: Heuristic
) -> tuple[int, int]:
    """(k2, k3) of the schedule that keeps ``kept``: equations (4) and (5)."""
    k2 = most(moved.count, lambda k2: kept.bytes + k2 * (moved.bytes + out) <= room[1])
    return k2, most(kept.count, lambda k3: k3 * kept.bytes + k2 * (moved.bytes + out) <= room[2])


def _cost(machine: Machine, sets: float, kept: Tiles, moved: Tiles, k2: int, k3: int) -> float:
    """Equations (6) to (14), of the schedule that keeps ``kept``: cycles of all lines loaded to L1."""
    line = machine.cache(1).line_bytes
    all_kept, all_moved = kept.count * kept.bytes, moved.count * moved.bytes
    moved_sets, kept_sets = moved.count / k2 - 1, kept.count / k3 - 1
    cold = sets * (all_kept + all_moved) / line
    reloaded = sets * min(moved_sets, 1) * kept_sets * all_moved / line
    from_l3 = sets * moved_sets * all_kept / line
    from_l2 = sets * (kept.count - 1) * all_moved / line
    l2, l3 = machine.cache(2).latency_cycles, machine.cache(3).latency_cycles
    return machine.costs.memory_latency_cycles * (cold + reloaded) + l3 * from_l3 + l2 * from_l2


def _binary(most: int, fits: Callable[[int], bool]) -> int:
    """The largest value from 1 to ``most`` that fits; 1 where none does."""
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _halving(most: int, fits: Callable[[int], bool]) -> int:
    """``most`` halved until it fits, at least 1."""
    while most > 1 and not fits(most):
        most //= 2
    return most


HEURISTICS: dict[str, Heuristic] = {"binary": _binary, "halving": _halving}
