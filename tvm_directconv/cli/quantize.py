"""``tvm-directconv quantize``: an ONNX model in 8 bits, by ONNX Runtime's quantizer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tvm_directconv.errors import InputError

from .console import print_json, progress
from .inputs import read_array, read_arrays
from .options import NewFile, batch_option, json_option, only_size, shapes_option

if TYPE_CHECKING:
    import numpy as np
    import onnx

    from .options import Batches, Sizes

SUFFIXES = (".npy", ".npz")
JUDGED = 4
"""The quantized model's error is taken on so many inputs."""


@click.command()
@click.argument("model")
@click.option("-o", "--output", required=True, type=NewFile(), help="ONNX file to write.")
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="Inputs to calibrate on: .npz by name, .npy of a single input, or a folder of them.",
)
@click.option(
    "--draws", type=click.IntRange(1), default=2, show_default=True, help="Random inputs, without --data."
)
@click.option("--format", type=click.Choice(["QDQ", "QOperator"]), default="QDQ", show_default=True)
@click.option("--per-tensor", is_flag=True, help="One scale for a filter, not one for each output channel.")
@click.option("--reduce-range", is_flag=True, help="Weights of 7 bits, for runtimes whose sums saturate.")
@shapes_option
@batch_option
@json_option
def quantize(
    model: str,
    output: Path,
    data: Path | None,
    draws: int,
    format: str,
    per_tensor: bool,
    reduce_range: bool,
    shapes: Sizes,
    batch: Batches,
    as_json: bool,
) -> None:
    """Quantize an ONNX MODEL to 8 bits by onnxruntime.

    Activations become uint8, weights int8, with scales that are calibrated on --data, the model's real
    inputs: scales of random ones serve for measuring time. Printed is how far answers differ from the
    float32 model's on up to four of these inputs, relative to the largest value.
    """
    from relay_strategies.compiler.sizes import with_size
    from tvm_directconv import zoo
    from tvm_directconv.files import write_atomically
    from tvm_directconv.text import bytes_label
    from tvm_directconv.zoo import quantized

    with progress(f"reading {model}") as phase:
        source = zoo.resolve_model(model)
        original = (
            zoo.read_onnx(source) if isinstance(source, Path) else zoo.load_model(source, on_phase=phase)
        )
        original = with_size(original, *only_size(shapes, batch))
        if quantized.is_quantized(original):
            raise InputError(f"'{model}' is in 8 bits already")
        phase("folding batch normalization")
        prepared = quantized.prepare(original)
        images = list(quantized.drawn_images(prepared, draws)) if data is None else _read_data(prepared, data)
        phase(f"calibrating on {len(images)} inputs and quantizing")
        narrow = quantized.quantize(
            prepared, format, not per_tensor, reduce_range=reduce_range, images=images
        )
        phase("comparing")
        error = _error(original, narrow, images[:JUDGED])
        content = narrow.SerializeToString()
        write_atomically(output, content)
    facts = {"file": str(output), "bytes": len(content), "inputs": len(images), "relative_error": error}
    if as_json:
        print_json(facts)
        return
    origin = "random inputs" if data is None else "inputs"
    before = bytes_label(original.ByteSize())
    click.echo(
        f"{output}: {bytes_label(len(content))} ({before} before), calibrated on {len(images)} {origin}"
    )
    click.echo(f"answers differ from the float32 model's by up to {error:.2%} of the largest value")


# ---- helpers


def _read_data(model: onnx.ModelProto, path: Path) -> list[dict[str, np.ndarray]]:
    """Return the inputs by name of each file; InputError where they are not what the model takes."""
    from tvm_directconv.zoo.inputs import true_inputs

    names = [value.name for value in true_inputs(model.graph)]
    files = sorted(each for each in path.iterdir() if each.suffix in SUFFIXES) if path.is_dir() else [path]
    if not files:
        raise InputError(f"--data '{path}': the folder does not have .npy or .npz files")
    images = []
    for file in files:
        where = f"--data '{file}'"
        if file.suffix == ".npz":
            values = read_arrays(file, where)
        elif len(names) == 1:
            values = {names[0]: read_array(file, where)}
        else:
            raise InputError(f"{where}: the model has {len(names)} inputs; give .npz files with {names}")
        if values.keys() != set(names):
            raise InputError(f"{where} has {sorted(values)}, and the model's inputs are {names}")
        images.append(values)
    return images


def _error(original: onnx.ModelProto, narrow: onnx.ModelProto, images: list[dict[str, np.ndarray]]) -> float:
    """Return the largest difference of the float outputs, over the largest value."""
    import numpy as np

    from tvm_directconv.bench.problems import NetworkProblem
    from tvm_directconv.bench.quantized_problems import QuantizedNetworkProblem

    exact = NetworkProblem("original", original, {})
    rounded = QuantizedNetworkProblem("quantized", narrow, {})
    largest, differs = 0.0, 0.0
    for image in images:
        for right, found in zip(exact.reference_of(image), rounded.reference_of(image), strict=True):
            if right.dtype.kind == "f" and right.size:
                largest = max(largest, float(np.abs(right).max()))
                differs = max(differs, float(np.abs(right - found).max()))
    return differs / (largest or 1.0)
