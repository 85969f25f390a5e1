"""Each result as a notebook shows it: HTML with mathematics in MathML, LaTeX, and plain text.

HTML needs latex2mathml, and pictures matplotlib, both of the extra `reports`. Where one is missing, or a result cannot
be laid out, there is less to see and never an error: the notebook then shows the text.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from derive.errors import DeriveError
from derive.presentation.derivation import lay_out, stated
from derive.presentation.document import Formulas, Grid, Text, verbatim
from derive.presentation.html import Html
from derive.presentation.mathematics import equation, letter, unit
from derive.presentation.placed_remarks import largest
from derive.presentation.text import columns
from derive.presentation.writing import derivation, shown

__all__ = ["as_html", "as_latex", "as_text"]

_HTML = Html({})
_ROWS = 12  # rows of a table that are shown
_TESTED = 2000  # points of a table up to which its checks are tested to be shown
_STYLE = """<style>
.derive table { border-collapse: collapse; } .derive th, .derive td { text-align: left; padding: .2rem .7rem .2rem 0; }
.derive math[display=block] { margin: .6rem 0; text-align: left; }
.derive mtable.aligned mtd:nth-child(1) { text-align: right; }
.derive mtable.aligned mtd:nth-child(3) { text-align: left; } .derive .caution, .derive .fails { color: #b3261e; }
.derive pre { white-space: pre-wrap; } .derive svg { max-width: 44rem; height: auto; }
</style>"""


def as_html(thing: Any) -> str | None:
    """The inside of a cell's output; None where there is only text to show."""
    inside = ""
    with suppress(DeriveError):
        inside = _WAYS.get(_kind(thing), _document)(thing)
    return f'{_STYLE}<div class="derive">{inside}</div>' if inside else None


def as_latex(thing: Any) -> str | None:
    """One formula; None where a thing has none."""
    shown = ""
    with suppress(DeriveError):
        match _kind(thing):
            case "Answer":
                shown = lay_out(thing).headline
            case "Relation":
                shown = equation(thing.written, lambda name: letter(name, thing.declared[name].latex))
    return rf"$\displaystyle {shown}$" if shown else None


def as_text(thing: Any) -> str:
    """The text that `print` shows, or one line where there is none."""
    with suppress(DeriveError):
        match _kind(thing):
            case "Table":
                return _table_text(thing)
            case "Stream":
                return _stream_text(thing)
            case "RelationSet":
                return repr(thing)
    return str(thing)


def _kind(thing: Any) -> str:
    """The name of the first of a thing's types that is shown in a way of its own; empty where it is its document."""
    return next((kind.__name__ for kind in type(thing).__mro__ if kind.__name__ in _WAYS), "")


def _document(result: Any) -> str:
    """A result as its text, with the picture below it where it has one and pictures can be drawn."""
    picture = ""
    if hasattr(result, "_document"):
        with suppress(DeriveError, ImportError):
            from derive.presentation.plotting import as_svg

            if charts := result._document().charts():
                drawn = as_svg(f"{type(result).__name__}{id(result)}", *charts)
                picture = drawn[drawn.index("<svg") :]
    return f"<pre>{html.escape(str(result))}</pre>{picture}"


# What is no document, since it lies below the rooms that know of these, or is a table of numbers


def _answer(answer: Any) -> str:
    return derivation(answer, _HTML)


def _relation(relation: Any) -> str:
    letters = {name: letter(name, quantity.latex) for name, quantity in relation.declared.items()}
    said = [f"*{relation.name}*", verbatim(relation.because), relation.source and f"({verbatim(relation.source)})"]
    rows = [
        (
            f"${letters[name]}$",
            verbatim(name),
            f"${unit(q.unit.text)}$" if unit(q.unit.text) else "1",
            verbatim(q.meaning),
        )
        for name, q in relation.declared.items()
    ]
    return shown(
        [
            Text(" ".join(filter(None, said))),
            Formulas((stated(relation.written, letters.__getitem__),)),
            *(Text(f"when `{condition}`") for condition in relation.when),
            Grid(("symbol", "quantity", "unit", "meaning"), tuple(rows)),
        ],
        _HTML,
    )


def _library(library: Any) -> str:
    relations, quantities, profiles = len(library.relations), len(library.declared), len(library.profiles)
    title = verbatim(library.title or "Library")
    head = f"{title}: {relations} relations, {quantities} quantities, {profiles} profiles"
    rows = [(verbatim(one.name), f"`{one.written}`") for one in [*library.relations.values()][:_ROWS]]
    more = [("...", f"{relations - len(rows)} more")] if relations > len(rows) else []
    return shown([Text(head), Grid(("relation", "equation"), (*rows, *more))], _HTML)


def _problem(problem: Any) -> str:
    line = f"line {problem.line}: " if problem.line else ""
    return f'<pre class="fails">{html.escape(line + problem.message)}</pre><p>{html.escape(problem.hint)}</p>'


def _table(table: Any) -> str:
    header, rows = _cells(table)
    more = [Text(f"{len(table) - len(rows)} more points")] if len(table) > len(rows) else []
    numbers = Grid(tuple(map(verbatim, header)), tuple(tuple(row) for row in rows))
    return shown([numbers, *more], _HTML) + "".join(map(_HTML.caution, _unhidden(table)))


def _cells(table: Any) -> tuple[list[str], list[list[str]]]:
    """The first rows of a table, with units in the heading."""
    if table.is_lazy:
        return [f"{name} [{table.units[name] or '1'}]" for name in table.units], []
    columns = {name: column.ravel()[:_ROWS] for name, column in table.rows().items()}
    rows = [[f"{number:.6g}" for number in row] for row in zip(*columns.values(), strict=True)]
    return [f"{name} [{table.units[name] or '1'}]" for name in columns], rows


def _unhidden(table: Any) -> list[str]:
    """The checks that fail somewhere in a table, the givens without effect, and what its middle assumes."""
    if table.is_lazy or table.survey is None or len(table) > _TESTED:
        return []
    fails = [f"{name} fails at {int(where.sum())} of {len(table)} points" for name, where in table.failed.items()]
    return [*fails, *(f"{name} plays no part" for name in table.unused), *map(str, largest(table.remarks))]


def _optimum(found: Any) -> str:
    """The best choice, and the derivation of the answer there."""
    return f"{_document(found)}<details><summary>derivation</summary>{_answer(found.answer)}</details>"


def _table_text(table: Any) -> str:
    header, rows = _cells(table)
    more = [f"... {len(table) - len(rows)} more points"] if len(table) > len(rows) else []
    return "\n".join([*columns([header, *rows], right=range(len(header))), *more, *_unhidden(table)])


def _stream_text(stream: Any) -> str:
    targets = ", ".join(recipe.target for recipe in stream.survey.work.recipes)
    axes = " and ".join(line.name for line in stream.survey.lines)
    return f"a stream of {targets} over {axes}: {math.prod(map(len, stream.survey.lines))} points"


_WAYS: dict[str, Callable[[Any], str]] = {
    "Answer": _answer,
    "Optimum": _optimum,
    "Relation": _relation,
    "RelationSet": _library,
    "Problem": _problem,
    "Table": _table,
    "Stream": lambda stream: f"<p>{html.escape(_stream_text(stream))}</p>",
}
