"""PyTorch's own samples of its operators (OpInfo), compiled and compared with PyTorch.

    cd tests && python -m fuzz.opinfo results.jsonl --types float32,int64 --samples 8 --shard 0/2

compiles, of each operator, so many samples spread over all (0 for every one), and appends a line an operator
to the file; operators that the file has are left out, so that a run goes on where it was ended. ``--way
dynamo`` goes by torch.compile, ``--only`` takes operators by a regular expression, ``--table`` prints what
the file says. Samples of an operator are outputs of one network as far as they can be imported, since a
compilation takes longer than a sample. Needs torch and expecttest.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

import tvm_directconv as directconv
from relay_strategies import torch_backend
from relay_strategies.frontends.torch.models import import_torch
from tvm_directconv.errors import DirectConvError
from tvm_directconv.measure import workers

SECONDS = 120
"""An operator may take so many seconds for each eight samples; longer is to hang."""
TOGETHER = 8
"""So many samples are outputs of one network."""
RIGHT, REFUSED, WRONG, ERROR, LISTED = "right", "refused", "wrong", "error", "listed"
EXCEPTIONS = {
    r"linalg\.eig(vals)?$|ldl|matrix_exp|matrix_sqrth|lobpcg": "eigenvalues, and exponentials of matrices",
    r"rand|normal|cauchy|exponential|geometric|uniform|bernoulli|multinomial|dropout|rrelu|fractional"
    r"|attention|lowrank": "drawn numbers",
    r"empty|resize": "memory as it was",
    r"unique|nonzero|argwhere|masked_select|bincount|tensor_split|repeat_interleave|^take$|combinations"
    r"|^item$|equal$|allclose|^is_|broadcast_shapes|histogram": "values decide sizes",
    r"sparse|_segment_reduce": "layouts but dense ones, and segments",
    r"backward": "gradients",
    r"bessel|airy|^i0|special\.i[01]e?$|erfcx|log_ndtr|ndtri|erfinv|nextafter|frexp": "special functions",
}
"""Operators of which samples may be refused, and why."""
UNDETERMINED = {
    r"^(topk|kthvalue|sort|argsort|msort|mode|median|nanmedian|argmax|argmin)": "the order of equal elements",
    r"^(svd|linalg\.svd|linalg\.eigh)$": "the signs of vectors",
    r"empty|resize": "memory as it was",
    r"soft_margin_loss|hinge_embedding|grid_sample|div\.trunc": "PyTorch computes in 16 bits",
}
"""Operators whose results may differ, and why."""
TOLERANCES = {torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.float64: 1e-5}
"""Largest difference, relative to the largest magnitude of a result; 1e-4 for float32."""


@dataclass(frozen=True)
class Sample:
    """One call of an operator: ``tensors`` are its inputs, all else is part of the network; ``wanted`` are
    its results, and what the inputs are afterwards."""

    function: Any
    spec: pytree.TreeSpec
    leaves: tuple[Any, ...]
    tensors: tuple[torch.Tensor, ...]
    wanted: Any

    def call(self, tensors: Sequence[torch.Tensor]) -> Any:
        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return self.function(*args, **kwargs)


class Calls(torch.nn.Module):
    """Several samples as one network."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        super().__init__()
        self.samples = samples
        self.eval()

    def forward(self, *tensors: torch.Tensor) -> Any:
        results, at = [], 0
        for sample in self.samples:
            results.append(sample.call(tensors[at : at + len(sample.tensors)]))
            at += len(sample.tensors)
        return results


def operators() -> dict[str, Any]:
    """OpInfos by name and variant."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {f"{op.name}{'.' * bool(op.variant_test_name)}{op.variant_test_name}": op for op in op_db}


def samples_of(op: Any, dtype: torch.dtype, count: int) -> list[Sample]:
    """``count`` of an operator's samples, spread over all of them; all for 0."""
    torch.manual_seed(0)
    drawn = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    step = max(1.0, len(drawn) / count) if count else 1.0
    chosen = [drawn[int(at * step)] for at in range(math.ceil(len(drawn) / step)) if at * step < len(drawn)]
    return [sample for each in chosen if (sample := _sample(op, each)) is not None]


