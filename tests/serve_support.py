"""Requests to the example server, by the open inference protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "examples" / "serve"
INFER = "/v2/models/model/infer"


def request(array: np.ndarray, **fields: Any) -> bytes:
    """Return an inference request of the input x, in JSON."""
    described = {"name": "x", "shape": list(array.shape), "datatype": "FP32", "data": array.ravel().tolist()}
    return json.dumps({"inputs": [described | fields]}).encode()


def answered(content: bytes) -> np.ndarray:
    """Return the only output of an answer in JSON."""
    (output,) = json.loads(content)["outputs"]
    return np.array(output["data"], np.float32).reshape(output["shape"])
