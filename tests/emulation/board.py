"""An AArch64 Python with TVM under qemu: Debian's packages and PyPI's wheels, unpacked side by side.

Nothing is installed: packages are unpacked in a folder of the user's cache, made once for each TVM.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest

CPU = "neoverse-n1"
PACKAGES = ("python3", "libstdc++6")
WHEELS = ("numpy", "ml_dtypes", "psutil", "cloudpickle", "tornado", "typing_extensions")
PINNED = ("apache-tvm", "apache-tvm-ffi")
PLATFORMS = tuple(f"manylinux_2_{minor}_aarch64" for minor in (17, 24, 27, 28))
COMPLETE = "complete"


def aarch64_python(*wheels: str) -> Path:
    """A program that is that Python, which has further wheels; skips the test where it cannot be had."""
    for tool in ("qemu-aarch64", "apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not there to run an AArch64 Python with")
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "tvm-directconv-tests"
    folder = cache / f"aarch64-{version('apache-tvm')}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / COMPLETE).exists():
            try:
                _make(folder)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no AArch64 Python: {_last_line(error)}")
            (folder / COMPLETE).touch()
        for wheel in wheels:
            if not (folder / wheel).exists():
                try:
                    _add_wheels(folder, wheel)
                except subprocess.CalledProcessError as error:
                    pytest.skip(f"no {wheel} for AArch64: {_last_line(error)}")
                (folder / wheel).touch()
    return folder / "python"


def _make(folder: Path) -> None:
    root, site = folder / "root", folder / "site"
    for each in (root, site, folder / "lists" / "partial", folder / "archives" / "partial"):
        each.mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
        "Dir::State::Lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder,
        "Dir::Cache::archives": folder / "archives",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    _run(*apt, "update")
    _run(*apt, "-y", "--download-only", "install", *PACKAGES)
    for package in sorted((folder / "archives").glob("*.deb")):
        _run("dpkg-deb", "-x", str(package), str(root))
    _add_wheels(folder, *(f"{name}=={version(name)}" for name in PINNED), *WHEELS)
    # TVM starts further processes as sys.executable, which has to be the emulator, too.
    (site / "sitecustomize.py").write_text(f'import sys\nsys.executable = "{folder / "python"}"\n')
    program = folder / "python"
    program.write_text(
        f'#!/bin/sh\nPYTHONHOME="{root}/usr" PYTHONPATH="{site}" exec qemu-aarch64 -cpu {CPU} '
        f'-L "{root}" "{_binary(folder)}" "$@"\n'
    )
    program.chmod(0o755)


def _add_wheels(folder: Path, *names: str) -> None:
    """Unpack wheels of PyPI's where the Python finds them."""
    platforms = [option for name in PLATFORMS for option in ("--platform", name)]
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *platforms]
    pip += ["--implementation", "cp", "--python-version", _binary(folder).name.removeprefix("python")]
    with tempfile.TemporaryDirectory(dir=folder) as wheels:
        _run(*pip, "-d", wheels, *names)
        for wheel in Path(wheels).glob("*.whl"):
            shutil.unpack_archive(wheel, folder / "site", "zip")


def _binary(folder: Path) -> Path:
    return (folder / "root" / "usr" / "bin" / "python3").resolve()


def _last_line(error: subprocess.CalledProcessError) -> str:
    return str((error.stderr or str(error)).strip().splitlines()[-1])


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)
