"""Elimination of small linear systems as lines of a kernel, by Gauss and Jordan's method.

It is unrolled to lines that are the same in every dialect. Rows are exchanged by selection, not by branches, so every
point of an array has its own pivots.
"""

from __future__ import annotations

from collections.abc import Sequence

from derive.kernels.backends.emitter import Sheet

_NOTHING = "0.0"


def write_elimination(sheet: Sheet, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Write a kernel's elimination of a small linear system, and return its further columns; NaN if singular.

    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sheet = Sheet(Floats())
    >>> (found,) = write_elimination(sheet, [["a0", "a1"]])
    >>> [line.strip() for line in sheet.lines], found
    (['v0 = a1 / a0'], ['v0'])
    """
    table = [list(row) for row in rows]
    for column in range(len(table)):
        _write_pivoting(sheet, table, column)
        pivot = table[column]
        if pivot[column] == _NOTHING:
            pivot[column] = "nan"
        for place in range(column + 1, len(pivot)):
            if pivot[place] != _NOTHING:
                pivot[place] = sheet.line(f"{pivot[place]} / {pivot[column]}")
        for row in table[:column] + table[column + 1 :]:
            _write_clearing(sheet, row, pivot, column)
    return [row[len(table) :] for row in table]


def _write_pivoting(sheet: Sheet, table: list[list[str]], column: int) -> None:
    """Write a kernel's lines that move the largest entry of a column to its pivot, for elimination."""
    top, size = table[column], sheet.dialect.size
    for row in table[column + 1 :]:
        if row[column] == _NOTHING:
            continue
        test = sheet.line(f"({size}({row[column]}) > {size}({top[column]}))")
        for place in range(column, len(top)):
            if top[place] != row[place]:
                larger = sheet.dialect.pick(test, row[place], top[place])
                smaller = sheet.dialect.pick(test, top[place], row[place])
                top[place], row[place] = sheet.line(larger), sheet.line(smaller)


def _write_clearing(sheet: Sheet, row: list[str], pivot: Sequence[str], column: int) -> None:
    """Write a kernel's lines that subtract a multiple of the pivot row, so that elimination leaves zero there."""
    factor = row[column]
    if factor == _NOTHING:
        return
    for place in range(column + 1, len(row)):
        if pivot[place] != _NOTHING:
            product = f"{factor} * {pivot[place]}"
            row[place] = sheet.line(f"-({product})" if row[place] == _NOTHING else f"{row[place]} - {product}")
    row[column] = _NOTHING
