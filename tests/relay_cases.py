"""Relay operators over their attributes: bodies, and what they should compute, by families.

References are numpy's, or ONNX Runtime's where ONNX has the operator. All cases of a family share the
family's tensors and are compiled as one module, which returns a tuple.
"""

from __future__ import annotations

from collections.abc import Callable

from relay_case_support import Family
from relay_indexing_cases import detections, further, images, indexing
from relay_later_cases import losses, rarities, sparse_tensors, transforms
from relay_layer_cases import convolutions, dimensions, matrices, pools, resizes, transposed_convolutions
from relay_tensor_cases import elements, movements, normalizations

FAMILIES: dict[str, Callable[[], Family]] = {
    "convolutions": convolutions,
    "transposed convolutions": transposed_convolutions,
    "one and three dimensions": dimensions,
    "matrices": matrices,
    "pools": pools,
    "elements": elements,
    "movements": movements,
    "normalizations": normalizations,
    "resizes": resizes,
    "indexing": indexing,
    "further operators": further,
    "images": images,
    "detections": detections,
    "sparse tensors": sparse_tensors,
    "transforms": transforms,
    "losses": losses,
    "rarities": rarities,
}
