"""Networks with open dimensions, compiled once, run at drawn sizes and compared with ONNX Runtime.

    cd tests && python -m fuzz.open_sizes results.jsonl torchvision:resnet18@96 timm:repvgg_a0@64

exports each with open batch, height and width, compiles it once at the size that its name gives, runs it at
drawn sizes, and appends a line to the file. Networks that the file has are left out. ``--drawn 20`` takes so
many networks of torchvision and timm, ``--fixed`` compiles the typical size alone, too, ``--table`` prints
what the file says. ONNX files may be given, with ``--typical``. Needs torch, torchvision and timm.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import tvm_directconv as directconv
from tvm_directconv.errors import DirectConvError
from tvm_directconv.zoo.libraries import build, parse

SECONDS = 400
"""A network may take so long."""
TOLERANCE = 1e-4
"""Largest difference, relative to the largest magnitude of a result."""
SMALL = 20_000_000
"""Networks that are drawn have fewer parameters."""


def drawn_names(count: int, seed: int, size: int) -> list[str]:
    """Names of so many networks of torchvision and timm, from a seed."""
    import timm
    import torchvision

    names = [f"torchvision:{name}" for name in torchvision.models.list_models(module=torchvision.models)]
    names += [f"timm:{name}" for name in timm.list_models()]
    random.Random(seed).shuffle(names)
    return [f"{name}@{size}" for name in names[: 4 * count]][:count]


def exported(name: str) -> onnx.ModelProto:
    """A network of a library with open batch, height and width."""
    import torch

    module, inputs = build(parse(name))
    if sum(weights.numel() for weights in module.parameters()) > SMALL:
        raise ValueError("it is large")
    written = io.BytesIO()
    axes = {0: "n", 2: "h", 3: "w"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, inputs, written, dynamo=False, opset_version=17, input_names=["x"], output_names=["y"],
            dynamic_axes={"x": axes},
        )  # fmt: skip
    return onnx.load_from_string(written.getvalue())


def sizes_near(typical: dict[str, int], count: int, seed: int) -> list[dict[str, int]]:
    """Drawn sizes: the typical one, near it, odd ones, primes, larger batches."""
    rng = random.Random(seed)
    drawn = [dict(typical)]
    for _ in range(count - 1):
        near = {name: max(1, round(size * rng.uniform(0.6, 1.7))) for name, size in typical.items()}
        drawn.append({name: rng.randint(1, 5) if typical[name] == 1 else size for name, size in near.items()})
    return drawn


def run(name: str, typical: dict[str, int], count: int, fixed: bool, seed: int = 0) -> dict[str, Any]:
    """What became of one network."""
    if ":" in name and not Path(name).exists():
        size = parse(name).size or (224, 224)
        model, typical = exported(name), {"n": 1, "h": size[0], "w": size[1]}
    else:
        model = onnx.load(name)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    record: dict[str, Any] = {"name": name}
    start = time.perf_counter()
    try:
        compiled = directconv.compile(model, typical={k: v for k, v in typical.items() if v > 1}, cache=False)
    except DirectConvError as error:
        return record | {"state": "refused", "why": str(error)}
    record |= {"seconds": time.perf_counter() - start, "open": compiled.sizes[0].is_open}
    record["conditions"] = [str(condition) for condition in compiled.sizes[0].conditions]
    if fixed:
        start = time.perf_counter()
        directconv.compile(model, shapes=shapes_of(session, typical), cache=False)
        record["fixed_seconds"] = time.perf_counter() - start
    worst, wrong, refused, ours, theirs = 0.0, [], [], [], []
    rng = np.random.default_rng(seed)
    for sizes in sizes_near(typical, count, seed):
        given = {
            value.name: drawn_values(rng, shapes_of(session, sizes)[value.name], value.type)
            for value in session.get_inputs()
        }
        try:
            start = time.perf_counter()
            expected = session.run(None, given)
            theirs.append(time.perf_counter() - start)
        except Exception:  # the model excludes it
            continue
        before = len(compiled.sizes)
        try:
            compiled.run(given)
            start = time.perf_counter()
            results = compiled.run(given)
            ours.append(time.perf_counter() - start)
        except DirectConvError as error:
            refused.append(f"{sizes}: {error}")
            continue
        record["compiled_later"] = record.get("compiled_later", 0) + len(compiled.sizes) - before
        error = max(deviation(*pair) for pair in zip(results, expected, strict=True))
        worst = max(worst, error)
        if not error <= TOLERANCE:
            wrong.append(f"{sizes}: {error:.2g}")
    ratio = float(np.median(np.array(ours) / theirs)) if len(ours) == len(theirs) and ours else None
    state = "wrong" if wrong else "refused" if refused else "right"
    record |= {"state": state, "why": "; ".join([*wrong, *refused]), "error": worst, "ratio": ratio}
    return record


def shapes_of(session: Any, sizes: dict[str, int]) -> dict[str, tuple[int, ...]]:
    return {
        value.name: tuple(sizes[dim] if isinstance(dim, str) else dim for dim in value.shape)
        for value in session.get_inputs()
    }


def drawn_values(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> np.ndarray:
    if "int" in kind:
        return rng.integers(0, 2, shape).astype(kind.removeprefix("tensor(").removesuffix(")"))
    return rng.standard_normal(shape).astype(np.float32)


def deviation(ours: np.ndarray, theirs: np.ndarray) -> float:
    if ours.shape != theirs.shape:
        return float("inf")
    if not theirs.size:
        return 0.0
    scale = max(float(np.abs(theirs).max()), 1e-6)
    return float(np.abs(ours.astype(np.float64) - theirs).max()) / scale


def table(path: Path) -> None:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        ratio = record.get("seconds", 0) / record["fixed_seconds"] if record.get("fixed_seconds") else 0
        print(
            f"{record['name']:45} {record['state']:8} later {record.get('compiled_later', 0):2} "
            f"error {record.get('error', 0):.1e} over ORT {record.get('ratio') or 0:.2f} "
            f"compile {record.get('seconds', 0):.1f} s, {ratio:.1f} of fixed  {record.get('why', '')[:300]}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--drawn", type=int, default=0, help="so many networks more, drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=96, help="typical height and width of drawn networks")
    parser.add_argument("--count", type=int, default=15, help="sizes of each")
    parser.add_argument("--typical", default="", help="of ONNX files, as n=1,h=224")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    typical = {k: int(v) for k, _, v in (each.partition("=") for each in given.typical.split(",") if each)}
    if given.table:
        table(given.file)
        return
    if given.one:
        print(json.dumps(run(given.names[0], typical, given.count, given.fixed)))
        return
    done = given.file.read_text() if given.file.exists() else ""
    for name in [*given.names, *drawn_names(given.drawn, given.seed, given.size)]:
        if f'"{name}"' in done:
            continue
        command = [sys.executable, "-m", "fuzz.open_sizes", str(given.file), name, "--one"]
        command += ["--count", str(given.count), "--typical", given.typical, *["--fixed"] * given.fixed]
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            lines = said.stdout.splitlines() or [""]
            record = json.loads(lines[-1]) if lines[-1].startswith("{") else {
                "name": name, "state": "error", "why": said.stderr.strip().splitlines()[-1:],
            }  # fmt: skip
        except subprocess.TimeoutExpired:
            record = {"name": name, "state": "error", "why": f"more than {SECONDS} s"}
        record["why"] = str(record.get("why", ""))
        with given.file.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(name, record["state"], record["why"][:200], flush=True)


if __name__ == "__main__":
    main()