def _sample(op: Any, drawn: Any) -> Sample | None:
    leaves, spec = pytree.tree_flatten(((drawn.input, *drawn.args), drawn.kwargs))
    leaves = tuple(leaf.detach() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves)
    tensors = tuple(leaf.clone() for leaf in leaves if isinstance(leaf, torch.Tensor))
    try:
        sample = Sample(op.op, spec, leaves, tensors, None)
        torch.manual_seed(0)
        after = [tensor.clone() for tensor in tensors]
        wanted = sample.call(after), after
    except Exception:  # samples that PyTorch itself refuses without gradients
        return None
    return Sample(op.op, spec, leaves, tensors, wanted)


def outcomes_of(samples: Sequence[Sample], way: str) -> list[tuple[str, str]]:
    """What came of each sample, and why where it is not right."""
    if not samples:
        return []
    try:
        results = _results(samples, way)
    except Exception as error:
        if len(samples) == 1:
            kind = REFUSED if isinstance(error, DirectConvError) else ERROR
            return [(kind, f"{type(error).__name__}: {error}" if kind == ERROR else str(error))]
        if isinstance(error, DirectConvError) and way == "export":
            refusals = [_refusal(sample) for sample in samples]
            if any(refusals):
                rest = iter(outcomes_of([s for s, r in zip(samples, refusals, strict=True) if not r], way))
                return [refusal or next(rest) for refusal in refusals]
        half = len(samples) // 2
        return outcomes_of(samples[:half], way) + outcomes_of(samples[half:], way)
    return [_compared(found, s.wanted) for found, s in zip(results, samples, strict=True)]


def _refusal(sample: Sample) -> tuple[str, str] | None:
    try:
        import_torch(Calls([sample]), sample.tensors)
    except DirectConvError as error:
        return REFUSED, str(error)
    except Exception as error:
        return ERROR, f"{type(error).__name__}: {error}"
    return None


def _results(samples: Sequence[Sample], way: str) -> list[list[torch.Tensor]]:
    """The tensors that the compiled network returns for each sample."""
    calls, tensors = Calls(samples), [t.clone() for sample in samples for t in sample.tensors]
    torch.manual_seed(0)
    if way == "export":
        model = directconv.compile(calls, example_inputs=tuple(tensors), cache=False)
        flat: Any = model(*tensors)
        flat = [_tensor(value) for value in (flat if isinstance(flat, tuple) else [flat])]
    else:
        torch._dynamo.reset()
        torch_backend._said.clear()
        with warnings.catch_warnings(record=True) as caught, torch.no_grad():
            warnings.simplefilter("always")
            compiled = torch.compile(calls, backend="directconv")
            flat = [v for v in pytree.tree_leaves(compiled(*tensors)) if isinstance(v, torch.Tensor)]
        left = [str(w.message) for w in caught if "leaves a graph to PyTorch" in str(w.message)]
        if left:
            raise DirectConvError(left[0].partition("PyTorch: ")[2])
    given, after, results = iter(flat), iter(tensors), []
    for sample in samples:
        count = sum(isinstance(v, torch.Tensor) for v in pytree.tree_leaves(sample.wanted[0]))
        results.append([next(given) for _ in range(count)] + [next(after) for _ in sample.tensors])
    return results


