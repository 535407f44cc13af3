"""GPU targets: what their strings mean, the files of GPUs, and what is refused."""

from __future__ import annotations

import json

import pytest
from cli_support import succeed
from tvm.target import Target

from tvm_directconv.errors import DirectConvError, TargetError
from tvm_directconv.targets.gpu import is_gpu_target, resolve_gpu_target
from tvm_directconv.targets.gpu_machine import NUMBERS, known_gpus, parse_gpu
from tvm_directconv.targets.native_gpu import native_gpu
from tvm_directconv.targets.target import resolve_target

MALI = ("mali", "opencl", "gpu")
MEANT = {
    "opencl": ("opencl", ("opencl", "gpu"), "opencl"),
    "opencl -device=mali -model=g72": (
        "mali-g72",
        ("mali", "opencl", "gpu"),
        "opencl -device=mali -model=g72",
    ),
    "opencl --model G76 --device mali": (
        "mali-g76",
        ("mali", "opencl", "gpu"),
        "opencl -device=mali -model=G76",
    ),
    '{"kind": "opencl", "device": "adreno"}': (
        "adreno",
        ("adreno", "opencl", "gpu"),
        "opencl -device=adreno",
    ),
    "opencl -machine=mali-g78 -keys=mine": (
        "mali-g78",
        ("mine", "mali", "opencl", "gpu"),
        "opencl -keys=mine -machine=mali-g78",
    ),
    "cuda": ("cuda", ("cuda", "gpu"), "cuda"),
    "cuda -model=h200": ("h200", ("cuda", "gpu"), "cuda -model=h200"),
    "cuda -arch=sm_86": ("cuda", ("cuda", "gpu"), "cuda -arch=sm_86"),
}
REFUSED = {
    "opencl -devce=mali": "not have an option '-devce' (did you mean 'device'?)",
    "opencl -device=malu": "no opencl device 'malu' (did you mean 'mali'?)",
    "opencl -device=mali -model=g75": "no model 'g75' of -device=mali",
    "opencl -device": "'-device' needs a value",
    "opencl -device=mali -device=mali": "-device twice",
    "opencl mali": "'mali' is not an option",
    "opencl -machine=mali-g7": "unknown GPU 'mali-g7' (did you mean",
    "opencl -machine=/no/such.json": "GPU file '/no/such.json': no such file",
    "cuda -machine=mali": "the target is of cuda",
    "cuda -arch=90": "write it like 'sm_75'",
    "cuda -device=mali": "no cuda device 'mali'; there are native",
    "vulkan": "target kind 'vulkan' is not a GPU's",
    "": "names no kind",
    "{": "not valid JSON",
    "opencl 'x": "No closing quotation",
}


@pytest.mark.parametrize("text", MEANT)
def test_a_target_means_a_machine_and_keys(text):
    machine, keys, printed = MEANT[text]
    target = resolve_gpu_target(text)
    assert (target.machine.name, target.keys, str(target)) == (machine, keys, printed)
    assert resolve_gpu_target(printed) == target
    assert is_gpu_target(text) and is_gpu_target(target.tvm_target)
    assert int(target.tvm_target.attrs["max_threads_per_block"]) == target.machine.threads_per_group


@pytest.mark.parametrize("text", ["opencl -device=mali -model=g72", "cuda -model=h200", "opencl"])
def test_tvms_target_means_the_same_again(text):
    target = resolve_gpu_target(text)
    assert resolve_gpu_target(target.tvm_target).machine == target.machine
    assert resolve_gpu_target(dict(Target(target.tvm_target).export())).keys == target.keys


