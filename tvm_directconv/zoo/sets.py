"""Sets of networks by name: ``modern`` and ``light``, and each in 8 bits, as ``modern_int8``.

Where several networks are taken, a set's name stands for all of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from .networks import SUFFIX, list_models

MODERN = (
    *(
        f"torchvision:{name}"
        for name in (
            *("resnet18", "resnext50_32x4d", "mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0"),
            *("regnet_y_400mf", "convnext_tiny", "shufflenet_v2_x1_0", "mnasnet1_0", "googlenet"),
            *("inception_v3", "vgg16_bn", "deeplabv3_mobilenet_v3_large", "fcn_resnet50"),
            *("swin_t", "vit_b_16"),
        )
    ),
    *(f"timm:{name}" for name in ("efficientnet_lite0", "mobilenetv4_conv_small", "repvgg_a0")),
    *("detector", "unet"),
)
"""What people compile today: classifiers of torchvision and timm, segmentation, detection, transformers."""

SETS: Mapping[str, Callable[[], Iterable[str]]] = {"light": list_models, "modern": lambda: MODERN}

Named = TypeVar("Named")


def members(name: str) -> tuple[str, ...]:
    """Return the networks of a set, in order; none if no set has this name, or a file does."""
    of = SETS.get(name.removesuffix(SUFFIX))
    if of is None or Path(name).is_file():
        return ()
    return tuple(network + name[len(name.removesuffix(SUFFIX)) :] for network in of())


def expanded(networks: Sequence[Named | str]) -> list[Named | str]:
    """Return the same networks, each once, sets among them replaced by their members."""
    found: list[Named | str] = []
    for network in networks:
        parts = members(network) if isinstance(network, str) else ()
        found += [part for part in parts or (network,) if not isinstance(part, str) or part not in found]
    return found
