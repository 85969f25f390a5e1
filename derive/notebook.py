"""Notebooks: typeset answers, completion of names, a cell for relation files.

Each result is shown as HTML with mathematics in MathML, as LaTeX, and as plain text. HTML needs latex2mathml, and
pictures matplotlib, both of the extra `reports`. Where one is missing, or a result cannot be laid out, there is less to
see and never an error: the notebook then shows the text.

`%load_ext derive.notebook` completes targets, givens and profiles, draws figures, and adds the cell magic `%%derive`.
The magic is a relation file as a cell:

    %%derive pendulum --add
    [quantities]
    length = { unit = "m" }

Its name is bound to the library, with `--add` to the built-in one with these relations in it. Where something does not
fit, nothing is bound, and each problem is shown with the line of the cell that it is about, and with its mend.

Targets, givens and profiles are completed, also inside strings:

    pendulum.solve("per            the quantities
    pendulum.solve("period", len   the givens, by keyword
    derive.solve("batch", "h100    the profiles

The library is the one that the words before the call name: a variable of the session, or `derive` itself. Nothing is
evaluated for it but dotted names.
"""

from __future__ import annotations

import html
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from inspect import signature
from keyword import iskeyword
from typing import Any, NamedTuple

from derive.errors import DeriveError, ExpressionError, Problem
from derive.library import Library
from derive.presentation.cautions import largest
from derive.presentation.derivation import lay_out, stated
from derive.presentation.document import Formulas, Grid, Text, derivation, shown, verbatim
from derive.presentation.html import Html
from derive.presentation.mathematics import equation, letters_of, unit
from derive.presentation.text import columns

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
    """A result typeset as HTML for the output of a notebook's cell; None where there is only text to show."""
    inside = ""
    with suppress(DeriveError):
        inside = _RENDERERS.get(_kind(thing), _document)(thing)
    return f'{_STYLE}<div class="derive">{inside}</div>' if inside else None


def as_latex(thing: Any) -> str | None:
    """A result typeset for a notebook as one formula in LaTeX; None where it has none."""
    shown = ""
    with suppress(DeriveError):
        match _kind(thing):
            case "Answer":
                shown = lay_out(thing).headline
            case "Relation":
                shown = equation(thing.written, letters_of(thing.declared))
    return rf"$\displaystyle {shown}$" if shown else None


def as_text(thing: Any) -> str:
    """The text that a notebook shows for a result as `print` does, or one line where there is none."""
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
    """The first of a thing's types that is typeset in a notebook in a way of its own; empty if there is none."""
    return next((kind.__name__ for kind in type(thing).__mro__ if kind.__name__ in _RENDERERS), "")


def _document(result: Any) -> str:
    """The text of a result in a notebook's HTML, with a picture below it where it has one and it can be drawn."""
    picture = ""
    if hasattr(result, "_document"):
        with suppress(DeriveError, ImportError):
            from derive.presentation.plotting import as_svg

            if charts := result._document().charts():
                drawn = as_svg(f"{type(result).__name__}{id(result)}", *charts)
                picture = drawn[drawn.index("<svg") :]
    return f"<pre>{html.escape(str(result))}</pre>{picture}"


# Renderers of things that have no document: tables of numbers, and classes of packages below `presentation`


def _answer(answer: Any) -> str:
    return derivation(answer, _HTML)


def _relation(relation: Any) -> str:
    letters = letters_of(relation.declared)
    caption = [f"*{relation.name}*", verbatim(relation.because), relation.source and f"({verbatim(relation.source)})"]
    rows = [
        (
            f"${letters(name)}$",
            verbatim(name),
            f"${unit(q.unit.text)}$" if unit(q.unit.text) else "1",
            verbatim(q.meaning),
        )
        for name, q in relation.declared.items()
    ]
    return shown(
        [
            Text(" ".join(filter(None, caption))),
            Formulas((stated(relation.written, letters),)),
            *(Text(f"when `{condition}`") for condition in relation.when),
            Grid(("symbol", "quantity", "unit", "meaning"), tuple(rows)),
        ],
        _HTML,
    )


def _library(library: Any) -> str:
    relations, quantities, profiles = len(library.relations), len(library.declared), len(library.profiles)
    title = verbatim(library.title or "Library")
    head = f"{title}: {relations} relations, {quantities} quantities, {profiles} profiles"
    rows = [(verbatim(relation.name), f"`{relation.written}`") for relation in [*library.relations.values()][:_ROWS]]
    more = [("...", f"{relations - len(rows)} more")] if relations > len(rows) else []
    return shown([Text(head), Grid(("relation", "equation"), (*rows, *more))], _HTML)


