"""The tools of an assistant: each takes plain data and gives a reply of text and data.

A reply says what an answer says: the value with its unit, the steps, the sources, what was assumed, which checks fail,
and which givens played no part. A text of relations may come with a question. It may use installed libraries, and no
files: whoever asks here may not be the one whose files these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, ExpressionError
from derive.time_limits import limits, query
from quantities.temporary import units_for_a_while

if TYPE_CHECKING:
    from derive.library import Library
    from derive.relation_files.loading import Reader
    from derive.solving.execution.answer import Answer

LONGEST = 60.0
"""Limit on the seconds that a question may be given."""

_LISTED = 50  # entries of a list, unless more are asked for


@dataclass(frozen=True, slots=True)
class Reply:
    """What an assistant is told, and the same as data."""

    text: str
    data: dict[str, Any]
    is_refusal: bool = False


@dataclass(frozen=True)
class Tools:
    """Questions about one library, and about relations that come with a question.

    >>> from derive.relation_files.loading import load
    >>> fall = load('''[quantities]
    ... height = { unit = "m" }
    ... time = { unit = "s" }
    ... gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
    ... [relations.fall]
    ... equation = "height = gravity*time**2/2"''')
    >>> reply = Tools(fall).solve("time", {"height": "10 m"})
    >>> reply.text.splitlines()[0], reply.data["unit"], round(reply.data["value"], 4)
    ('time = 1.42809 s', 's', 1.4281)
    """

    library: Library

    def solve(
        self,
        target: str,
        given: Mapping[str, Any] | None = None,
        profiles: Sequence[str] = (),
        relations: str = "",
        seconds: float = 10.0,
    ) -> Reply:
        """The reply to an assistant who asks for the one value of a quantity, with its derivation."""
        from derive.presentation.plain_data import answer_data

        with self._with(relations, seconds) as library:
            answer = library.solve(target, *profiles, **(given or {}))
            return _replied(answer.text(), answer_data(answer), answer)

    def formula(self, target: str, given: Sequence[str] = (), relations: str = "", seconds: float = 10.0) -> Reply:
        """The tool's reply with the closed form of a quantity in terms of others, as text and as data with units."""
        from sympy import latex  # reading sympy may take seconds, which are not the question's

        from derive.model.target_expressions import asking

        with self._with(relations, seconds) as asked:
            library, name = asking(asked, target)
            form = library.formula(name, given)
            names = name, *sorted(map(str, form.free_symbols))  # a set has another order in each process
            units = {each: str(library.declaration(each).dimension) or "1" for each in names}
            letters = {symbol: library.declared[str(symbol)].latex or str(symbol) for symbol in form.free_symbols}
            written = latex(form, symbol_names=letters)
            note = "It holds in coherent base units."
            data = {"target": target, "formula": str(form), "latex": written, "units": units, "note": note}
            return Reply(f"{target} = {form}\n{note}", data)

    def least(
        self,
        target: str,
        given: Mapping[str, Any] | None = None,
        profiles: Sequence[str | Sequence[str]] = (),
        such_that: Sequence[str] = (),
        sense: str = "least",
        relations: str = "",
        seconds: float = 30.0,
    ) -> Reply:
        """The reply with the choice that makes a quantity least or most; of a list of profiles any one may be taken."""
        named = [profile if isinstance(profile, str) else tuple(profile) for profile in profiles]
        with self._with(relations, seconds) as library:
            if "such_that" in (given or {}):
                raise DeriveError("such_that is no given.", hint="It is an argument beside the givens.")
            optimize = library.least if sense == "least" else library.most
            best = optimize(target, *named, such_that=list(such_that), **(given or {}))
            document = best._document()
            return _replied(document.text, document.data(), best.answer)

    def check(self, relations: str, seconds: float = 10.0) -> Reply:
        """The reply to an assistant on a text of relations: its problems, each with its line and what would mend it."""
        from derive.file_checks import tested
        from derive.presentation.plain_data import attributes

        with limits(seconds=min(seconds, LONGEST)), query(), units_for_a_while():
            reader = tested(self._read(relations))
            problems = [problem for problem, _ in reader.notes.errors]
        listed = [attributes(problem, "line", "relation", "message", "hint") for problem in problems]
        counts = {"relations": len(reader.relations), "quantities": len(reader.quantities)}
        text = "\n".join(map(str, problems))
        if not problems:
            text = f"consistent ({counts['relations']} relations, {counts['quantities']} quantities)"
        return Reply(text, {"consistent": not problems, "problems": listed, **counts})

    def find(self, words: str) -> Reply:
        """The tool's reply with the quantities, relations and profiles that match an assistant's words."""
        from derive.catalogue import matching

        with query():
            (_, *rows) = matching(self.library, words)
        return _listed(("kind", "name", "unit", "meaning"), rows, _LISTED, f"Nothing matches {words}.")

    def list(self, kind: str = "quantities", words: str = "", most: int = _LISTED) -> Reply:
        """The tool's reply that lists what the library holds of a kind, or what of it mentions all the words."""
        from derive.catalogue import mentioning, rows

        header = rows(self.library, kind)[0]
        return _listed(header, mentioning(self.library, kind, words.split()), most, f"No {header[0]} mentions {words}.")

    def show(self, name: str) -> Reply:
        """The reply of the tool that tells all that bear a name: a quantity, a relation, a profile."""
        from derive.catalogue import entries

        lines: list[str] = []
        data = []
        for heading, rows in entries(self.library, name):
            lines += [heading, *(f"  {label}: {text}" for label, text in rows)]
            data.append({"entry": heading, "facts": [{"is": label, "said": text} for label, text in rows]})
        return Reply("\n".join(lines), {"name": name, "entries": data})

    # What comes with a question

    @contextmanager
    def _with(self, relations: str, seconds: float) -> Iterator[Library]:
        """The library with the relations of an assistant's question, to be asked within so many seconds."""
        import derive.solving.answering.solver  # noqa: F401  # as with sympy

        with limits(seconds=min(seconds, LONGEST)), query():
            if not relations.strip():
                yield self.library
                return
            from derive.relation_files.loading import proved

            with units_for_a_while():  # those of the text
                yield self.library | proved(self._read(relations))

    def _read(self, relations: str) -> Reader:
        """Read a text of relations over the library; it may use installed libraries, and no files."""
        from derive.relation_files.file_text import parse_source
        from derive.relation_files.loading import read

        document = parse_source(relations, "", Path())
        used = document.data.get("uses", ())
        if isinstance(used, list) and any(str(name).endswith(".toml") for name in used):
            what = "uses: a text that comes with a question uses no files."
            raise ExpressionError(what, hint='Use installed libraries, as in uses = ["llm"], or state it in the text.')
        return read(document, self.library)