@pytest.mark.parametrize("text", REFUSED)
def test_a_target_that_is_not_understood_is_told_in_one_line(text):
    with pytest.raises(TargetError) as error:
        resolve_gpu_target(text)
    assert REFUSED[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_what_wants_a_cpu_says_so():
    assert not is_gpu_target("llvm -mcpu=native") and not is_gpu_target(3) and not is_gpu_target("{")
    with pytest.raises(TargetError, match="not supported here, a CPU's is wanted"):
        resolve_target("opencl -device=mali")


@pytest.mark.parametrize("gpu", known_gpus().values(), ids=lambda gpu: gpu.name)
def test_gpu_files_are_sane(gpu):
    assert (
        max(gpu.threads_per_dimension) <= gpu.threads_per_group <= gpu.threads_per_unit
        or gpu.name == "opencl"
    )
    assert 16 * 1024 <= gpu.local_memory_bytes <= gpu.largest_buffer_bytes
    assert gpu.vector_width in (1, 2, 4, 8, 16)
    assert 10 <= gpu.peak_gflops <= 100_000
    assert gpu.models or gpu.device or gpu.name == gpu.kind
    assert all(len(gpu.sources[number]) > 20 for number in NUMBERS)


def test_no_two_files_describe_one_gpu():
    names = [(gpu.kind, gpu.device, model) for gpu in known_gpus().values() for model in gpu.models or ("",)]
    assert len(names) == len(set(names))


FILE = {
    "description": "a GPU",
    "kind": "opencl",
    "device": "mali",
    "models": ["g1"],
    "facts": [{"source": "a data sheet", "lanes": 8}],
}
MALFORMED = {
    "is not an object": [],
    "lacks the field 'kind'": {"description": "a GPU"},
    "unknown kind 'opencll' (did you mean 'opencl'?)": FILE | {"kind": "opencll"},
    "unknown field 'fact' (did you mean 'facts'?)": FILE | {"fact": 1},
    "unknown number 'lane' (did you mean 'lanes'?)": FILE | {"facts": [{"source": "s", "lane": 8}]},
    "gives the number 'lanes' twice": FILE | {"facts": [{"source": "s", "lanes": 8}] * 2},
    "'lanes' is 0": FILE | {"facts": [{"source": "s", "lanes": 0}]},
    "'half' is \"yes\", not true or false": FILE | {"facts": [{"source": "s", "half": "yes"}]},
    "a list of three numbers": FILE | {"facts": [{"source": "s", "threads_per_dimension": [8]}]},
    "'y' is 0": FILE | {"facts": [{"source": "s", "threads_per_dimension": [8, 0, 1]}]},
    "lacks the field 'source'": FILE | {"facts": [{"lanes": 8}]},
}


@pytest.mark.parametrize("said", MALFORMED)
def test_a_malformed_file_is_told_by_its_field(said):
    with pytest.raises(TargetError) as error:
        parse_gpu("mine", json.dumps(MALFORMED[said]), known_gpus())
    assert said in str(error.value) and "GPU file 'mine.json'" in str(error.value)


def test_a_file_of_the_users_takes_the_rest_from_its_class(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(FILE))
    machine = resolve_gpu_target(f"opencl -machine={path}").machine
    assert (machine.lanes, machine.threads_per_group) == (8, known_gpus()["mali"].threads_per_group)
    assert machine.sources["threads_per_group"].startswith("as of mali: ")


def test_a_device_at_hand_tells_its_own_limits():
    gpu, target = native_gpu(), resolve_gpu_target("opencl -device=native")
    assert target.machine == gpu and str(target) == "opencl -device=native"
    assert gpu.sources["threads_per_group"].startswith("reported by ")
    assert gpu.threads_per_group >= 1 and gpu.compute_units >= 1


def test_no_such_device_is_one_error(monkeypatch):
    monkeypatch.setenv("TVM_DIRECTCONV_OPENCL", "no such device")
    with pytest.raises(DirectConvError, match="no OpenCL device 'no such device'; there are "):
        native_gpu()


def test_the_command_line_lists_and_resolves_gpus():
    rows = json.loads(succeed("machines", "--json"))
    assert {row["name"] for row in rows if "kind" in row} == set(known_gpus())
    assert "mali-g72" in succeed("machines")
    facts = json.loads(succeed("targets", "opencl -device=mali -model=g72", "--json"))
    assert facts["machine"] == "mali-g72" and {row["name"] for row in facts["numbers"]} == set(NUMBERS)
    assert "threads_per_group" in succeed("targets", "cuda", "--verbose")
