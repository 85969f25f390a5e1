"""The cell magic `%%derive NAME`: a relation file as a cell, and its problems below it.

    %%derive pendulum --add
    [quantities]
    length = { unit = "m" }

`NAME` is bound to the library, with `--add` to the built-in one with these relations in it. Where something does not
fit, nothing is bound, and each problem is shown with the line of the cell that it is about, and with its mend.
"""

from __future__ import annotations

import html
from keyword import iskeyword
from typing import Any

from derive.checking import tested
from derive.errors import DeriveError, ExpressionError, Problem
from derive.relation_files.loading import read
from derive.relation_files.sources import parse_source

__all__ = ["Report", "add_cell", "read_cell"]


class Report:
    """The problems of a cell, each below the line that it is about."""

    def __init__(self, text: str, problems: tuple[Problem, ...]) -> None:
        self.text = text
        self.problems = problems

    def __repr__(self) -> str:
        return "\n".join(map(str, self.problems))

    def _repr_html_(self) -> str:
        rows = []
        for number, line in enumerate(self.text.split("\n"), 1):
            met = [problem for problem in self.problems if problem.line == number]
            rows += [f"{number:>4}  {html.escape(line)}"] if met else []
            rows += [f'<b style="color: #b3261e">{html.escape(_said(problem))}</b>' for problem in met]
        placeless = [html.escape(_said(problem)) for problem in self.problems if not problem.line]
        return "<pre>" + "\n".join([*placeless, *rows]) + "</pre>"


def _said(problem: Problem) -> str:
    return "\n".join(f"      {line.strip()}" for line in f"{problem.message}\n{problem.hint}".strip().split("\n"))


def read_cell(line: str, text: str) -> tuple[str, Any]:
    """The name that a cell binds, and its library; or no name, and the report of its problems.

    >>> name, pendulum = read_cell("pendulum", '[quantities]\\nlength = { unit = "m" }')
    >>> name, list(pendulum.quantities)
    ('pendulum', ['length'])
    >>> read_cell("pendulum", '[quantities]\\nlength = { unit = "metr" }')
    ('', line 2: length: unit 'metr': 'metr' is not a unit.
      Did you mean metre or meter?)
    """
    words = line.split()
    adds = "--add" in words
    names = [word for word in words if word != "--add"]
    if len(names) != 1 or not names[0].isidentifier() or iskeyword(names[0]):
        what = f"%%derive {line}: this names no variable."
        raise ExpressionError(what, hint="Write %%derive NAME, or %%derive NAME --add.")
    from derive.tokens.relations import library as built_in

    beside = built_in() if adds else None
    reader = tested(read(parse_source(text), beside))
    if reader.notes.errors:
        return "", Report(text, tuple(problem for problem, _ in reader.notes.errors))
    library = reader.library()
    return names[0], library if beside is None else beside | library


def add_cell(shell: Any) -> None:
    """Add the magic to a shell."""
    from IPython.core.error import UsageError
    from IPython.display import display

    def derive(line: str, cell: str) -> None:
        try:
            name, found = read_cell(line, cell)
        except DeriveError as error:  # of the line, or of both libraries together: shown without a traceback
            raise UsageError(str(error)) from None
        if name:
            shell.push({name: found})
        display(found)  # type: ignore[no-untyped-call, unused-ignore]

    shell.register_magic_function(derive, magic_kind="cell", magic_name="derive")
