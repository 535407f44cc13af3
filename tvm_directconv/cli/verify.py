"""``tvm-directconv verify``: proofs that kernels compute what their names say."""

from __future__ import annotations

from pathlib import Path

import click

from .console import print_rows, progress
from .options import OLD_FILE, json_option, target_option

MILLISECONDS = 1000


@click.command()
@click.argument("names", nargs=-1)
@click.option("--code", type=OLD_FILE, help="LLVM IR or assembly that is to be the one kernel named.")
@click.option("--machine-code", is_flag=True, help="Compare the bytes that LLVM makes of kernels, too.")
@click.option("--model", help="Prove all kernels and layers that a network has on the target, too.")
@target_option
@json_option
def verify(
    names: tuple[str, ...],
    code: Path | None,
    machine_code: bool,
    model: str | None,
    target: str,
    as_json: bool,
) -> None:
    """Prove that kernels compute what their NAMES say.

    The code that is emitted is executed on symbols: which products are summed, in which order, what is read
    and stored, and what registers are changed. A network's layers are proven to be their convolutions by what
    their kernels compute. The exit status is 0 if all is proven, and 1 if something is refuted or not covered
    by proofs; the table says why.
    """
    from tvm_directconv.errors import VerificationError
    from tvm_directconv.verification import verify as verify_kernel

    if code is not None and (len(names) != 1 or model):
        raise click.UsageError("--code is of one kernel: give its name, and no --model")
    if not names and model is None:
        raise click.UsageError("give names of kernels, or a network by --model")
    text = None if code is None else code.read_text(errors="replace")
    results = []
    with progress("proving kernels") as phase:
        for number, name in enumerate(names, 1):
            phase(f"proving kernel {number} of {len(names)}")
            results.append(verify_kernel(name, text, machine_code=machine_code))
        if model is not None:
            from relay_strategies.compiler.compiler import compile as compile_model

            try:
                results += compile_model(model, target, verify=True, on_phase=phase).verifications
            except VerificationError as error:
                results += error.verifications
    rows = [
        {
            "kernel or layer": result.name,
            "outcome": result.outcome,
            "ms": round(MILLISECONDS * result.seconds, 1),
            "reason": "; ".join([result.reason, *(f"{k} {v}" for k, v in result.details.items())]).strip(
                "; "
            ),
        }
        for result in results
    ]
    print_rows(rows, "proofs", as_json)
    unproven = sum(not result for result in results)
    if unproven:
        raise click.ClickException(f"{unproven} of {len(results)} are not proven")
