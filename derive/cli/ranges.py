"""The verbs over ranges: `sweep` makes tables along them, `sample` draws from them, `border` finds regimes in them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from derive.cli.output import put, put_picture, say_data, warn
from derive.cli.request import Request, Turn, in_turn, prove_single, value_or_list

if TYPE_CHECKING:
    from derive.tables.table import Table
    from derive.tables.table_checks import Cautions

_ROWS = 25  # limit on rows of the table on a terminal


def sweep(asked: Request, points: int) -> int:
    """Ask for TARGET along axes: LOW..HIGH and lists are axes, a range logarithmic from two decades on.

    A given may be a range, as in "300 +/- 20 FLOP/byte": the table then has bounds. Which checks fail at how many
    points, which givens play no part, and what is assumed in the middle of the axes, is said on the standard error.
    """
    read = {name: _read(name, text, points) for name, text in asked.given.items()}
    if not any(".." in text or isinstance(read[name], list) for name, text in asked.given.items()):
        raise click.UsageError(
            'There is no axis. Write one as  NAME="LOW..HIGH UNIT", such as  batch="1..4096 sequence"'
        )
    if asked.ending == ".csv" and not (asked.each or asked.as_json or _is_ranged(read)) and asked.output != "-":
        return _filed(asked.library.stream(asked.targets, *asked.profiles, **read), asked)
    from derive.tables.table_checks import Cautions

    def table_of(turn: Turn) -> Table:
        return asked.library.sweep(asked.targets, *turn.profiles, *asked.profiles, **read, **turn.given)

    turns, status = in_turn(asked, table_of)
    tables = {turn.label: table for turn, table in turns}
    if tables:
        _put_out(tables, asked)
    if asked.as_json:
        data = [{**turn.data, **_data(table)} for turn, table in turns]
        say_data({"each": data} if asked.each else _data(tables[""]))
    for label, table in tables.items():
        cautions = Cautions()
        cautions.add(table)
        status = max(status, _status(cautions, asked.strict, f"with {label}: " if label else ""))
    return status


def _read(name: str, text: str, points: int) -> Any:
    """An axis or a given of `sweep`; an axis that cannot be read stays text, to be refused with all other givens."""
    from derive.errors import DeriveError
    from derive.tables.axes import spanned
    from quantities.value import read_value

    if ".." not in text:
        return value_or_list(text)
    try:
        if read_value(text).is_range:
            return spanned(text, points)
    except DeriveError:
        return text
    raise click.UsageError(f"{name}={text} is no axis: its ends are equal. Give one value, or a range.")


def _is_ranged(read: Mapping[str, Any]) -> bool:
    """Whether a given of `sweep` is no axis but a range, `+/-`, for which the solver is called at each point."""
    return any("+/-" in str(value) or "±" in str(value) for value in read.values())


def _put_out(tables: Mapping[str, Table], asked: Request) -> None:
    """Put out a swept table: write the file, draw the picture, or else show the tables beside each other."""
    import csv
    import io

    from derive.tables.exports import beside_each_other
    from derive.tables.table_charts import captioned, charts, charts_of_each

    if asked.ending == ".csv":  # all points, with all digits
        out = io.StringIO(newline="")
        names, rows = beside_each_other(tables, slice(None))
        csv.writer(out, lineterminator="\n").writerows([[name.strip() for name in names], *rows])
        put(str(asked.output), out.getvalue())
    elif asked.ending:
        drawn = charts_of_each(tables) if asked.each else charts(tables[""])
        put_picture(str(asked.output), "sweep", captioned(drawn, *tables.values()))
    elif not asked.as_json:
        _print(tables, asked.digits)


def _filed(tables: Iterable[Table], asked: Request) -> int:
    """Write a command's table over ranges as a CSV file piece by piece, in the memory of one piece."""
    from derive.tables.exports import write_csv
    from derive.tables.table_checks import Cautions

    cautions = Cautions()

    def noted() -> Iterator[Table]:
        for table in tables:
            yield table
            cautions.add(table)

    write_csv(str(asked.output), noted())
    return _status(cautions, asked.strict)


