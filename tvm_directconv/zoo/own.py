"""The project's own networks: what the light ones are not, as small as it can be, with seeded weights.

A U-Net with transposed convolutions (Ronneberger, Fischer and Brox 2015), a detector built as YOLOv8's
smallest (SiLU, split and joined branches, upsampling, boxes decoded in the graph), a network that listens for
keywords in samples of sound (M5 of Dai and others 2017), and a network over videos (R3D-18 of Tran and others
2018, with a quarter of its channels).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx

from .drawing import Drawing, Tensor


def unet(seed: int = 0, size: int = 256, width: int = 32, classes: int = 2) -> onnx.ModelProto:
    """Classes of pixels, of images of ``size`` x ``size``, a multiple of 16: four times down and up, from
    ``width`` channels."""
    d = Drawing("unet", 2, seed)

    def twice(x: Tensor, channels: int) -> Tensor:
        for _ in range(2):
            x = d.relu(d.normalized(d.convolution(x, channels, 3, bias=False)))
        return x

    x = twice(d.input("image", (1, 3, size, size)), width)
    passed = []
    for level in range(1, 5):
        passed.append(x)
        x = twice(d.largest(x, 2, 2), width << level)
    for before in reversed(passed):
        up = d.transposed(x, before.channels, 2)
        x = twice(d.concatenated(before, up), before.channels)
    return d.model(d.convolution(x, classes, 1))


def detector(seed: int = 0, size: int = 640, width: int = 16, classes: int = 80) -> onnx.ModelProto:
    """Boxes (left, top, right, bottom, and one score for each class) over images of ``size`` pixels, a
    multiple of 32, from ``width`` channels."""
    d = Drawing("detector", 2, seed)

    def layer(x: Tensor, channels: int, kernel: int = 1, stride: int = 1) -> Tensor:
        return d.silu(d.convolution(x, channels, kernel, stride))

    def branches(x: Tensor, channels: int, count: int, adds: bool) -> Tensor:
        """One half goes through, the other through ``count`` bottlenecks; all of it is joined."""
        half = channels // 2
        parts = d.nodes("Split", [layer(x, channels), np.array([half, half])], [half, half], axis=1)
        for _ in range(count):
            inner = layer(layer(parts[-1], half, 3), half, 3)
            parts.append(d.add(parts[-1], inner) if adds else inner)
        return layer(d.concatenated(*parts), channels)

    def pyramid(x: Tensor) -> Tensor:
        """Maxima over ever larger windows."""
        parts = [layer(x, x.channels // 2)]
        for _ in range(3):
            parts.append(d.largest(parts[-1], 5, 1, 2))
        return layer(d.concatenated(*parts), x.channels)

    def up(x: Tensor) -> Tensor:
        scales = np.array([1, 1, 2, 2], np.float32)
        modes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return d.node("Resize", [x, None, scales], x.channels, mode="nearest", **modes)

    x = layer(layer(d.input("image", (1, 3, size, size)), width, 3, 2), 2 * width, 3, 2)
    x = branches(x, 2 * width, 1, True)
    found = []
    for channels, count in ((4 * width, 2), (8 * width, 2), (16 * width, 1)):
        x = branches(layer(x, channels, 3, 2), channels, count, True)
        found.append(x)
    fine, middle, coarse = found[0], found[1], pyramid(found[2])
    middle = branches(d.concatenated(up(coarse), middle), 8 * width, 1, False)
    fine = branches(d.concatenated(up(middle), fine), 4 * width, 1, False)
    middle = branches(d.concatenated(layer(fine, 4 * width, 3, 2), middle), 8 * width, 1, False)
    coarse = branches(d.concatenated(layer(middle, 8 * width, 3, 2), coarse), 16 * width, 1, False)
    return d.model(_boxes(d, layer, [fine, middle, coarse], size, classes))


BINS = 16
"""A box's side is a mean over as many distances, weighted by a softmax."""


