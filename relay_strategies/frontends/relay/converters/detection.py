"""Operators of Relay that keep some of many boxes. Definitions: relay.vision."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.functional import detection
from relay_strategies.functional.movement import BEYOND
from relay_strategies.functional.proposals import Proposals, anchors_of, proposals

from .call import Converter, OperatorCall, Value
from .vision import numbers


def _all_class_suppression(call: OperatorCall) -> Value:
    corners, scores = call.data(0), call.data(1)
    call.rank(scores, 3)
    most, overlap, least = (call.constant(number).reshape(()).item() for number in (2, 3, 4))
    kind = call.text("output_format", "onnx")
    kinds = {"onnx": detection.left_of_all_classes, "tensorflow": detection.left_by_image}
    if kind not in kinds:
        raise call.error(f"output_format '{kind}' is neither onnx nor tensorflow")
    if overlap <= 0:
        raise call.error(f"iou_threshold={overlap} leaves no box; a positive one is expected")
    # Here equal shares are too much already.
    below = float(np.nextafter(np.float32(overlap), np.float32(0)))
    return kinds[kind](call, corners, scores, int(most) if most > 0 else BEYOND, below, float(least))


def _regular_suppression(call: OperatorCall) -> Value:
    """The classes are the last of those with scores, behind the background."""
    corners, scores = call.data(0), call.data(1)
    *_, given = call.rank(scores, 3)
    classes = call.integer("num_classes")
    if not 0 < classes <= given:
        raise call.error(f"num_classes={classes} of {given} with scores")
    real = call.emit(relax.op.strided_slice(scores, [2], [given - classes], [given]))
    return detection.best_of_all_classes(
        call,
        corners,
        call.emit(relax.op.permute_dims(real, [0, 2, 1])),
        call.integer("max_detections_per_class"),
        call.integer("max_detections"),
        call.number("iou_threshold"),
        call.number("score_threshold"),
    )


def _proposal(call: OperatorCall) -> Value:
    """The second half of the channels are the scores of regions, the first those of their background."""
    chances, deltas, images = (call.data(number) for number in range(3))
    _, channels, *_ = call.rank(chances, 4)
    step = call.integer("feature_stride", 16)
    scales, ratios = numbers(call, "scales", (4.0, 8.0, 16.0, 32.0)), numbers(call, "ratios", (0.5, 1.0, 2.0))
    anchors = anchors_of(scales, ratios, step)
    if channels != 2 * len(anchors) or call.rank(deltas, 4)[1] != 4 * len(anchors):
        raise call.error(f"{channels} channels do not fit {len(anchors)} anchors")
    wanted = Proposals(
        anchors,
        step,
        overlap=call.number("threshold", 0.7),
        looked_at=call.integer("rpn_pre_nms_top_n", 6000),
        most=call.integer("rpn_post_nms_top_n", 300),
        least_side=call.number("rpn_min_size", 16),
        adds=call.flag("iou_loss", False),
    )
    scores = call.emit(relax.op.strided_slice(chances, [1], [len(anchors)], [channels]))
    return proposals(call, scores, deltas, images, wanted)


CONVERTERS: dict[str, Converter] = {
    "vision.all_class_non_max_suppression": _all_class_suppression,
    "vision.regular_non_max_suppression": _regular_suppression,
    "vision.proposal": _proposal,
}