def _tensor(value: Any) -> torch.Tensor:
    """A result as a tensor; a network without inputs returns arrays."""
    if isinstance(value, torch.Tensor):
        return value
    if value.dtype.name == "bfloat16":
        return torch.from_numpy(value.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(value)


def _compared(found: list[torch.Tensor], wanted: Any) -> tuple[str, str]:
    for one, other in zip(
        found, (v for v in pytree.tree_leaves(wanted) if isinstance(v, torch.Tensor)), strict=True
    ):
        if one.shape != other.shape or one.dtype != other.dtype:
            return WRONG, f"{one.dtype}{list(one.shape)}, wanted {other.dtype}{list(other.shape)}"
        one, other = (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in (one, other))
        a, b = one.double(), other.double()
        finite = b.isfinite()
        tolerance = TOLERANCES.get(other.dtype, 1e-4 if other.dtype.is_floating_point else 0)
        scale = max(1.0, float(b[finite].abs().max()) if finite.any() else 0.0)
        if not torch.equal(a.isnan(), b.isnan()):
            return WRONG, "NaN at other places"
        off = (a - b).abs()[finite].nan_to_num(math.inf)
        if finite.any() and float(off.max()) > tolerance * scale:
            return WRONG, f"off by {float(off.max()):g} of {scale:g}"
        if not torch.equal(a[b.isinf()], b[b.isinf()]):
            return WRONG, "other infinities"
    return RIGHT, ""


class Shard:
    """What a worker's process holds: the operators."""

    def __init__(self) -> None:
        warnings.simplefilter("ignore")
        self._operators = operators()

    def names(self) -> list[str]:
        return list(self._operators)

    def run(self, name: str, type_name: str, way: str, count: int) -> list[tuple[str, str]]:
        op, dtype = self._operators[name], getattr(torch, type_name)
        if dtype not in op.dtypes:
            return []
        samples = samples_of(op, dtype, count)
        parts = [samples[at : at + TOGETHER] for at in range(0, len(samples), TOGETHER)]
        return [outcome for part in parts for outcome in outcomes_of(part, way)]


def run(arguments: argparse.Namespace) -> None:
    """Append a line for each operator that the file lacks."""
    results: Path = arguments.results
    done = {(line["op"], line["type"], line["way"]) for line in _lines(results)}
    part, parts = map(int, arguments.shard.split("/"))
    workers.PATIENCE_SECONDS = SECONDS if arguments.samples else 30 * SECONDS
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        contextlib.closing(workers.Worker(Path(folder), Shard)) as worker,
    ):
        names = [n for n in worker.ask("reading", "names")[part::parts] if re.search(arguments.only, n)]
        for type_name in arguments.types.split(","):
            for name in names:
                if (name, type_name, arguments.way) in done:
                    continue
                try:
                    found = worker.ask("comparing", "run", name, type_name, arguments.way, arguments.samples)
                except workers.Failure as failure:
                    found = [(ERROR, str(failure))]
                line = {"op": name, "type": type_name, "way": arguments.way, "outcomes": found}
                with results.open("a") as file:
                    file.write(json.dumps(line) + "\n")


def _lines(results: Path) -> Iterator[dict[str, Any]]:
    if results.exists():
        yield from map(json.loads, results.read_text().splitlines())


def print_table(results: Path) -> None:
    """Counts by type and way, the reasons of refusals, and everything wrong."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    reasons: Counter[str] = Counter()
    faults = []
    for line in _lines(results):
        family = "nn.functional" if line["op"].startswith("nn.functional") else "others"
        count = counts.setdefault((line["way"], line["type"], family), Counter())
        for kind, why in line["outcomes"]:
            kind = _listed(line["op"], kind)
            count[kind] += 1
            if kind == REFUSED:
                reasons[f"{_reason(why)}"] += 1
            elif kind in (WRONG, ERROR):
                faults.append(
                    f"{line['op']} {line['type']} {line['way']}: {kind}: {why.splitlines()[0][:300]}"
                )
    for key, count in sorted(counts.items()):
        total = sum(count.values())
        share = f"{100 * count[RIGHT] / max(total, 1):.1f} %"
        print(*key, f"{total}:", share, dict(count))
    for reason, number in reasons.most_common():
        print(f"{number:6} {reason}")
    print(*faults, sep="\n")


def _listed(name: str, kind: str) -> str:
    """What a sample is counted as, whose operator may be refused, or may differ."""
    table = {REFUSED: EXCEPTIONS, WRONG: UNDETERMINED}.get(kind, {})
    return LISTED if any(re.search(pattern, name) for pattern in table) else kind


def _reason(why: str) -> str:
    """The part of a refusal that is the same for many samples."""
    why = re.sub(r"node '[^']*' \(([\w.]+)\)(?: of '[^']*')?", r"\1", why)
    return re.sub(r"\([^)]*\)|\d+|'[^']*'", "_", why.splitlines()[0])[:110]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--types", default="float32,float16,bfloat16,int64,bool")
    parser.add_argument("--way", choices=("export", "dynamo"), default="export")
    parser.add_argument("--samples", type=int, default=TOGETHER)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table:
        run(arguments)
    print_table(arguments.results)


if __name__ == "__main__":
    from fuzz import opinfo  # workers import what they hold by this name

    opinfo.main()