def _replied(text: str, data: Mapping[str, Any], answer: Answer) -> Reply:
    """A tool's result as text, and as data with its sources and that text."""
    return Reply(text, {**data, "sources": [str(source) for source in answer.sources], "text": text})


def _listed(header: Sequence[str], rows: Sequence[Sequence[str]], most: int, none: str) -> Reply:
    """The rows that an assistant's tool lists as data under the names of the header, and as lines."""
    from derive.presentation.text import columns

    shown = rows[:most]
    entries = [dict(zip(header, row, strict=True)) for row in shown]
    lines = columns([tuple(header), *map(tuple, shown)]) if shown else [none]
    more = [f"... {len(rows) - len(shown)} more: ask with words, or for more."] if len(rows) > len(shown) else []
    return Reply("\n".join([*lines, *more]), {"found": entries, "total": len(rows)})


def refusal(error: DeriveError) -> Reply:
    """The refusal of an assistant's tool: why there is no answer, in words and as data.

    >>> from derive.errors import unknown
    >>> refusal(unknown("quantity", "lenght", ["length"])).data["suggestions"]
    ['length']
    """
    from derive.presentation.plain_data import finite_data

    data: dict[str, Any] = {"error": type(error).__name__, "message": error.what, "hint": error.hint}
    for fact in ("missing", "conflicts", "suggestions", "reason", "limit"):
        if value := getattr(error, fact, None):
            data[fact] = finite_data(value)  # with lists in the place of tuples
    if answers := getattr(error, "answers", ()):
        data["answers"] = [str(answer).splitlines()[0] for answer in answers]
    return Reply(str(error), data, is_refusal=True)
