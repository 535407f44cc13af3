"""The command on what is kept of compiled networks: ``tvm-directconv cache``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from tvm_directconv.errors import InputError, nearest

from .console import print_json, print_rows
from .options import json_option

if TYPE_CHECKING:
    from tvm_directconv.cache import Entry

SHORT = 8
"""Digits of an entry's key that are shown, and that name it; fewer do where they name one alone."""
SHOWN = ("target", "sizes", "options")
"""Facts that the table always tells."""
TOLD_APART_BY = {"target_string": "target in full", "content": "content", "made_by": "made by"}
"""Facts that the table tells where entries are the same in all others: the model's content, and the versions
of the packages that it was compiled by, as digests."""


@click.command()
@click.option("--clear", is_flag=True, help="Remove all of them.")
@click.option(
    "--remove",
    "names",
    multiple=True,
    metavar="NAME",
    help="Remove one: the digits it is listed with, or its network's name or file; repeatable.",
)
@json_option
def cache(clear: bool, names: tuple[str, ...], as_json: bool) -> None:
    """List or remove what is kept on disk of compiled networks.

    TVM_DIRECTCONV_CACHE_DIR names another folder, TVM_DIRECTCONV_CACHE_BYTES another limit than 2 GiB, and
    TVM_DIRECTCONV_CACHE=0 turns the cache off.
    """
    from tvm_directconv.cache import FOLDER, is_on, user_cache
    from tvm_directconv.text import bytes_label

    if clear and names:
        raise click.UsageError("give --clear or --remove, and not both")
    place = user_cache()
    if place is None:
        raise InputError(f"there is no folder for the cache; name one by the environment variable {FOLDER}")
    kernels, listed = place.kernels.sizes(), place.entries()
    provider = [entry.bytes for entry in place.provider.entries()]
    if names:
        kernels, provider, entries = [], [], [named(name, listed) for name in dict.fromkeys(names)]
        gone = [entry for entry in entries if place.remove(entry.key)]
    else:
        entries, gone = listed, place.clear() if clear else []
    total = sum(entry.bytes for entry in gone) if names or clear else sum(e.bytes for e in entries)
    if as_json:
        facts = {"folder": str(place.folder), "limit_bytes": place.limit, "on": is_on(), "cleared": clear}
        facts |= {"removed": [entry.key for entry in gone]}
        facts |= {"kernels": len(kernels), "kernel_bytes": sum(kernels)}
        facts |= {"provider_models": len(provider), "provider_bytes": sum(provider)}
        print_json(facts | {"bytes": total, "entries": [asdict(entry) for entry in entries]})
    elif names:
        for entry in gone:
            click.echo(f"removed {entry.key[:SHORT]}, {printable(entry.label)}, {bytes_label(entry.bytes)}")
    else:
        rows = table_rows(entries[::-1])
        if rows and not clear:
            print_rows(rows, f"compiled networks in {printable(str(place.folder))}", as_json=False)
        said = "removed" if clear else "kept" if is_on() else "kept, and the cache is turned off"
        of = "" if clear else f" of at most {bytes_label(place.limit)}"
        networks = f"{len(gone) if clear else len(entries)} compiled networks, {bytes_label(total)}{of}"
        parts = [networks, f"{len(kernels)} kernels, {bytes_label(sum(kernels))}"]
        if provider:
            parts.append(f"{len(provider)} models of ONNX Runtime's provider, {bytes_label(sum(provider))}")
        click.echo(f"{', '.join(parts[:-1])}, and {parts[-1]}, {said} in {printable(str(place.folder))}")
    if len(gone) < len(entries) and (names or clear):
        left = ", ".join(entry.key[:SHORT] for entry in entries if entry not in gone)
        raise click.ClickException(f"cannot be removed from '{place.folder}': {left}")


def named(name: str, entries: Sequence[Entry]) -> Entry:
    """Return the entry of a name: the first digits of its key, or its network's name, path or file name.
    Raises InputError for a name of none or of several."""
    found = [entry for entry in entries if name and entry.key.startswith(name)]
    found = found or [entry for entry in entries if name in (entry.label, os.path.basename(entry.label))]
    found = found or [entry for entry in entries if os.path.abspath(name) == entry.label]
    if not found:
        known = [entry.key[:SHORT] for entry in entries] + [entry.label for entry in entries]
        known += [os.path.basename(entry.label) for entry in entries]
        raise InputError(f"no compiled network '{name}' is kept{nearest(name, known)}; 'cache' lists them")
    if len(found) > 1:
        each = "; ".join(
            " ".join([entry.key[:SHORT], *(entry.facts.get(fact, "") for fact in SHOWN)]).strip()
            for entry in found
        )
        raise InputError(f"'{name}' names {len(found)} compiled networks; give the digits of one: {each}")
    return found[0]


def table_rows(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """Return a row for each entry: what it is, and as many facts more as tell entries apart."""
    from tvm_directconv.text import bytes_label

    shown = [
        {"network": printable(entry.label)} | {fact: printable(entry.facts.get(fact, "")) for fact in SHOWN}
        for entry in entries
    ]
    for fact, heading in TOLD_APART_BY.items():
        alike: dict[tuple[str, ...], set[str]] = {}
        for row, entry in zip(shown, entries, strict=True):
            alike.setdefault(tuple(row.values()), set()).add(entry.facts.get(fact, ""))
        if any(len(values) > 1 for values in alike.values()):
            shown = [
                row | {heading: entry.facts.get(fact, "")} for row, entry in zip(shown, entries, strict=True)
            ]
    return [
        {
            "name": entry.key[:SHORT],
            **row,
            "on_disk": bytes_label(entry.bytes),
            "last_used": datetime.fromtimestamp(entry.used).isoformat(" ", "minutes"),
        }
        for entry, row in zip(entries, shown, strict=True)
    ]


def printable(text: str) -> str:
    """Return a text that any terminal takes: names of files may have bytes that are not characters."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
