"""Gauss-Jordan elimination unrolled: a small linear system as source lines, the same in every dialect.

Rows are exchanged by selection, not by branches, so every point of an array has its own pivots.
"""

from __future__ import annotations

from collections.abc import Sequence

from derive.kernels.backends.shared_lines import Sheet

__all__ = ["eliminated"]

_NOTHING = "0.0"


def eliminated(sheet: Sheet, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The columns beyond the square after elimination; not numbers where the system is singular.

    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sheet = Sheet(Floats())
    >>> (found,) = eliminated(sheet, [["a0", "a1"]])
    >>> [line.strip() for line in sheet.lines], found
    (['v0 = a1 / a0'], ['v0'])
    """
    table = [list(row) for row in rows]
    for column in range(len(table)):
        _pivoted(sheet, table, column)
        pivot = table[column]
        if pivot[column] == _NOTHING:
            pivot[column] = "nan"
        for at in range(column + 1, len(pivot)):
            if pivot[at] != _NOTHING:
                pivot[at] = sheet.line(f"{pivot[at]} / {pivot[column]}")
        for row in table[:column] + table[column + 1 :]:
            _cleared(sheet, row, pivot, column)
    return [row[len(table) :] for row in table]


def _pivoted(sheet: Sheet, table: list[list[str]], column: int) -> None:
    """Move the largest entry of a column to its pivot."""
    top, size = table[column], sheet.dialect.size
    for row in table[column + 1 :]:
        if row[column] == _NOTHING:
            continue
        test = sheet.line(f"({size}({row[column]}) > {size}({top[column]}))")
        for at in range(column, len(top)):
            if top[at] != row[at]:
                yes, no = sheet.dialect.pick(test, row[at], top[at]), sheet.dialect.pick(test, top[at], row[at])
                top[at], row[at] = sheet.line(yes), sheet.line(no)


def _cleared(sheet: Sheet, row: list[str], pivot: Sequence[str], column: int) -> None:
    """Subtract the multiple of the pivot's row that makes another row's entry vanish."""
    factor = row[column]
    if factor == _NOTHING:
        return
    for at in range(column + 1, len(row)):
        if pivot[at] != _NOTHING:
            taken = f"{factor} * {pivot[at]}"
            row[at] = sheet.line(f"-({taken})" if row[at] == _NOTHING else f"{row[at]} - {taken}")
    row[column] = _NOTHING