def _problem(problem: Any) -> str:
    line = f"line {problem.line}: " if problem.line else ""
    return f'<pre class="fails">{html.escape(line + problem.message)}</pre><p>{html.escape(problem.hint)}</p>'


def _table(table: Any) -> str:
    header, rows = _cells(table)
    more = [Text(f"{len(table) - len(rows)} more points")] if len(table) > len(rows) else []
    numbers = Grid(tuple(map(verbatim, header)), tuple(tuple(row) for row in rows))
    return shown([numbers, *more], _HTML) + "".join(map(_HTML.caution, _cautions(table)))


def _cells(table: Any) -> tuple[list[str], list[list[str]]]:
    """The first rows of a table for a notebook's cell, with units in the heading."""
    if table.is_lazy:
        return [f"{name} [{table.units[name] or '1'}]" for name in table.units], []
    columns = {name: column.ravel()[:_ROWS] for name, column in table.rows().items()}
    rows = [[f"{number:.6g}" for number in row] for row in zip(*columns.values(), strict=True)]
    return [f"{name} [{table.units[name] or '1'}]" for name in columns], rows


def _cautions(table: Any) -> list[str]:
    """The cautions below a table in a notebook: failing checks, givens without effect, assumptions in its middle."""
    if table.is_lazy or table.survey is None or len(table) > _TESTED:
        return []
    fails = [f"{name} fails at {int(where.sum())} of {len(table)} points" for name, where in table.failed.items()]
    return [*fails, *(f"{name} plays no part" for name in table.unused), *map(str, largest(table.remarks))]


def _optimum(optimum: Any) -> str:
    """The best choice as a notebook shows it, with the derivation of the answer there to be opened."""
    return f"{_document(optimum)}<details><summary>derivation</summary>{_answer(optimum.answer)}</details>"


def _table_text(table: Any) -> str:
    header, rows = _cells(table)
    more = [f"... {len(table) - len(rows)} more points"] if len(table) > len(rows) else []
    return "\n".join([*columns([header, *rows], right=range(len(header))), *more, *_cautions(table)])


def _stream_text(stream: Any) -> str:
    targets = ", ".join(stream.survey.function.targets)
    axes = " and ".join(line.name for line in stream.survey.lines)
    return f"a stream of {targets} over {axes}: {math.prod(map(len, stream.survey.lines))} points"


_RENDERERS: dict[str, Callable[[Any], str]] = {
    "Answer": _answer,
    "Optimum": _optimum,
    "Relation": _relation,
    "RelationSet": _library,
    "Problem": _problem,
    "Table": _table,
    "Stream": lambda stream: f"<p>{html.escape(_stream_text(stream))}</p>",
}


# What `%load_ext derive.notebook` adds to a shell

_CALL = re.compile(r"([A-Za-z_][\w.]*)\.([a-z_]+)\($")
_OF_NAMES = {"formula", "compile", "reach", "quantity", "declaration", "at"}
"""What is asked of a library with names of quantities alone."""

