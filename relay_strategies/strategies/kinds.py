"""Strategies of other layers than plain 2-D convolutions, by the names that Relay had for them.

Depthwise and grouped convolutions, those along one dimension and dense layers are workloads of
``conv2d_strategy``, which has the library's own algorithms for them: theirs are functions of a workload, too,
and decide where they have one for the target. All others are ``operators.py``'s.
"""

from __future__ import annotations

from typing import Any

from tvm_directconv.errors import AlgorithmError, nearest
from tvm_directconv.problem.workload import Conv2dWorkload

from .operators import STRATEGIES, OperatorStrategies
from .strategy import GenericStrategy, conv2d_strategy


def _is_row(workload: Conv2dWorkload) -> bool:
    """Return whether an image has one row, and the filter, too: a layer along one dimension."""
    return workload.height == workload.kernel[0] == 1


def _is_dense(workload: Conv2dWorkload) -> bool:
    """Return whether each pixel of a row is a vector that is multiplied by the whole filter."""
    moved = workload.strides != (1, 1) or any(workload.padding)
    return _is_row(workload) and workload.kernel[1] == 1 and workload.groups == 1 and not moved


def _is_depthwise(workload: Conv2dWorkload) -> bool:
    return workload.groups > 1 and workload.groups == workload.in_channels


dense_strategy = GenericStrategy("dense", _is_dense)
"""The strategy of dense layers: workloads of one row, a pixel for each vector, and 1x1 filters. These are the
convolutions along one dimension with filters of one tap, too."""
conv1d_strategy = GenericStrategy("conv1d", lambda w: _is_row(w) and not _is_dense(w))
"""The strategy of convolutions along one dimension: of images and filters of one row."""
depthwise_conv2d_strategy = GenericStrategy("depthwise_conv2d", _is_depthwise)
"""The strategy of depthwise convolutions, with any number of filters for a channel."""
group_conv2d_strategy = GenericStrategy("group_conv2d", lambda w: w.groups > 1 and not _is_depthwise(w))
"""The strategy of convolutions in groups of several channels."""

conv2d_strategy.kinds = [dense_strategy, conv1d_strategy, depthwise_conv2d_strategy, group_conv2d_strategy]


def operator_strategy(operator: str) -> GenericStrategy | OperatorStrategies:
    """Return the strategy of an operator by its name in Relay, as "softmax", "dense" or "max_pool2d".

    Args:
        operator: The name, without a namespace.

    Raises:
        AlgorithmError: There is none of this name.

    Examples:
        >>> import tvm_directconv as directconv
        >>> directconv.operator_strategy("softmax").operator
        'softmax'
    """
    of_layers = {each.operator: each for each in (conv2d_strategy, *conv2d_strategy.kinds)}
    known: dict[str, Any] = {**of_layers, **STRATEGIES}
    name = operator.removeprefix("nn.")
    if name not in known:
        raise AlgorithmError(
            f"there is no strategy of '{operator}'{nearest(operator, known)}; there are {', '.join(known)}"
        )
    found: GenericStrategy | OperatorStrategies = known[name]
    return found
