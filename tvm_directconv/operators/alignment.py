"""Connectionist temporal classification (Graves et al. 2006): the loss of all alignments of a target."""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from tvm import tirx
from tvm.script import tirx as T

KIND = "float64"
NEVER = tirx.const(float("-inf"), KIND)


def _sum(one, other):
    """The logarithm of a sum of two, of which one or both may be 0."""
    most, least = tirx.max(one, other), tirx.min(one, other)
    found = most + T.log(T.float64(1) + T.exp(least - most))
    return T.if_then_else(least == NEVER, most, found)


def _label(targets, b, place, blank, length):
    """What the state at a place stands for: blanks are between the labels of a target."""
    at = tirx.min(T.truncdiv(place, 2), length - 1)
    return T.if_then_else(T.truncmod(place, 2) == 1, targets[b, at], T.int64(blank))


def alignment_loss(steps: int, batch: int, classes: int, length: int, blank: int) -> tirx.PrimFunc:
    """Return the kernel (scores[steps, batch, classes], targets[batch, length] int64, times[batch] int64,
    lengths[batch] int64) -> (loss[batch], alpha[batch, 2, 2 length + 1]): the negative logarithm of the
    probability of each target, by the forward variables of section 4.1, which ``alpha`` holds in turns."""
    states = 2 * length + 1

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        scores: T.Buffer((steps, batch, classes), KIND),
        targets: T.Buffer((batch, length), "int64"),
        times: T.Buffer((batch,), "int64"),
        lengths: T.Buffer((batch,), "int64"),
        loss: T.Buffer((batch,), KIND),
        alpha: T.Buffer((batch, 2, states), KIND),
    ):
        for b in T.parallel(batch):
            with T.sblock("alignment"):
                T.reads()
                T.writes()
                now = T.alloc_buffer((2,), "int64", scope="local")
                total = T.alloc_buffer((1,), KIND, scope="local")
                for t in range(steps):
                    if T.Cast("int64", t) < times[b]:
                        for s in range(states):
                            if T.Cast("int64", s) <= T.int64(2) * lengths[b]:
                                now[0] = _label(targets, b, s, blank, length)
                                total[0] = NEVER
                                if t == 0:
                                    if s < 2:
                                        total[0] = T.float64(0)
                                else:
                                    total[0] = alpha[b, T.truncmod(t + 1, 2), s]
                                    if s > 0:
                                        total[0] = _sum(total[0], alpha[b, T.truncmod(t + 1, 2), s - 1])
                                    if s > 1:
                                        now[1] = _label(targets, b, s - 2, blank, length)
                                        if now[0] != now[1]:
                                            total[0] = _sum(total[0], alpha[b, T.truncmod(t + 1, 2), s - 2])
                                alpha[b, T.truncmod(t, 2), s] = total[0] + scores[t, b, now[0]]
                now[0] = T.truncmod(times[b] - T.int64(1), T.int64(2))
                now[1] = T.int64(2) * lengths[b]
                if times[b] < T.int64(1):
                    total[0] = T.if_then_else(lengths[b] == T.int64(0), T.float64(0), NEVER)
                else:
                    total[0] = alpha[b, now[0], now[1]]
                    if lengths[b] > T.int64(0):
                        total[0] = _sum(total[0], alpha[b, now[0], now[1] - T.int64(1)])
                loss[b] = -total[0]

    return kernel