_WORD = re.compile(r"[\w.:-]*$")
_MOST = 400


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext derive.notebook` calls."""
    add_pictures(shell)
    add_cell(shell)
    add_completion(shell)


def add_pictures(shell: Any) -> None:
    """As the notebook extension is loaded, have figures shown as SVG, also without a magic of matplotlib's."""

    def drawn(figure: Any) -> str:
        out = io.StringIO()
        figure.savefig(out, format="svg")
        return out.getvalue()

    shell.display_formatter.formatters["image/svg+xml"].for_type_by_name("matplotlib.figure", "Figure", drawn)


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
            problems_here = [problem for problem in self.problems if problem.line == number]
            rows += [f"{number:>4}  {html.escape(line)}"] if problems_here else []
            rows += [f'<b style="color: #b3261e">{html.escape(_indented(problem))}</b>' for problem in problems_here]
        placeless = [html.escape(_indented(problem)) for problem in self.problems if not problem.line]
        return "<pre>" + "\n".join([*placeless, *rows]) + "</pre>"


def _indented(problem: Problem) -> str:
    """A problem and its hint, as they stand below the line of the notebook's cell that they are about."""
    return "\n".join(f"      {line.strip()}" for line in f"{problem.message}\n{problem.hint}".strip().split("\n"))


def read_cell(line: str, text: str) -> tuple[str, Any]:
    """The name that a notebook cell binds, and its library; or no name, and the report of its problems.

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
    from derive.file_checks import tested
    from derive.relation_files.file_text import parse_source
    from derive.relation_files.loading import read

    reader = tested(read(parse_source(text), beside))
    if reader.notes.errors:
        return "", Report(text, tuple(problem for problem, _ in reader.notes.errors))
    library = reader.library()
    return names[0], library if beside is None else beside | library


def add_cell(shell: Any) -> None:
    """Add the magic for cells of relations to a notebook's shell."""
    from IPython.core.error import UsageError
    from IPython.display import display

    def derive(line: str, cell: str) -> None:
        try:
            name, content = read_cell(line, cell)
        except DeriveError as error:  # of the line, or of both libraries together: shown without a traceback
            raise UsageError(str(error)) from None
        if name:
            shell.push({name: content})
        display(content)  # type: ignore[no-untyped-call, unused-ignore]

    shell.register_magic_function(derive, magic_kind="cell", magic_name="derive")


class PartialInput(NamedTuple):
    """What is being typed: the library's words, the verb, the number of the argument, and the word itself."""

    owner: str
    verb: str
    place: int
    word: str
    is_text: bool


def begun(text: str) -> PartialInput | None:
    """The question that is open at the end of a notebook cell's text; None if none is.

    >>> found = begun('x = lib.solve("period", len')
    >>> found.owner, found.verb, found.place, found.word, found.is_text
    ('lib', 'solve', 1, 'len', False)
    >>> begun('lib.solve("period")') is None
    True
    """
    opened: list[tuple[int, int]] = []  # where each parenthesis opened, and how many commas came since
    quote = ""
    for i, mark in enumerate(text):
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark in "([{":
            opened.append((i, 0))
        elif mark in ")]}" and opened:
            opened.pop()
        elif mark == "," and opened:
            opened[-1] = opened[-1][0], opened[-1][1] + 1
    word = _WORD.search(text)
    for start, commas in reversed(opened):  # the innermost call of a library; a list in its arguments is none
        if call := _CALL.search(text[: start + 1]):
            typed = word[0] if word else ""
            return PartialInput(owner=call[1], verb=call[2], place=commas, word=typed, is_text=bool(quote))
    return None


def names_for(question: PartialInput, library: Library) -> list[str]:
    """The names that a notebook completes where a question is being typed."""
    takes_givens = _takes_givens(question.verb)
    if not takes_givens and question.verb not in _OF_NAMES | {"profile"}:
        return []
    names: Iterable[str] = library.profiles
    if not question.is_text:
        names = [f"{name}=" for name in library.declared] if takes_givens and question.place else []
    elif question.verb in _OF_NAMES or (question.place == 0 and takes_givens):
        names = library.declared
    begins = [name for name in names if name.startswith(question.word)]
    return begins[:_MOST] or [name for name in names if question.word and question.word in name][:_MOST]


def _takes_givens(verb: str) -> bool:
    """Whether the completion in a notebook may offer givens for a verb of a library, by keyword."""
    method = getattr(Library, verb, None)
    given = signature(method).parameters.get("given") if callable(method) else None
    return given is not None and given.kind is given.VAR_KEYWORD


def _owner(namespace: Mapping[str, Any], words: str) -> Library | None:
    """The library that the dotted words in a notebook cell name."""
    first, *attributes = words.split(".")
    thing = namespace.get(first)
    if getattr(thing, "__name__", "") == "derive" and not attributes:
        from derive.tokens.relations import library

        return library()
    for name in attributes:
        thing = getattr(thing, "__dict__", {}).get(name)
    return thing if isinstance(thing, Library) else None


def add_completion(shell: Any) -> None:
    """Add the completion of names to a notebook's shell."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator, unused-ignore]
    def derive_names(context: Any) -> dict[str, Any]:
        lines = context.full_text.split("\n")
        text = "\n".join([*lines[: context.cursor_line], lines[context.cursor_line][: context.cursor_position]])
        question = begun(text[-4000:])
        library = question and _owner(shell.user_ns, question.owner)
        names = names_for(question, library) if question and library else []
        return {
            "completions": [SimpleCompletion(text=name, type="derive") for name in names],
            "matched_fragment": question.word if question else "",
            "suppress": bool(names),
        }

    matchers = shell.Completer.custom_matchers
    if not any(getattr(matcher, "__name__", "") == "derive_names" for matcher in matchers):
        matchers.append(derive_names)
