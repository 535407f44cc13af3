"""Operator strategies: which implementations a target offers for an operator, and which is used."""

from .generic import conv2d_strategy_generic
from .gpu import conv2d_strategy_gpu
from .kinds import (
    conv1d_strategy,
    dense_strategy,
    depthwise_conv2d_strategy,
    group_conv2d_strategy,
    operator_strategy,
)
from .operators import (
    OperatorStrategy,
    OperatorWorkload,
    avg_pool2d_strategy,
    batch_matmul_strategy,
    conv2d_transpose_strategy,
    conv3d_strategy,
    max_pool2d_strategy,
    operator_definition,
    operator_strategy_generic,
    softmax_strategy,
)
from .strategy import OpStrategy, conv2d_strategy

__all__ = [
    "OpStrategy",
    "OperatorStrategy",
    "OperatorWorkload",
    "avg_pool2d_strategy",
    "batch_matmul_strategy",
    "conv1d_strategy",
    "conv2d_strategy",
    "conv2d_strategy_generic",
    "conv2d_strategy_gpu",
    "conv2d_transpose_strategy",
    "conv3d_strategy",
    "dense_strategy",
    "depthwise_conv2d_strategy",
    "group_conv2d_strategy",
    "max_pool2d_strategy",
    "operator_definition",
    "operator_strategy",
    "operator_strategy_generic",
    "softmax_strategy",
]
