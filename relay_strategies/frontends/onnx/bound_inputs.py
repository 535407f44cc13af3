"""Inputs that stay what they are: bound to values before anything is folded, they are constants.

What decides between branches, or says a shape, compiles so: a speech model's sampling rate, the number of a
loop's rounds.
"""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

from relay_strategies.frontends.parameters import ParamsSource, load_params
from tvm_directconv.errors import ModelError, nearest
from tvm_directconv.zoo.inputs import true_inputs

from .nodes import onnx_dims


def bind_inputs(model: ModelProto, params: ParamsSource) -> ModelProto:
    """Return the model with these of its inputs as initializers; a number alone is of any rank.

    Raises ModelError for a name that is not an input's, and for values of other types or shapes.
    """
    arrays = load_params(params)
    inputs = {value.name: value for value in true_inputs(model.graph)}
    unknown = [name for name in arrays if name not in inputs]
    if unknown:
        raise ModelError(f"params has '{unknown[0]}', no input of the model{nearest(unknown[0], inputs)}")
    bound = ModelProto()
    bound.CopyFrom(model)
    for name, array in arrays.items():
        bound.graph.initializer.append(numpy_helper.from_array(_fitting(inputs[name], array), name))
        bound.graph.input.remove(inputs[name])
    return bound


def _fitting(value: ValueInfoProto, array: np.ndarray) -> np.ndarray:
    """The array as the input declares it."""
    what = f"params['{value.name}'] ({array.dtype}, {list(array.shape)})"
    element = value.type.tensor_type.elem_type
    if element in (TensorProto.UNDEFINED, TensorProto.STRING):
        raise ModelError(f"{what}: the input is not a tensor of numbers")
    wanted, dims = helper.tensor_dtype_to_np_dtype(element), onnx_dims(value)
    with np.errstate(invalid="ignore"):
        cast = array.astype(wanted)
    if wanted.kind in "biu" and not np.array_equal(cast, array):
        raise ModelError(f"{what}: the input is of {wanted}, which does not hold it")
    if dims is not None and not array.ndim:
        cast = cast.reshape((1,) * len(dims))
    given = cast.shape
    known = dims is None or (
        len(dims) == len(given)
        and all(isinstance(dim, str) or dim == size for dim, size in zip(dims, given, strict=True))
    )
    if not known:
        raise ModelError(f"{what}: the input has shape {list(dims or ())}")
    return cast