def _status(cautions: Cautions, is_strict: bool, beginning: str = "") -> int:
    """Print a sweep's cautions; the exit status is 0 if any point has an answer and, if strict, nothing is amiss."""
    for caution in cautions:
        warn(f"{beginning}{caution}.")
    if not cautions.is_answered:
        warn(f"{beginning}there is no answer at any point.\n  Run derive solve at one of them: it says why.")
        return 1
    return 1 if is_strict and (cautions.failing or cautions.missing or cautions.unused or cautions.remarks) else 0


def _print(tables: Mapping[str, Table], digits: int) -> None:
    """Print a command's tables over ranges beside each other, thinned so that they can be read."""
    import numpy

    from derive.presentation.text import columns
    from derive.tables.exports import beside_each_other

    first = next(iter(tables.values()))
    count = len(first)
    is_tested = any(table.failed for table in tables.values())
    chosen = numpy.unique(numpy.linspace(0, count - 1, min(count, _ROWS)).round().astype(int))
    names, lines = beside_each_other(tables, chosen, is_tested)
    rows = [[_cell(cell, digits) for cell in line] for line in lines]
    are_numbers = [i for i in range(len(names)) if any(isinstance(line[i], float) for line in lines)]
    for number, line in enumerate(columns([[name.strip() for name in names], *rows], right=are_numbers)):
        click.secho(line, bold=number == 0)
    if len(chosen) < count:
        click.echo(f"{len(chosen)} of {count} points; -o FILE.csv writes them all.", err=True)


def _cell(cell: Any, digits: int) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.{digits}g}" if isinstance(cell, float) else cell or "-"


def _data(table: Table) -> dict[str, Any]:
    """A command's table over ranges as data: the values of each axis, and of each column in the order of the rows."""

    def listed(arrays: Any) -> dict[str, Any]:
        return {name: {"unit": table.units[name], "values": array.ravel().tolist()} for name, array in arrays.items()}

    return {
        "axes": listed(table.axes),
        "columns": listed(table.columns),
        "regimes": {name: regime.words.ravel().tolist() for name, regime in table.regimes.items()},
        "holds": table.holds.ravel().tolist(),
        "failed": {name: column.ravel().tolist() for name, column in table.failed.items()},
        "unused": list(table.unused),
        "remarks": [remark.data for remark in table.remarks],
    }


def sample(asked: Request, points: int, seed: int) -> int:
    """Draw points from the ranges among the givens and the profiles' values, and say where TARGET mostly lies.

    The same seed draws the same points. Which checks fail, which givens play no part, and what is assumed in the
    middle of the ranges, is said on the standard error.
    """
    prove_single(asked.given)
    drawn = asked.library.sample(asked.target, *asked.profiles, points=points, seed=seed, **asked.given)
    document = drawn._document(asked.digits)
    status = asked.tell("sample", document)
    if not (asked.as_json or asked.output == "-" or sys.stdout.isatty()):  # on a terminal, all of it stands in the text
        for caution in document.cautions:
            warn(f"{caution}.")
    return status


def border(asked: Request) -> int:
    """Find where along one or two ranges another arm binds for TARGET, or a check ceases to hold.

    Each border is told in closed form where it has one. The map shows regions, borders and levels of TARGET.
    """
    over = [name for name, text in asked.given.items() if ".." in text]
    if not over:
        raise click.UsageError(
            'There is no range. Write one as  NAME="LOW..HIGH UNIT", such as  batch="1..4096 sequence"'
        )
    if len(over) > 2:
        raise click.UsageError(
            f"{', '.join(over)} are ranges: a border is drawn over one or two. Give the others one value each."
        )
    prove_single(asked.given)
    borders = asked.library.border(asked.target, *asked.profiles, over=over, **asked.given)
    return asked.tell("border", borders._document(asked.digits))
