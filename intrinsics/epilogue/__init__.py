"""What is done to each element of a tile before it is stored: a bias, then elementwise steps.

A step is a formula over a few operations (``operations``), so that one text is its meaning in numpy, in TE
and in every instruction set: what has the operations has all steps. Kernels, workloads and reports carry
steps as values and know none by name; ``catalog`` is the one list.
"""

from .catalog import ALIASES, CODES, STEPS, joined, parse_codes, parse_step
from .exponential import Elu, Gelu, GeluTanh, Mish, Sigmoid, Silu, Softplus, Tanh
from .operations import EXPONENT_BITS, EXPONENT_ZERO, Operations, Value
from .per_channel import ChannelScale, ChannelShift, PerChannel, PRelu
from .piecewise import Clip, HardSigmoid, HardSwish, LeakyRelu, Residual, Round, Scale, Shift
from .program import Operation, Program, program
from .step import Step
from .tile import TileEpilogue

__all__ = [
    "ALIASES",
    "CODES",
    "EXPONENT_BITS",
    "EXPONENT_ZERO",
    "STEPS",
    "ChannelScale",
    "ChannelShift",
    "Clip",
    "Elu",
    "Gelu",
    "GeluTanh",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "Mish",
    "Operation",
    "Operations",
    "PRelu",
    "PerChannel",
    "Program",
    "Residual",
    "Round",
    "Scale",
    "Shift",
    "Sigmoid",
    "Silu",
    "Softplus",
    "Step",
    "Tanh",
    "TileEpilogue",
    "Value",
    "joined",
    "parse_codes",
    "parse_step",
    "program",
]
