"""Conv2dWorkload: one convolution layer as a value, printed as one descriptor string and parsed back."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from intrinsics.epilogue import Step, TileEpilogue, parse_step
from tvm_directconv.errors import WorkloadError

from .descriptor import fields_of, text_of
from .element_types import FLOAT32, FLOATS, HALVES, element_bytes
from .extents import is_open, known_less, typical
from .integers import integer
from .quantized_types import RANGES, QuantizedTypes
from .storage import WHOLE, Storage

DATA_LAYOUTS = ("NHWC", "NCHW")
"""The plain ones; besides them the blocked ``NCHW<c>c``, such as NCHW16c."""
FILTER_LAYOUTS = ("OIHW", "HWIO", "OHWI")
DTYPES = (*FLOATS, *RANGES)
MOST_ELEMENTS = 2**31 - 1
"""TVM indexes tensors with 32 bits."""


class Epilogue(TileEpilogue):
    """The computation on each output element after the sum: ``steps(sum + bias[oc])``.

    Of quantized convolutions, ``bias`` is int32 in units of the sums, and steps come after scaling, in the
    unit that the scale makes, and before rounding.

    Args:
        bias: Whether there is a bias, float32 (OC,); behind it lie (OC,) more for each step with a constant
            for each channel, in order: such a step says at which element these begin, ``bias+prelu(64)``.
        residual: Whether a tensor of the output's shape and layout is added first; short for such a step.
        low: The least that outputs are clipped to: ReLU is ``low=0``.
        high: The most that outputs are clipped to.
        steps: The steps, in order; one of them may add a residual.

    Raises:
        WorkloadError: The range from ``low`` to ``high`` is empty.

    Examples:
        >>> import tvm_directconv as directconv
        >>> str(directconv.Epilogue(bias=True, low=0))
        'bias+relu'
    """

    def __init__(
        self,
        bias: bool = False,
        residual: bool = False,
        low: float = -math.inf,
        high: float = math.inf,
        steps: Iterable[Step] = (),
    ) -> None:
        try:
            super().__init__(bias, residual, low, high, steps)
        except ValueError as error:
            raise WorkloadError(str(error)) from None

    def __str__(self) -> str:
        return "+".join([*(["bias"] if self.bias else []), *map(str, self.steps)]) or "none"

    @staticmethod
    def parse(text: str) -> Epilogue:
        """Parse what ``str`` gives. Raises WorkloadError naming what is not understood."""
        parts = [] if text == "none" else text.split("+")
        try:
            steps = [parse_step(part) for part in parts if part != "bias"]
        except ValueError as error:
            raise WorkloadError(f"epilogue '{text}': {error}") from None
        return Epilogue("bias" in parts, steps=steps)


@functools.cache
def channel_block(layout: str) -> int:
    """Channels per block of a blocked layout (16 for NCHW16c); 0 for any other text."""
    match = re.fullmatch(r"NCHW([1-9]\d*)c", layout)
    return int(match[1]) if match else 0


def data_shape(layout: str, batch: int, height: int, width: int, channels: int) -> tuple[int, ...]:
    """Shape of activations in a layout."""
    block = channel_block(layout)
    if block:
        return batch, -(-channels // block), height, width, block
    if layout == "NHWC":
        return batch, height, width, channels
    return batch, channels, height, width


def index(layout: str, n: Any, y: Any, x: Any, c: Any) -> tuple[Any, ...]:
    """Return the index of pixel (n, y, x), channel c in that layout; all are numbers or TVM's expressions."""
    block = channel_block(layout)
    if block:
        return n, c // block, y, x, c % block
    return (n, y, x, c) if layout == "NHWC" else (n, c, y, x)


def nhwc(layout: str, *at: Any) -> tuple[Any, ...]:
    """Return (n, y, x, c) of an element of activations of that layout; the inverse of ``index``."""
    block = channel_block(layout)
    if block:
        n, outer, y, x, inner = at
        return n, y, x, outer * block + inner
    if layout == "NHWC":
        return at
    n, c, y, x = at
    return n, y, x, c


