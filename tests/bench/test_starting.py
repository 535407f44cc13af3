"""The benchmark of first answers: what its processes say, and what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_support import small_model

from tvm_directconv import cache
from tvm_directconv.bench.starting import CONTESTANTS, NUMPY, bench_starts
from tvm_directconv.errors import BenchmarkError


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no linker")
def test_figures_are_of_processes_that_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.SWITCH)
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    names = [name for name in CONTESTANTS if name != NUMPY]
    result = bench_starts(str(small_model(tmp_path)), 1, 1, names, processes=2, rate=20, seconds=1)
    assert [start.contestant for start in result.starts] == names
    for start in result.starts:
        assert 0 < start.ready_seconds < start.answer_seconds and 0 < start.run_seconds < 1
        assert start.processes_bytes > start.bytes > 0 and start.idle_seconds > 0
    columns = [str(column.header) for column in result.table().columns]
    assert "2 processes" in columns and "CPU ms/s" in columns and len(result.rows()) == len(names)


def test_unknown_contestants_and_failures_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BenchmarkError, match="no contestant 'tflite'; there are load, compile, forked"):
        bench_starts("squeezenet", contestants=["tflite"])
    monkeypatch.setitem(CONTESTANTS, "broken", "raise ValueError('not today')")
    monkeypatch.setattr(
        "tvm_directconv.bench.starting._prepare", lambda network, folder, memory: _inputs(folder)
    )
    with pytest.raises(BenchmarkError, match="'broken' failed: ValueError: not today"):
        bench_starts("squeezenet", rounds=1, contestants=["broken"])


def _inputs(folder: Path) -> None:
    import numpy as np

    np.savez(folder / "inputs.npz", x=np.zeros(1))
