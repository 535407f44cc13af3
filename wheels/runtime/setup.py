"""The wheel of what runs networks: those modules of the project that it imports, from where they are.

``python -m build --wheel wheels/runtime`` writes ``wheels/runtime/dist``.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PACKAGE = "tvm_directconv"
SOURCES = "../../tvm_directconv"
MODULES = (
    "__init__", "errors", "files", "forked_pool", "locks", "memory", "registration", "temporary", "threads",
    "version", "workers",
)  # fmt: skip
"""What ``tvm_directconv.runtime`` imports of the package around it; a test compares."""


class Chosen(build_py):
    """Takes the package's modules that models are run by."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [each for each in found if package != PACKAGE or each[1] in MODULES]


said: dict[str, str] = {}
exec((Path(__file__).parent / SOURCES / "version.py").read_text(), said)
setup(
    version=said["__version__"],
    packages=[PACKAGE, f"{PACKAGE}.runtime"],
    package_dir={PACKAGE: SOURCES, f"{PACKAGE}.runtime": f"{SOURCES}/runtime"},
    package_data={PACKAGE: ["py.typed"]},
    cmdclass={"build_py": Chosen},
)