@dataclass(frozen=True)
class Conv2dWorkload:
    """One 2-D convolution: shapes, strides, padding, dilation, groups, layouts and fused epilogue.

    Attributes:
        batch: Images.
        height: Rows of the input.
        width: Columns of the input.
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel: Height and width of the filter.
        strides: Of rows and of columns.
        padding: Top, left, bottom and right, in pixels.
        dilation: Of rows and of columns.
        groups: Groups of channels; the filter's input channels are ``in_channels / groups``.
        dtype: The input's type; 8-bit inputs have ``quantized``. In half precision input, filter, residual
            and output are of that type; bias, sums and epilogue are float32.
        data_layout: The input's layout: NHWC, NCHW, or blocked, as NCHW16c, whose shape is
            (N, ceil(C / 16), H, W, 16) and whose lanes beyond C are unspecified.
        filter_layout: The filter's: OIHW, HWIO or OHWI.
        epilogue: What is computed on each output element.
        out_layout: The layout of output and residual; the input's if it is left empty.
        quantized: The types of an 8-bit convolution.
        to_float32: Whether output and residual are float32 in half precision.
        storage: Of which larger tensors input and output are parts; the convolution is the same wherever its
            tensors lie.

    Examples:
        >>> import tvm_directconv as directconv
        >>> workload = directconv.Conv2dWorkload(1, 56, 56, 64, 128, kernel=(3, 3), strides=(2, 2))
        >>> workload.output_shape, workload.flops
        ((1, 27, 27, 128), 107495424)
        >>> directconv.Conv2dWorkload.parse(str(workload)) == workload
        True
    """

    batch: int
    height: int
    width: int
    in_channels: int
    out_channels: int
    kernel: tuple[int, int]
    strides: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    dtype: str = "float32"
    data_layout: str = "NHWC"
    filter_layout: str = "OIHW"
    epilogue: Epilogue = field(default_factory=Epilogue)
    out_layout: str = ""
    quantized: QuantizedTypes | None = None
    to_float32: bool = False
    storage: Storage = WHOLE

    def __post_init__(self) -> None:
        object.__setattr__(self, "out_layout", self.out_layout or self.data_layout)
        for name, length in (("kernel", 2), ("strides", 2), ("padding", 4), ("dilation", 2)):
            given = getattr(self, name)
            value = tuple(integer(each, name) for each in given) if isinstance(given, Iterable) else ()
            if len(value) != length:
                raise WorkloadError(f"{name} must have {length} numbers, got {given}")
            object.__setattr__(self, name, value)
        for name in ("batch", "height", "width", "in_channels", "out_channels", "groups"):
            object.__setattr__(self, name, integer(getattr(self, name), name))
            if known_less(getattr(self, name), 1):
                raise WorkloadError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("kernel", "strides", "dilation"):
            if min(getattr(self, name)) < 1:
                raise WorkloadError(f"{name} must be at least 1 in each direction, got {getattr(self, name)}")
        if min(self.padding) < 0:
            raise WorkloadError(f"padding must not be negative, got {self.padding}")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups:
                raise WorkloadError(f"{name} {getattr(self, name)} is not a multiple of groups {self.groups}")
        for name, known in (
            ("dtype", DTYPES),
            ("data_layout", DATA_LAYOUTS),
            ("out_layout", DATA_LAYOUTS),
            ("filter_layout", FILTER_LAYOUTS),
        ):
            text = str(getattr(self, name))  # a type may be numpy's
            object.__setattr__(self, name, text)
            if text not in known and not (known == DATA_LAYOUTS and channel_block(text)):
                raise WorkloadError(f"{name} '{text}' is not one of {', '.join(known)}")
        self._check_quantization()
        self.storage.check(self)
        self._check_channel_steps()
        if known_less(self.out_height, 1) or known_less(self.out_width, 1):
            raise WorkloadError(
                f"kernel {self.kernel} with dilation {self.dilation} does not fit the padded input "
                f"{self.height + self.padding[0] + self.padding[2]} x "
                f"{self.width + self.padding[1] + self.padding[3]}: the output would be empty"
            )
        for name, shape in (
            ("input", self.stored_input_shape),
            ("filter", self.filter_shape),
            ("output", self.stored_output_shape),
        ):
            if math.prod(shape) > MOST_ELEMENTS:
                raise WorkloadError(f"the {name} {shape} has more than {MOST_ELEMENTS} elements")

    def _check_quantization(self) -> None:
        q = self.quantized
        if self.to_float32 and self.dtype not in HALVES:
            raise WorkloadError(f"to_float32 is of half precision, and the dtype is '{self.dtype}'")
        if (q is not None) != (self.dtype in RANGES):
            raise WorkloadError(f"dtype '{self.dtype}' {'takes no' if q else 'needs a'} quantization")
        if q is None:
            return
        low, high = RANGES[self.dtype]
        if not low <= q.data_zero <= high:
            raise WorkloadError(f"zero point {q.data_zero} is outside of {self.dtype}")
        if self.epilogue.residual and q.out_dtype not in RANGES:
            raise WorkloadError(f"a residual is added to 8 bits, and the output is {q.out_dtype}")
        if q.out_dtype == "int32" and self.epilogue.steps:
            raise WorkloadError("int32 sums are not clipped, nor changed by other steps")

    def _check_channel_steps(self) -> None:
        """Check that the constants of steps are rows of a table behind the bias, in order."""
        steps, length = self.epilogue.per_channel, self.out_channels
        if steps and (self.quantized is not None or not self.epilogue.bias):
            raise WorkloadError(f"{steps[0].name} is of float convolutions with a bias")
        if [step.offset for step in steps] != [row * length for row in range(1, len(steps) + 1)]:
            raise WorkloadError(f"constants of {[*map(str, steps)]} are not rows of {length} in order")

    @property
    def bias_shape(self) -> tuple[int]:
        """The shape of the bias, or of the table whose first row it is: the other rows are constants of the
        steps that have one for each channel."""
        return ((1 + len(self.epilogue.per_channel)) * self.out_channels,)

    @property
    def table_row(self) -> int:
        """Elements of a row of 8-bit layers' table: biases, and with a residual the scales behind them."""
        return (2 if self.epilogue.residual else 1) * self.out_channels

    @property
    def out_dtype(self) -> str:
        """The type of the output's elements."""
        if self.quantized:
            return self.quantized.out_dtype
        return FLOAT32 if self.to_float32 else self.dtype

    @property
    def is_half(self) -> bool:
        """Return whether the tensors are of half precision."""
        return self.dtype in HALVES

    @property
    def out_bytes(self) -> int:
        """Return the bytes of an element of the output."""
        return element_bytes(self.out_dtype)

    @property
    def element_bytes(self) -> int:
        """Return the bytes of an element of the input, which are those of the filter's."""
        return element_bytes(self.dtype)

    @property
    def out_height(self) -> int:
        top, _, bottom, _ = self.padding
        reach = (self.kernel[0] - 1) * self.dilation[0] + 1
        return (self.height + top + bottom - reach) // self.strides[0] + 1

    @property
    def out_width(self) -> int:
        _, left, _, right = self.padding
        reach = (self.kernel[1] - 1) * self.dilation[1] + 1
        return (self.width + left + right - reach) // self.strides[1] + 1

    @property
    def is_depthwise(self) -> bool:
        """One input channel per group, and one filter per channel."""
        return self.groups > 1 and self.groups == self.in_channels == self.out_channels

    @property
    def input_shape(self) -> tuple[int, ...]:
        return data_shape(self.data_layout, self.batch, self.height, self.width, self.in_channels)

    @property
    def output_shape(self) -> tuple[int, ...]:
        return data_shape(self.out_layout, self.batch, self.out_height, self.out_width, self.out_channels)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Batch, height and width, which may be open (``extents.py``)."""
        return self.batch, self.height, self.width

    def at_typical_sizes(self) -> Conv2dWorkload:
        """Return the same convolution of open sizes where these are typical."""
        return self.of_sizes(typical(self.sizes)) if is_open(self.sizes) else self

    def of_sizes(self, sizes: tuple[int, int, int]) -> Conv2dWorkload:
        """Return the same convolution of another batch, height and width."""
        batch, height, width = sizes
        return replace(self, batch=batch, height=height, width=width)

    def of_whole_tensors(self) -> Conv2dWorkload:
        """Return the same convolution that reads and writes tensors of its own."""
        return replace(self, storage=WHOLE)

    @property
    def data_slice(self) -> tuple[int, int]:
        """The first of the input's channels in a pixel of the tensor that is read, and how many that has."""
        return self.storage.data_part or (0, self.in_channels)

    @property
    def out_slice(self) -> tuple[int, int]:
        """The first of the output's channels in a pixel of the tensor that is written, and how many that
        has."""
        return self.storage.out_part or (0, self.out_channels)

    @property
    def stored_input_shape(self) -> tuple[int, ...]:
        """The shape of the tensor that the function is given."""
        frames = self.storage.frames
        if frames is not None:
            videos, channels = self.batch // frames.count, self.in_channels // frames.taps
            return videos * frames.depth, self.height, self.width, channels
        return data_shape(self.data_layout, self.batch, self.height, self.width, self.data_slice[1])

    @property
    def stored_output_shape(self) -> tuple[int, ...]:
        """The shape of the tensor that the function writes to."""
        return data_shape(self.out_layout, self.batch, self.out_height, self.out_width, self.out_slice[1])

    @property
    def filter_shape(self) -> tuple[int, int, int, int]:
        oihw = (self.out_channels, self.in_channels // self.groups, *self.kernel)
        sizes = dict(zip("OIHW", oihw, strict=True))
        o, i, h, w = (sizes[axis] for axis in self.filter_layout)
        return o, i, h, w

    @property
    def flops(self) -> int:
        """2 x multiply-adds of the naive definition; padded taps are counted, as papers do."""
        taps = self.kernel[0] * self.kernel[1] * (self.in_channels // self.groups)
        return 2 * self.batch * self.out_height * self.out_width * self.out_channels * taps

    def with_epilogue(self, epilogue: Epilogue) -> Conv2dWorkload:
        return replace(self, epilogue=epilogue)

    def in_layouts(self, data_layout: str, out_layout: str = "") -> Conv2dWorkload:
        """Return the same convolution on activations in these layouts. A tensor that is copied for that lies
        by itself."""
        out_layout = out_layout or data_layout
        if (data_layout, out_layout) == (self.data_layout, self.out_layout):
            return self
        storage = self.storage
        if data_layout != self.data_layout:
            storage = replace(storage, data_part=None, frames=None)
        if out_layout != self.out_layout:
            storage = replace(storage, out_part=None)
        return replace(self, data_layout=data_layout, out_layout=out_layout, storage=storage)

    def __str__(self) -> str:
        text = text_of(self)
        return text if self.epilogue == Epilogue() else f"{text}_{self.epilogue}"

    @staticmethod
    def of(workload: Conv2dWorkload | str) -> Conv2dWorkload:
        """Return the workload given, or the one of its descriptor; raise WorkloadError for anything else."""
        if isinstance(workload, str):
            return Conv2dWorkload.parse(workload)
        if not isinstance(workload, Conv2dWorkload):
            raise WorkloadError(f"a layer is a Conv2dWorkload or its descriptor, not {workload!r}")
        return workload

    @staticmethod
    def parse(text: str) -> Conv2dWorkload:
        """Parse a descriptor string, the inverse of ``str``. Raises WorkloadError."""
        fields = fields_of(text)
        return Conv2dWorkload(**{**fields, "epilogue": Epilogue.parse(fields["epilogue"])})
