"""``python -m tvm_directconv.bench NAME.json...`` draws stored results anew, from their rounds."""

from __future__ import annotations

from pathlib import Path

import click

from tvm_directconv.errors import BenchmarkError

from .results import Result


@click.command()
@click.argument(
    "results", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
def draw(results: tuple[Path, ...]) -> None:
    """Draw RESULTS, files that ``tvm-directconv bench --save`` wrote: NAME.json as NAME.png, beside it."""
    for path in results:
        try:
            Result.from_json(path.read_text()).plot(path.with_suffix(".png"))
        except (BenchmarkError, UnicodeDecodeError) as error:
            raise click.ClickException(f"{path}: {error}") from None
        click.echo(path.with_suffix(".png"))


if __name__ == "__main__":
    draw(prog_name="python -m tvm_directconv.bench")
