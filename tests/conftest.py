"""Test setup shared by all: hypothesis profiles, options of drawn cases, these folders importable."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), *sorted({str(test.parent) for test in HERE.glob("*/test_*.py")})]

# Nothing of a user's cache is to be tested, nor to be left there; tests of the cache have their own.
os.environ["TVM_DIRECTCONV_CACHE"] = "0"

# Several tests run at a time: each has the threads that TVM would have by itself.
os.environ.setdefault("TVM_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // 2)))

# OpenCL on the CPU takes twenty seconds to optimize a program of CLBlast's, which leaves out the blanks.
os.environ["CLBLAST_BUILD_OPTIONS"] = " -cl-opt-disable "

# Compiling takes longer than hypothesis' deadline; the seed is fixed, so that CI repeats itself.
settings.register_profile("directconv", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("directconv")


UNKNOWN_CPU = "unknown target CPU 'generic'"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fuzz", "drawn cases (-m fuzz)")
    group.addoption("--seconds", type=float, help="draw cases of each kind for so long")
    group.addoption("--cases", type=int, help="run so many cases of each kind")
    group.addoption("--seed", type=int, help="number of the first case; any with --seconds, 0 without")
    parser.addoption("--host", help="take this host for that CPU: its caches, none of the features it lacks")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Portable kernels are of the slow part: LLVM takes longest for them, and few of who runs the quick part
    have nothing better."""
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and "portable" in item.callspec.id:
            item.add_marker(pytest.mark.slow)


def pytest_configure(config: pytest.Config) -> None:
    # Workers of xdist take the number from the options of the process that started them.
    if config.option.seed is None:
        config.option.seed = 0 if config.option.seconds is None else random.randrange(10**9)
    if config.option.host:
        from pretended_host import pretend_to_be

        pretend_to_be(config.option.host)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what OpenCL's compiler refuses because it does not know the CPU.

    Pip's PoCL has LLVM 14, which takes a Zen 5 for a 'generic' CPU, of which its compiler knows none: there
    no program is compiled, whoever's it is.
    """
    if call.excinfo is not None and UNKNOWN_CPU in str(call.excinfo.value):
        # Before there is a report of a failure, which takes long to write.
        try:
            pytest.skip(f"OpenCL's compiler: {UNKNOWN_CPU}")
        except pytest.skip.Exception:
            call.excinfo = pytest.ExceptionInfo.from_current()
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    said = [
        property
        for report in reports
        if getattr(report, "when", "") == "call"
        for property in report.user_properties
    ]
    for name, value in said:
        if name == "fuzz":
            terminalreporter.write_line(f"fuzz: {value}")
    for how, count in sorted(Counter(value for name, value in said if name == "kernels").items()):
        terminalreporter.write_line(f"kernels of {how} in {count} tests")
