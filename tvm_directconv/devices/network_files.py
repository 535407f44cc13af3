"""A device's network as a folder that any host can run, and read back: docs/gpu.md has the format.

``kernels.cl`` is the source, ``weights.bin`` the bytes of all constants, and ``network.json`` the launch
list, which says of every buffer how large it is and where in the weights it begins, if it does.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tvm_directconv.errors import DirectConvError, ModelError, let_through
from tvm_directconv.files import path_of, read_file
from tvm_directconv.memory import ALIGNMENT

from .device_program import Step
from .network import DeviceNetwork, DeviceTensor
from .source import Launch

FORMAT = 1
LIST, WEIGHTS = "network.json", "weights.bin"
SOURCES = {"opencl": "kernels.cl", "cuda": "kernels.cu"}


def write_network(network: DeviceNetwork, folder: str | os.PathLike[str]) -> None:
    """Write a network as a folder that does not exist yet, or is empty; all of it or nothing.

    Raises DirectConvError for a folder that has something in it, or cannot be written.
    """
    path = path_of(folder, "the folder to write", DirectConvError)
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise DirectConvError(f"'{path}' exists; give a new folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            _fill(network, made)
            made.chmod(0o755)
            made.replace(path)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    except OSError as error:
        let_through(error)
        raise DirectConvError(f"cannot write '{path}': {error.strerror}") from None


def _fill(network: DeviceNetwork, folder: Path) -> None:
    offsets: dict[int, int] = {}
    with (folder / WEIGHTS).open("wb") as file:
        for number, array in network.constants.items():
            file.write(b"\0" * (-file.tell() % ALIGNMENT))  # so that a host may map the file for the device
            offsets[number] = file.tell()
            file.write(np.ascontiguousarray(array).tobytes())
    source = SOURCES[network.target.split()[0]]
    (folder / source).write_text(network.source)
    fields = {
        "format": FORMAT,
        "target": network.target,
        "source": source,
        "weights": WEIGHTS,
        "buffers": [
            {"bytes": size} | ({"offset": offsets[number]} if number in offsets else {})
            for number, size in enumerate(network.buffers)
        ],
        "inputs": [asdict(tensor) | {"bytes": tensor.size} for tensor in network.inputs],
        "outputs": [asdict(tensor) | {"bytes": tensor.size} for tensor in network.outputs],
        "steps": [
            {
                "kernel": step.launch.kernel,
                "buffers": list(step.buffers),
                "global": list(step.launch.items),
                "local": list(step.launch.group),
            }
            for step in network.steps
        ],
        "facts": dict(network.facts),
    }
    (folder / LIST).write_text(json.dumps(fields, indent=1) + "\n")


def read_network(folder: str | os.PathLike[str]) -> DeviceNetwork:
    """Return the network that a folder holds. Raises ModelError for anything else, naming what is wrong."""
    path = path_of(folder, "the folder to load", ModelError)
    text = read_file(path / LIST, f"'{path / LIST}'", ModelError)
    try:
        fields = json.loads(text)
        if fields["format"] != FORMAT:
            raise ModelError(f"'{path}' has format {fields['format']}, not {FORMAT}; compile the model again")
        weights = read_file(path / str(fields["weights"]), f"'{path}', weights", ModelError)
        source = read_file(path / str(fields["source"]), f"'{path}', source", ModelError).decode()
        buffers = tuple(int(buffer["bytes"]) for buffer in fields["buffers"])
        network = DeviceNetwork(
            str(fields["target"]),
            source,
            buffers,
            {
                number: _part(weights, int(buffer["offset"]), buffers[number])
                for number, buffer in enumerate(fields["buffers"])
                if "offset" in buffer
            },
            tuple(map(_tensor, fields["inputs"])),
            tuple(map(_tensor, fields["outputs"])),
            tuple(map(_step, fields["steps"])),
            dict(fields["facts"]),
        )
        _check(network)
    except ModelError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        let_through(error)
        raise ModelError(f"'{path}' is not a network exported by tvm-directconv: {error!r}") from None
    return network


def _check(network: DeviceNetwork) -> None:
    tensors = (*network.inputs, *network.outputs)
    used = [(tensor.buffer, tensor.size) for tensor in tensors]
    used += [(number, 0) for step in network.steps for number in step.buffers]
    for number, size in used:
        if not 0 <= number < len(network.buffers) or size > network.buffers[number]:
            raise ValueError(f"buffer {number} is not there, or too small")


def _part(weights: bytes, offset: int, size: int) -> np.ndarray:
    if not 0 <= offset <= offset + size <= len(weights):
        raise ValueError(f"weights end at {len(weights)}, before {offset + size}")
    return np.frombuffer(weights, np.uint8, size, offset)


def _tensor(fields: dict[str, Any]) -> DeviceTensor:
    np.dtype(fields["dtype"])
    return DeviceTensor(
        str(fields["name"]), tuple(map(int, fields["shape"])), str(fields["dtype"]), int(fields["buffer"])
    )


def _step(fields: dict[str, Any]) -> Step:
    group, items = (tuple(map(int, fields[name])) for name in ("local", "global"))
    if len(group) != 3 or len(items) != 3 or min(*group, *items) < 1:
        raise ValueError(f"kernel '{fields['kernel']}' does not have three sizes")
    groups = tuple(count // size for count, size in zip(items, group, strict=True))
    launch = Launch(str(fields["kernel"]), (), groups, group)  # type: ignore[arg-type]
    return Step(launch, tuple(map(int, fields["buffers"])))
