"""Networks compiled for several CPUs with ``accuracy="portable"``, whose results are to have the same bits.

    cd tests && python -m fuzz.same_bits squeezenet timm:mobilenetv4_conv_small@64

prints for each network the first digits of the SHA-256 of its outputs, on this host's AVX2 and AVX-512 and
under emulation on Arm, POWER and RISC-V, there at every vector length. What is emulated has to be small.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np
from c_support import built_example, host_compiler, run_example
from emulation import CPUS
from rich.console import Console
from rich.progress import track
from rich.table import Table

import tvm_directconv as directconv
from tvm_directconv import zoo
from tvm_directconv.algorithms.accuracy import PORTABLE
from tvm_directconv.errors import DirectConvError, TargetError
from tvm_directconv.targets.target import require_host, resolve_target

HOSTS = {level: f"llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-{level}" for level in ("v3", "v4")}
EMULATED = ("cortex-a57", "power9", "power10", "rvv")


def digest(name: str, cpu: str) -> str:
    """Return the first digits of what the network computes of seeded numbers, or why it does not."""
    target = HOSTS.get(cpu) or CPUS[cpu].target_string
    try:
        if cpu in HOSTS:
            require_host(resolve_target(target))
        model = directconv.compile(zoo.load_model(name), target=target, accuracy=PORTABLE)
    except TargetError:
        return "not here"
    except DirectConvError as error:
        return f"{type(error).__name__}: {error}"
    rng = np.random.default_rng(0)
    inputs = {info.name: rng.standard_normal(info.shape).astype(info.dtype) for info in model.inputs}
    compiler, emulators = [host_compiler()], [[]]
    if cpu in CPUS:
        compiler, emulators = [CPUS[cpu].architecture.compiler], CPUS[cpu].emulators
    with tempfile.TemporaryDirectory() as folder:
        program = built_example(model.export_c(Path(folder)), compiler)
        found = {
            hashlib.sha256(b"".join(output.tobytes() for output in outputs)).hexdigest()[:12]
            for emulator in emulators
            if (outputs := run_example(program, inputs, model.outputs, emulator, ["-t", "3"]))
        }
    return " ".join(sorted(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="+")
    cpus = (*HOSTS, *EMULATED)
    table = Table("network", *cpus, "same")
    differ = 0
    for name in track(parser.parse_args().networks, "networks", console=Console(stderr=True)):
        found = [digest(name, cpu) for cpu in cpus]
        same = len(set(found) - {"not here"}) == 1
        differ += not same
        table.add_row(name, *found, "yes" if same else "no")
    Console().print(table)
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
