"""Operator strategies: which implementations a target offers for a convolution, and which is used."""

from .generic import conv2d_strategy_generic
from .gpu import conv2d_strategy_gpu
from .strategy import OpStrategy, conv2d_strategy

__all__ = ["OpStrategy", "conv2d_strategy", "conv2d_strategy_generic", "conv2d_strategy_gpu"]
