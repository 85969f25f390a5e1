"""The verb `sweep`: tables along axes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.cli.shared import ADD, DIGITS, JSON, LIBRARY, WITH, givens, opened, say_data

if TYPE_CHECKING:
    from derive.tables.table import Table
    from derive.tables.table_checks import Cautions

__all__ = ["sweep"]

_ROWS = 25  # limit on rows of the table on a terminal
_ENDINGS = (".csv", ".svg")


@click.command(
    epilog='Example:  derive sweep cost_per_token,step_time batch="1..4096 sequence" context="8 ktoken/sequence" '
    'chips="8 chip" chip_price="2 USD/h/chip" --with h100-sxm:fp8 --with llama3-70b -o cost.svg'
)
@click.argument("targets", metavar="TARGET[,TARGET]")
@click.argument("given", nargs=-1, metavar="NAME=LOW..HIGH [NAME=VALUE ...]")
@WITH
@LIBRARY
@ADD
@click.option("--points", type=click.IntRange(min=2), default=50, metavar="N", help="Points on each axis (50).")
@click.option("-o", "output", metavar="FILE", help="A .csv with every point, or a picture as .svg.")
@DIGITS
@click.option("--strict", is_flag=True, help="Exit with 1 if a check fails at any point, or a given plays no part.")
@JSON
def sweep(  # noqa: PLR0913, PLR0917  # click hands over each option by itself
    targets: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    points: int,
    output: str | None,
    digits: int | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Ask for TARGET along axes: LOW..HIGH is an axis, logarithmic from two decades on; a VALUE is a given.

    A given may be a range, as in "300 +/- 20 FLOP/byte": the table then has bounds. Which checks fail at how many
    points, and which givens play no part, is said on the standard error.
    """
    from derive.presentation.numbers import DIGITS as USUAL
    from derive.tables.axes import Axis
    from derive.tables.table_checks import Cautions

    ending = _ending(output)
    wanted = [name.strip() for name in targets.split(",") if name.strip()]
    read = {name: _read(text, points) for name, text in givens(given).items()}
    axes = {name for name, value in read.items() if isinstance(value, Axis)}
    if not axes:
        raise click.UsageError(
            'There is no axis. Write one as  NAME="LOW..HIGH UNIT", such as  batch="1..4096 sequence"'
        )
    library = opened(replaced, added)
    if (
        ending == ".csv"
        and not as_json
        and not any("+/-" in str(value) or "±" in str(value) for value in read.values())
    ):
        return _filed(library.stream(wanted, *profiles, **read), str(output), strict)
    table = library.sweep(wanted, *profiles, **read)
    if ending == ".csv":
        table.to_csv(str(output))
    elif ending == ".svg":
        from derive.output_files import write_whole
        from derive.presentation.plotting import as_svg
        from derive.tables.table_charts import charts

        write_whole(str(output), as_svg("sweep", *charts(table)))
    if as_json:
        say_data(_data(table))
    elif output is None:
        _print(table, digits or USUAL)
    found = Cautions()
    found.add(table)
    return _status(found, strict)


def _ending(output: str | None) -> str | None:
    if output is None:
        return None
    ending = Path(output).suffix.lower()
    if ending not in _ENDINGS:
        raise click.UsageError(f"{output!r}: unknown file format. Name a file that ends in .csv or .svg.")
    folder = Path(output).parent
    if Path(output).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        why = "it is a folder" if Path(output).is_dir() else "its folder does not exist or is not writable"
        raise click.UsageError(f"{output!r} cannot be written: {why}.")
    return ending


def _read(text: str, points: int) -> Any:
    """An axis or a given."""
    from derive.tables.axes import spanned

    return spanned(text, points) if ".." in text else text


def _filed(tables: Iterable[Table], path: str, strict: bool) -> int:
    """Write a CSV file piece by piece, in the memory of one piece."""
    from derive.tables.csv_files import write_csv
    from derive.tables.table_checks import Cautions

    found = Cautions()

    def noted() -> Iterator[Table]:
        for table in tables:
            yield table
            found.add(table)

    write_csv(path, noted())
    return _status(found, strict)


def _status(found: Cautions, strict: bool) -> int:
    """Zero if there is an answer at any point and, if strict, no check fails and every given is used."""
    for caution in found:
        click.echo(f"derive: {caution}.", err=True)
    if not found.is_answered:
        click.echo(
            "derive: there is no answer at any point.\n  Run derive solve at one of them: it says why.", err=True
        )
        return 1
    return 1 if strict and (found.failing or found.missing or found.unused) else 0


def _print(table: Table, digits: int) -> None:
    """The table, thinned so that it can be read."""
    import numpy

    from derive.presentation.text import columns
    from derive.tables.csv_files import heading, lines

    count, is_tested = len(table), bool(table.failed)
    chosen = numpy.unique(numpy.linspace(0, count - 1, min(count, _ROWS)).round().astype(int))
    rows = ([_cell(cell, digits) for cell in line] for line in lines(table, chosen, is_tested))
    of_numbers = range(len(table.axes) + len(table.columns))
    for number, line in enumerate(columns([heading(table, is_tested), *rows], right=of_numbers)):
        click.secho(line, bold=number == 0)
    if len(chosen) < count:
        click.echo(f"{len(chosen)} of {count} points; -o FILE.csv writes them all.", err=True)


def _cell(cell: Any, digits: int) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.{digits}g}" if isinstance(cell, float) else cell or "-"


def _data(table: Table) -> dict[str, Any]:
    """The table for programs: the values of each axis, and of each column in the order of the rows."""

    def listed(arrays: Any) -> dict[str, Any]:
        return {name: {"unit": table.units[name], "values": array.ravel().tolist()} for name, array in arrays.items()}

    return {
        "axes": listed(table.axes),
        "columns": listed(table.columns),
        "regimes": {name: regime.words.ravel().tolist() for name, regime in table.regimes.items()},
        "holds": table.holds.ravel().tolist(),
        "failed": {name: column.ravel().tolist() for name, column in table.failed.items()},
        "unused": list(table.unused),
    }
