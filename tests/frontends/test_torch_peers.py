"""What ``bench --lift`` has PyTorch compute on an NVIDIA GPU, computed on the CPU."""

from __future__ import annotations

import pytest

from tvm_directconv.bench.contestants import Setting, Variant
from tvm_directconv.bench.contestants.device.pytorch import CuDnn, Im2colCuBlas
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

torch = pytest.importorskip("torch")
SETTING = Setting(resolve_target("llvm -mcpu=native"))


@pytest.mark.parametrize("kind", [CuDnn, Im2colCuBlas])
def test_answers_are_right(kind):
    problem = LayerProblem(Conv2dWorkload(2, 6, 7, 3, 8, (3, 2), (2, 1), (1, 1, 1, 1), (1, 2)))
    prepared = Variant(kind.name, kind, {"place": "cpu"})(SETTING).prepare(problem)
    prepared.run()
    assert not problem.judge(prepared.outputs())[1]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_an_absent_gpu_is_told():
    contestant = Variant("cudnn", CuDnn, {"target_text": "cuda"})(SETTING)
    assert "PyTorch finds no CUDA device" in (contestant.available() or "")
