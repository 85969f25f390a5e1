"""Each result as a notebook shows it: HTML with mathematics in MathML, LaTeX, and plain text.

HTML needs latex2mathml, and pictures matplotlib, both of the extra `reports`. Where one is missing, or a result cannot
be laid out, there is less to see and never an error: the notebook then shows the text.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from derive.errors import DeriveError
from derive.presentation.html import Html, formula
from derive.presentation.mathematics import equation, letter
from derive.presentation.mathematics import unit as typeset_unit
from derive.presentation.placed_remarks import largest

__all__ = ["as_html", "as_latex", "as_text"]

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
    inside = _told(_HTML, thing)
    return f'{_STYLE}<div class="derive">{inside}</div>' if inside else None


def as_latex(thing: Any) -> str | None:
    """One formula; None where a thing has none."""
    shown = _told(_LATEX, thing)
    return rf"$\displaystyle {shown}$" if shown else None


def as_text(thing: Any) -> str:
    """The text that `print` shows, or one line where there is none."""
    return _told(_TEXT, thing) or str(thing)


def _told(ways: dict[str, Callable[[Any], str]], thing: Any) -> str:
    """What a way for the thing's type says; empty if there is none, or it has nothing to say."""
    for kind in type(thing).__mro__:
        if kind.__name__ in ways:
            with suppress(DeriveError):
                return ways[kind.__name__](thing)
    return ""


# HTML


def _answer(answer: Any) -> str:
    from derive.presentation.writing import derivation

    return derivation(answer, Html({}))


def _relation(relation: Any) -> str:
    chosen = {name: letter(name, quantity.latex) for name, quantity in relation.declared.items()}
    stated = formula(equation(relation.written, chosen.__getitem__), "block")
    said = [f"<b>{html.escape(relation.name)}</b>", relation.because, relation.source and f"({relation.source})"]
    head = "<p>" + " ".join([said[0], *(html.escape(one) for one in said[1:] if one)]) + "</p>"
    when = [f"<p>when <code>{html.escape(condition)}</code></p>" for condition in relation.when]
    rows = [
        (formula(chosen[name], "inline"), html.escape(name), _unit(q.unit.text), html.escape(q.meaning))
        for name, q in relation.declared.items()
    ]
    return head + stated + "".join(when) + _grid(("symbol", "quantity", "unit", "meaning"), rows)


def _unit(text: str) -> str:
    shown = typeset_unit(text)
    return formula(shown, "inline") if shown else "1"


def _library(library: Any) -> str:
    title = html.escape(library.title or "Library")
    relations, quantities, profiles = len(library.relations), len(library.declared), len(library.profiles)
    head = f"<p><b>{title}</b>: {relations} relations, {quantities} quantities, {profiles} profiles</p>"
    shown = [*library.relations.values()][:_ROWS]
    rows = [(html.escape(one.name), f"<code>{html.escape(str(one.written))}</code>") for one in shown]
    more = [("...", f"{relations - len(shown)} more")] if relations > len(shown) else []
    return head + _grid(("relation", "equation"), [*rows, *more])


def _problem(problem: Any) -> str:
    line = f"line {problem.line}: " if problem.line else ""
    return f'<pre class="fails">{html.escape(line + problem.message)}</pre><p>{html.escape(problem.hint)}</p>'


def _table(table: Any) -> str:
    header, rows = _cells(table)
    shown = [tuple(map(html.escape, row)) for row in rows]
    more = len(table) - len(shown)
    below = [f"<p>{more} more points</p>"] if more > 0 else []
    below += [f'<p class="fails">{html.escape(one)}</p>' for one in _unhidden(table)]
    return _grid([html.escape(one) for one in header], shown) + "".join(below)


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


def _text_block(thing: Any) -> str:
    return f"<pre>{html.escape(str(thing))}</pre>"


def _drawn(thing: Any, charts: Callable[[Any], Sequence[Any]]) -> str:
    """The text with a picture below, where pictures can be drawn."""
    picture = ""
    with suppress(DeriveError, ImportError):
        from derive.presentation.plotting import as_svg

        drawn = as_svg(f"{type(thing).__name__}{id(thing)}", *charts(thing))
        picture = drawn[drawn.index("<svg") :]
    return _text_block(thing) + picture


def _with_charts_of(module: str) -> Callable[[Any], str]:
    return lambda thing: _drawn(thing, lambda drawn: import_module(module).charts(drawn))


def _optimum(found: Any) -> str:
    """The best choice, and the derivation of the answer there."""
    return f"{_text_block(found)}<details><summary>derivation</summary>{_answer(found.answer)}</details>"


def _grid(header: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{one}</th>" for one in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


# LaTeX


def _answer_formula(answer: Any) -> str:
    from derive.presentation.derivation import lay_out

    return lay_out(answer).headline


def _relation_formula(relation: Any) -> str:
    return equation(relation.written, lambda name: letter(name, relation.declared[name].latex))


# Text


def _table_text(table: Any) -> str:
    from derive.presentation.text import columns

    header, rows = _cells(table)
    more = [f"... {len(table) - len(rows)} more points"] if len(table) > len(rows) else []
    return "\n".join([*columns([header, *rows], right=range(len(header))), *more, *_unhidden(table)])


def _stream_text(stream: Any) -> str:
    targets = ", ".join(recipe.target for recipe in stream.survey.work.recipes)
    axes = " and ".join(line.name for line in stream.survey.lines)
    return f"a stream of {targets} over {axes}: {math.prod(map(len, stream.survey.lines))} points"


_HTML: dict[str, Callable[[Any], str]] = {
    "Answer": _answer,
    "Relation": _relation,
    "RelationSet": _library,
    "Problem": _problem,
    "Table": _table,
    "Stream": lambda stream: f"<p>{html.escape(_stream_text(stream))}</p>",
    "Sample": _with_charts_of("derive.tables.samples"),
    "Optimum": _optimum,
    "Front": _with_charts_of("derive.optimization.front"),
    "Comparison": _with_charts_of("derive.comparison.comparison"),
    "Borders": lambda found: _drawn(found, lambda borders: borders.charts),
    "Border": _text_block,
}
_LATEX: dict[str, Callable[[Any], str]] = {"Answer": _answer_formula, "Relation": _relation_formula}
_TEXT: dict[str, Callable[[Any], str]] = {"Table": _table_text, "Stream": _stream_text, "RelationSet": repr}
