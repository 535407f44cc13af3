"""Fourier transforms and complex tensors of exported programs, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch_support import Function, assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402

SIGNALS = drawn(2, 240)


def _transforms(x: torch.Tensor) -> tuple[Any, ...]:
    fft, rows, whole = torch.fft, x.reshape(2, 10, -1), torch.view_as_real
    spectrum, plane = fft.fft(x), fft.rfft2(rows)
    return (
        spectrum.real,
        whole(fft.ifft(spectrum * 2)),
        whole(plane),
        *(fft.irfft2(plane * 3, s=(10, size)) for size in (24, 23)),
        whole(fft.fftn(rows, norm="ortho")),
        fft.irfft(fft.rfft(x, norm="forward")[:, :50], n=99, norm="forward"),
        fft.hfft(spectrum),
        whole(fft.fftshift(spectrum)),
        fft.irfft(fft.rfft(x, 300), 300),
    )


def _complex_tensors(x: torch.Tensor) -> tuple[Any, ...]:
    c, whole = torch.fft.rfft(x), torch.view_as_real
    return (
        c.abs(),
        torch.cos(c.angle()),
        whole(c[:, 3:17].unsqueeze(1) / (c[:, :14].unsqueeze(1) + 2j)),
        whole(torch.cat([c, torch.complex(x, 2 * x)], 1) * 1j + 1),
        whole(torch.polar(x.abs(), x)),
        whole(torch.view_as_complex(x.reshape(2, 120, 2)) * torch.exp(torch.arange(120) * 1j)),
        whole((c * c.conj()).sum(1) / 7),
        whole(c - c.transpose(0, 1).reshape(2, -1)),
    )


def _frames(x: torch.Tensor) -> tuple[Any, ...]:
    window, short = torch.hann_window(64), torch.hamming_window(30)
    frames = torch.stft(x, 64, 16, window=window, return_complex=True)
    options = {"win_length": 30, "window": short, "center": False, "normalized": True}
    return (
        frames.abs(),
        torch.istft(frames, 64, 16, window=window),
        torch.istft(frames * frames.abs(), 64, 15, window=window, length=230),
        torch.view_as_real(torch.stft(x[0], 40, 13, return_complex=True, **options)),
        torch.view_as_real(torch.stft(x, 40, 13, onesided=False, return_complex=True, **options)),
    )


@pytest.mark.parametrize("function", [_transforms, _complex_tensors, _frames], ids=lambda f: f.__name__)
def test_they_are_pytorchs(function: Callable[..., Any]) -> None:
    model = directconv.compile(Function(function), example_inputs=(SIGNALS,))
    assert_same(model.run([SIGNALS]), function(SIGNALS))


def test_a_spectrogram_of_any_length_is_one_program() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        frames = torch.stft(x, 64, 16, window=torch.hann_window(64), return_complex=True)
        return torch.log(frames.abs() ** 2 + 1e-3)

    open_sizes = ({0: torch.export.Dim.AUTO, 1: torch.export.Dim.AUTO},)
    program = torch.export.export(Function(function), (SIGNALS,), dynamic_shapes=(open_sizes,))
    model = directconv.compile(program)
    for shape in ((2, 240), (3, 255), (2, 1001)):
        data = drawn(*shape)
        assert_same(model.run([data]), function(data))
    assert len(model.sizes) == 1 and model.sizes[0].is_open


def _edges(x: torch.Tensor, z: torch.Tensor) -> tuple[Any, ...]:
    return (
        torch.fft.fft(x),
        z.unsqueeze(1) * 2j + x[:, :5],
        torch.fft.rfft2(x).conj(),
        z.real.to(torch.float64),
    )


def test_complex_tensors_are_taken_and_returned(tmp_path: Path) -> None:
    """By calls with torch tensors and arrays, in a library too; ``run`` has pairs of real numbers."""
    z = torch.complex(drawn(4, seed=1), drawn(4, seed=2))[::2].conj()
    model = directconv.compile(Function(_edges), example_inputs=(SIGNALS, z))
    model.export_library(tmp_path / "spectrum.so")
    compiled = torch.compile(Function(_edges), backend="directconv")
    with torch.no_grad():
        answers = (
            model(SIGNALS, z),
            directconv.load(tmp_path / "spectrum.so")(SIGNALS, z),
            compiled(SIGNALS, z),
        )
    for answer in (*answers, model(SIGNALS.numpy(), z.resolve_conj().numpy())):
        assert_same(answer, _edges(SIGNALS, z))
    pairs = model.run([SIGNALS, torch.view_as_real(z.resolve_conj())])
    assert [info.is_complex for info in (*model.inputs, *model.outputs)] == [
        False,
        True,
        True,
        True,
        True,
        False,
    ]
    assert_same(pairs[:1], torch.view_as_real(torch.fft.fft(SIGNALS)))
