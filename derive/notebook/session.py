"""What `%load_ext derive.notebook` adds to a shell: pictures, a cell magic, and the completion of names in questions.

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
import re
from collections.abc import Iterable, Mapping
from inspect import signature
from keyword import iskeyword
from typing import Any, NamedTuple

from derive.checking import tested
from derive.errors import DeriveError, ExpressionError, Problem
from derive.library import Library
from derive.relation_files.loading import read
from derive.relation_files.sources import parse_source

__all__ = ["Report", "add_cell", "add_completion", "add_pictures", "begun", "read_cell"]

_CALL = re.compile(r"([A-Za-z_][\w.]*)\.([a-z_]+)\($")
_OF_NAMES = {"formula", "compile", "reach", "quantity", "declaration", "at"}
"""What is asked of a library with names of quantities alone."""

_WORD = re.compile(r"[\w.:-]*$")
_MOST = 400


def add_pictures(shell: Any) -> None:
    """Show figures in a shell as SVG, also where no magic of matplotlib's was called."""

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


class Begun(NamedTuple):
    """What is being typed: the library's words, the verb, the number of the argument, and the word itself."""

    owner: str
    verb: str
    place: int
    word: str
    is_text: bool


def begun(text: str) -> Begun | None:
    """The question that is open at the end of a text; None if none is.

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
    for start, commas in reversed(opened):
        if call := _CALL.search(text[: start + 1]):
            return Begun(call[1], call[2], commas, word[0] if word else "", bool(quote))
    return None


def names_for(found: Begun, library: Library) -> list[str]:
    """The names that may stand where a question is being typed."""
    takes_givens = _takes_givens(found.verb)
    if not takes_givens and found.verb not in _OF_NAMES | {"profile"}:
        return []
    names: Iterable[str] = library.profiles
    if not found.is_text:
        names = [f"{name}=" for name in library.declared] if takes_givens and found.place else []
    elif found.verb in _OF_NAMES or (found.place == 0 and takes_givens):
        names = library.declared
    begins = [name for name in names if name.startswith(found.word)]
    return begins[:_MOST] or [name for name in names if found.word and found.word in name][:_MOST]


def _takes_givens(verb: str) -> bool:
    """Whether a verb of a library takes givens by keyword."""
    method = getattr(Library, verb, None)
    given = signature(method).parameters.get("given") if callable(method) else None
    return given is not None and given.kind is given.VAR_KEYWORD


def _owner(namespace: Mapping[str, Any], words: str) -> Library | None:
    """The library that dotted words name."""
    first, *rest = words.split(".")
    thing = namespace.get(first)
    if getattr(thing, "__name__", "") == "derive" and not rest:
        from derive.tokens.relations import library

        return library()
    for part in rest:
        thing = getattr(thing, "__dict__", {}).get(part)
    return thing if isinstance(thing, Library) else None


def add_completion(shell: Any) -> None:
    """Add the completion to a shell."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator, unused-ignore]
    def derive_names(context: Any) -> dict[str, Any]:
        lines = context.full_text.split("\n")
        text = "\n".join([*lines[: context.cursor_line], lines[context.cursor_line][: context.cursor_position]])
        found = begun(text[-4000:])
        library = found and _owner(shell.user_ns, found.owner)
        names = names_for(found, library) if found and library else []
        return {
            "completions": [SimpleCompletion(text=name, type="derive") for name in names],
            "matched_fragment": found.word if found else "",
            "suppress": bool(names),
        }

    matchers = shell.Completer.custom_matchers
    if not any(getattr(one, "__name__", "") == "derive_names" for one in matchers):
        matchers.append(derive_names)
