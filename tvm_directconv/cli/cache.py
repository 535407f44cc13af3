"""The command on what is kept of compiled networks: ``tvm-directconv cache``."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from .console import print_json, print_rows
from .options import json_option


@click.command()
@click.option("--clear", is_flag=True, help="Remove all of them.")
@json_option
def cache(clear: bool, as_json: bool) -> None:
    """Show which compiled networks and kernels are kept on disk, and where, or remove them.

    TVM_DIRECTCONV_CACHE_DIR names another folder, TVM_DIRECTCONV_CACHE_BYTES another limit than 2 GiB, and
    TVM_DIRECTCONV_CACHE=0 turns the cache off.
    """
    from tvm_directconv.cache import is_on, user_cache
    from tvm_directconv.text import bytes_label

    place = user_cache()
    kernels = place.kernels.sizes()
    entries = place.clear() if clear else place.entries()
    total = sum(entry.bytes for entry in entries)
    if as_json:
        facts = {"folder": str(place.folder), "limit_bytes": place.limit, "on": is_on(), "cleared": clear}
        facts |= {"kernels": len(kernels), "kernel_bytes": sum(kernels)}
        print_json(facts | {"bytes": total, "entries": [asdict(entry) for entry in entries]})
        return
    rows = [
        {
            "network": entry.label,
            "size": bytes_label(entry.bytes),
            "last_used": datetime.fromtimestamp(entry.used).isoformat(" ", "minutes"),
        }
        for entry in reversed(entries)
    ]
    if rows and not clear:
        print_rows(rows, f"compiled networks in {place.folder}", as_json=False)
    said = "removed" if clear else "kept" if is_on() else "kept, and the cache is turned off"
    of = "" if clear else f" of at most {bytes_label(place.limit)}"
    networks = f"{len(entries)} compiled networks, {bytes_label(total)}{of}"
    click.echo(
        f"{networks}, and {len(kernels)} kernels, {bytes_label(sum(kernels))}, {said} in {place.folder}"
    )
