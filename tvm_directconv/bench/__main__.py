"""``python -m tvm_directconv.bench NAME.json...`` draws stored results anew, from their rounds; with --memory
it prints what memory contestants took, as pages have it."""

from __future__ import annotations

from pathlib import Path

import click

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.files import read_file

from .results import Result
from .tables import memory_table


@click.command()
@click.argument(
    "results", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--memory", is_flag=True, help="Print a table of peak memory, in Markdown, and draw nothing.")
def draw(results: tuple[Path, ...], memory: bool) -> None:
    """Draw RESULTS, files that ``tvm-directconv bench --save`` wrote: NAME.json as NAME.png, beside it."""
    for path in results:
        try:
            text = read_file(path, "it", BenchmarkError).decode()
            result = Result.from_json(text)
            if memory:
                click.echo(memory_table(result))
                continue
            result.plot(path.with_suffix(".png"))
        except (BenchmarkError, UnicodeDecodeError) as error:
            raise click.ClickException(f"{path}: {error}") from None
        click.echo(path.with_suffix(".png"))


if __name__ == "__main__":
    draw(prog_name="python -m tvm_directconv.bench")