def _boxes(
    d: Drawing, layer: Callable[..., Tensor], maps: Sequence[Tensor], size: int, classes: int
) -> Tensor:
    """(1, 4 + classes, positions) of maps whose pixels are 8, 16 and 32 of the image wide."""
    inner, outer = max(16, maps[0].channels // 4, 4 * BINS), max(maps[0].channels, classes)
    sides, scores, anchors, strides = [], [], [], []
    for x, stride in zip(maps, (8, 16, 32), strict=True):
        across = size // stride
        box = d.convolution(layer(layer(x, inner, 3), inner, 3), 4 * BINS, 1)
        score = d.convolution(layer(layer(x, outer, 3), outer, 3), classes, 1)
        sides.append(d.reshaped(box, 1, 4 * BINS, across * across))
        scores.append(d.reshaped(score, 1, classes, across * across))
        rows, columns = np.meshgrid(np.arange(across), np.arange(across), indexing="ij")
        anchors.append(np.stack([columns, rows]).reshape(2, -1) + 0.5)
        strides.append(np.full((1, across * across), stride))
    positions = sum(anchor.shape[1] for anchor in anchors)

    def joined(parts: list[Tensor], channels: int) -> Tensor:
        return d.node("Concat", parts, channels, axis=2)

    bins = d.reshaped(joined(sides, 4 * BINS), 1, 4, BINS, positions)
    weights = d.node("Softmax", [d.node("Transpose", [bins], BINS, perm=[0, 2, 1, 3])], BINS, axis=1)
    distances = np.arange(BINS, dtype=np.float32).reshape(1, BINS, 1, 1)
    means = d.reshaped(d.node("Conv", [weights, distances], 1), 1, 4, positions)
    before, after = d.nodes("Split", [means, np.array([2, 2])], [2, 2], axis=1)
    center = np.concatenate(anchors, 1).astype(np.float32)[None]
    corners = [d.node("Sub", [center, before], 2), d.node("Add", [after, center], 2)]
    pixels = np.concatenate(strides, 1).astype(np.float32)[None]
    boxes = d.node("Mul", [d.concatenated(*corners), pixels], 4)
    return d.concatenated(boxes, d.node("Sigmoid", [joined(scores, classes)], classes))


def keyword_1d(seed: int = 0, samples: int = 16000, width: int = 128, classes: int = 35) -> onnx.ModelProto:
    """Log-probabilities of keywords, of so many ``samples`` of sound, from ``width`` channels."""
    d = Drawing("keyword_1d", 1, seed)
    x = d.input("sound", (1, 1, samples))
    for channels, kernel, stride in ((width, 80, 4), (width, 3, 1), (2 * width, 3, 1), (4 * width, 3, 1)):
        x = d.convolution(x, channels, kernel, stride, 0 if kernel == 80 else 1)
        x = d.largest(d.relu(d.normalized(x)), 4, 4)
    scores = d.classified(x, classes)
    return d.model(d.node("LogSoftmax", [scores], classes, axis=1))


def video_3d(
    seed: int = 0, frames: int = 16, size: int = 112, width: int = 16, classes: int = 400
) -> onnx.ModelProto:
    """Scores of classes of videos of so many ``frames`` of ``size`` pixels, from ``width`` channels."""
    d = Drawing("video_3d", 3, seed)

    def layer(x: Tensor, channels: int, kernel: Sequence[int] | int, stride: Sequence[int] | int) -> Tensor:
        return d.normalized(d.convolution(x, channels, kernel, stride, bias=False))

    x = d.relu(layer(d.input("video", (1, 3, frames, size, size)), width, (3, 7, 7), (1, 2, 2)))
    for level in range(4):
        for block in range(2):
            channels, stride = width << level, 2 if level and not block else 1
            inner = layer(d.relu(layer(x, channels, 3, stride)), channels, 3, 1)
            around = x if stride == 1 else layer(x, channels, 1, stride)
            x = d.relu(d.add(inner, around))
    return d.model(d.classified(x, classes))


NETWORKS: dict[str, Callable[..., onnx.ModelProto]] = {
    "unet": unet,
    "detector": detector,
    "keyword_1d": keyword_1d,
    "video_3d": video_3d,
}
"""Networks by name; each takes a seed, and sizes that are its own."""
