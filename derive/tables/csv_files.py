"""Tables as CSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from os import PathLike
from typing import TYPE_CHECKING, Any

from derive.files import written_whole
from derive.presentation.numbers import labelled

if TYPE_CHECKING:
    from derive.tables.table import Table

__all__ = ["beside_each_other", "heading", "lines", "write_csv"]

_PIECE = 1 << 16  # lines written at once


def write_csv(path: str | PathLike[str], tables: Iterable[Table]) -> None:
    """Write tables one below the other, under one heading; numbers have all their digits."""
    with written_whole(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        for i, table in enumerate(tables):
            if i == 0:
                writer.writerow(heading(table))
            for start in range(0, len(table), _PIECE):
                writer.writerows(lines(table, slice(start, start + _PIECE)))
        text.detach()  # writes its buffer


def beside_each_other(
    tables: Mapping[str, Table], chosen: Any, is_tested: bool = True
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The heading and the lines of tables over the same axes, these once, and all other columns with their label."""
    first = next(iter(tables.values()))
    axes = len(first.axes)
    names = heading(first, is_tested)[:axes]
    rows: list[tuple[Any, ...]] = [line[:axes] for line in lines(first, chosen, is_tested)]
    for label, table in tables.items():
        names += [f"{name} {label}" for name in heading(table, is_tested)[axes:]]
        own = lines(table, chosen, is_tested)
        rows = [(*row, *line[axes:]) for row, line in zip(rows, own, strict=True)]
    return names, rows


def heading(table: Table, is_tested: bool = True) -> list[str]:
    """The names of the columns, each with its unit: `batch [sequence]`."""
    held = [labelled(name, table.units[name]) for name in (*table.axes, *table.columns)]
    return [*held, *table.regimes, *(table.own_names if is_tested else ())]


def lines(table: Table, chosen: Any, is_tested: bool = True) -> Iterator[tuple[Any, ...]]:
    """The lines of a table, one for each point; a cell without a number is empty.

    If the points are tested, the last cells say whether all checks hold, and which do not.
    """
    columns = [[None if x != x else x for x in column.flat[chosen].tolist()] for column in table.rows().values()]
    words = [[*regime.arms, ""] for regime in table.regimes.values()]
    for names, regime in zip(words, table.regimes.values(), strict=True):
        columns.append([names[code] for code in regime.codes.flat[chosen].tolist()])
    if is_tested:
        columns += [table.holds.flat[chosen].tolist(), table.fails.flat[chosen].tolist()]
    return zip(*columns, strict=True)
