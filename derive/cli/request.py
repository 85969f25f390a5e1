"""A question as it is typed: targets in their units, givens, profiles, and how the answer is to be told.

The verbs that ask have these arguments and options in common. `read` makes one `Request` of those that a verb takes; an
option that a verb does not take is not there at all.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from derive.cli.output import output_ending, put_picture, say, say_data, table, warn

if TYPE_CHECKING:
    from derive.errors import DeriveError
    from derive.library import Library
    from derive.presentation.charts import Chart
    from derive.presentation.text import Document, Result
    from derive.verbs import Verb

TurnResult = TypeVar("TurnResult")  # what a verb finds in a turn
Documented = TypeVar("Documented", bound="Result")
Rows = Sequence[tuple[str, ...]]

_BARE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# 0,5 and 1,000, which are no lists
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(0,\d+(?![\d,.])|\d{1,3}(,\d{3})*,0\d\d(?![\d.]))")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(?![\d,])")  # a number in groups of three digits
_THOUSANDS = re.compile(r"([+-]?[1-9]),(\d{3})(?![\d,.]|[eE][+-]?\d)")  # 1,500, which may be one number or two


@dataclass(frozen=True)
class Sources:
    """Where the library of a question is from: what replaces the built-in one, and what is added to it."""

    replaced: str | None = None
    added: tuple[str, ...] = ()

    @cached_property
    def library(self) -> Library:
        library = built_in() if self.replaced is None else _loaded(self.replaced, None)
        for file in self.added:
            library = library | _loaded(file, library)
        return library


def built_in() -> Library:
    """The built-in library, which a request asks unless it names another."""
    from derive.tokens.relations import library

    return library()


def _loaded(file: str, beside: Library | None) -> Library:
    from derive.relation_files.loading import load

    with about(file):
        return load(source_of(file), beside=beside)


@contextmanager
def about(file: str) -> Iterator[None]:
    """Name the file of a request that an error within is about, as it was typed."""
    from derive.errors import DeriveError

    try:
        yield
    except DeriveError as error:
        error.__dict__["file"] = file
        raise


def source_of(file: str) -> str | Path:
    """The file or the library that a request names; `-` is the text on the standard input."""
    from derive.files import content_of_stream
    from derive.relation_files.named_libraries import is_name

    if not file:
        raise click.UsageError("The name of a file is empty. Write the path of a relation file.")
    if file != "-":
        return file if is_name(file) else Path(file)
    if sys.stdin is None:
        raise click.UsageError("The standard input is closed, and the relation file is to be read from it.")
    try:
        return content_of_stream(sys.stdin.buffer).decode("utf-8-sig") + "\n"
    except UnicodeDecodeError as error:
        raise click.UsageError(f"The standard input is not UTF-8 text: byte {error.start} cannot be read.") from None


@dataclass(frozen=True)
class Turn:
    """What is taken in turn: one of every `--each`, profiles or the value of a given."""

    profiles: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return " + ".join([*self.profiles, *(f"{name} = {text}" for name, text in self.given.items())])

    @property
    def data(self) -> dict[str, Any]:
        """The turn of a request for programs; a turn of profiles alone has no givens."""
        return {"profiles": list(self.profiles), **({"given": dict(self.given)} if self.given else {})}


@dataclass(frozen=True)
class Request:
    """A question, read: what is asked, and how the answer is to be told."""

    targets: tuple[str, ...]
    given: Mapping[str, str]
    words: tuple[str, ...] = ()  # the givens as they are typed
    profiles: tuple[str, ...] = ()
    each: tuple[Turn, ...] = ()
    sources: Sources = Sources()  # frozen
    output: str | None = None
    ending: str = ""
    stated_digits: int | None = None
    strict: bool = False
    as_json: bool = False

    @property
    def library(self) -> Library:
        return self.sources.library

    @property
    def target(self) -> str:
        """The target of a request to a verb that has a single one."""
        return self.targets[0]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the request; where nothing is taken in turn, the question itself is the only one."""
        return self.each or (Turn(),)

    @property
    def names(self) -> list[str]:
        """The names of the request's givens, for a verb that asks for no values."""
        return [word.partition("=")[0].strip() for word in self.words]

    def refuse_values(self, why: str) -> None:
        """Refuse a request with values beside the names given, where the verb takes names alone and would lose them."""
        for word, name in zip(self.words, self.names, strict=True):
            if "=" in word:
                raise click.UsageError(f"{word!r}: {why}. Write {name} alone.")

    @property
    def digits(self) -> int:
        from derive.presentation.numbers import DIGITS

        return self.stated_digits or DIGITS

    def at(self, turn: Turn) -> tuple[tuple[str, ...], dict[str, str]]:
        """The profiles and the givens of the request in one turn."""
        return (*turn.profiles, *self.profiles), {**self.given, **turn.given}

    def tell(self, name: str, document: Document, text: Callable[[], None] | None = None) -> int:
        """Tell the result as the request asks: draw the picture, and print data for programs, or else the text.

        A text has its cautions below its headline; where there is none, they are said on the standard error. Returns
        the exit status.
        """
        if self.output is not None:
            put_picture(self.output, name, document.charts())
        if self.as_json:
            say_data(document.data())
        elif self.output != "-":
            (text or partial(say, document.text))()
        if self.as_json or self.output == "-":
            for caution in document.cautions:
                warn(f"{caution}.")
        return 1 if self.strict and document.is_amiss else 0

    def tell_each(
        self,
        name: str,
        find: Callable[[Turn], Documented],
        *,
        charts: Callable[[Mapping[str, Documented]], Sequence[Chart]],
        rows: Callable[[Mapping[str, Documented]], Rows],
        caution_format: str = "with {}: {}",
    ) -> int:
        """Tell the results of a request's turns as one table; each caution names its turn. Returns the exit status."""
        from derive.presentation.text import Document

        turns, status = in_turn(self, find)
        results = {turn.label: result for turn, result in turns}
        documents = {label: result._document(self.stated_digits) for label, result in results.items()}

        def text() -> None:
            if results:
                (_, *header), *body = rows(results)
                table((heading(self.each), *header), [("", body)])

        together = Document(
            headline="",
            charts=lambda: charts(results),
            data=lambda: {"each": [{**turn.data, **documents[turn.label].data()} for turn, _ in turns]},
        )
        shown = self if results else replace(self, output=None)  # no picture of nothing
        shown.tell(name, together, text)
        for label, document in documents.items():
            for caution in document.cautions:
                warn(f"{caution_format.format(label, caution)}.")
        return max(status, int(self.strict and any(document.is_amiss for document in documents.values())))


_COMMON = ("target", "given", "unit", "profiles", "each", "replaced", "added", "output", "digits", "strict", "as_json")


def read(verb: Verb, stated: dict[str, Any]) -> Request:
    """The request that a command makes: what all verbs that ask have in common is taken from what was stated."""
    common = {name: stated.pop(name) for name in _COMMON if name in stated}
    output, target = common.get("output"), common.pop("target", None)
    ending = output_ending(output, verb.endings, verb.hint)
    targets = as_targets(target) if target is not None else []
    given = givens(common["given"]) if "=" in verb.shows("given") else {}
    if len(targets) > 1 and "," not in verb.shows("target"):
        raise click.UsageError(f"There is one TARGET here, and {target!r} names {len(targets)}.")
    if output == "-" and common.get("as_json"):
        raise click.UsageError("-o - and --json both print on the standard output. Leave one out, or name a file.")
    asked = Request(
        targets=tuple(in_units(targets, common.pop("unit", None))),
        given=given,
        words=common.pop("given"),
        each=tuple(each_of(common.pop("each", ()), given)),
        sources=Sources(common.pop("replaced"), common.pop("added")),
        ending=ending,
        stated_digits=common.pop("digits", None),
        **common,
    )
    for name, mend in verb.settings.items():
        if name in asked.given or any(name in turn.given for turn in asked.each):
            raise click.UsageError(f"{name} is a setting here, and no given: {mend}.")
    return asked


def givens(texts: Sequence[str]) -> dict[str, str]:
    """The values of a request's words NAME=VALUE, by their names."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f'{text!r} is not NAME=VALUE. Write, for example,  length="2 m"')
        if name.strip() in values:
            raise click.UsageError(f"{name.strip()} is given twice.")
        values[name.strip()] = value.strip()
    return values


def as_targets(text: str) -> list[str]:
    """The targets of a request: what stands between commas that are in no parentheses.

    >>> as_targets("step_time, max(batch, chips) in chip")
    ['step_time', 'max(batch, chips) in chip']
    """
    depth, parts = 0, [""]
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return list(dict.fromkeys(part.strip() for part in parts if part.strip())) or [text]


def heading(turns: Iterable[Turn]) -> str:
    """The heading above a request's turns: `profile`, or `each` if a given is taken in turn."""
    return "each" if any(turn.given for turn in turns) else "profile"


def in_turn(asked: Request, find: Callable[[Turn], TurnResult]) -> tuple[list[tuple[Turn, TurnResult]], int]:
    """What is found in each turn of a request that has an answer, and the exit status; other turns' errors are told."""
    from derive.errors import DeriveError

    results: list[tuple[Turn, TurnResult]] = []
    errors: list[tuple[Turn, DeriveError]] = []
    for turn in asked.turns:
        try:
            results.append((turn, find(turn)))
        except DeriveError as error:
            errors.append((turn, error))
    status = status_of([error for _, error in errors], is_answered=bool(results))
    for turn, refusal in errors:
        warn(f"with {turn.label}: {refusal}")
    return results, status


def status_of(errors: Sequence[DeriveError], *, is_answered: bool) -> int:
    """The exit status for a request's errors: 0 for none, 1 where each says that the answer is no, otherwise 2.

    What is wrong in the same words everywhere is wrong with the question, and is raised.
    """
    from derive.errors import NOES

    if not is_answered and len({str(error) for error in errors}) == 1:
        raise errors[0]
    return max((1 if isinstance(error, NOES) else 2 for error in errors), default=0)


def in_units(targets: Sequence[str], unit: str | None) -> list[str]:
    """The targets of a request as they were typed, in the unit of `--in`, or in the units, one for each.

    >>> in_units(["step_time", "cost_per_token"], "ms, USD/ktoken")
    ['step_time in ms', 'cost_per_token in USD/ktoken']
    """
    if unit is None:
        return list(targets)
    from derive.model.target_expressions import split_unit

    units = [unit_text.strip() for unit_text in unit.split(",")]
    if not all(units):
        raise click.UsageError(f"--in {unit!r} names no unit. Write  --in ms")
    if len(units) not in (1, len(targets)):
        raise click.UsageError(
            f"--in names {len(units)} units, and there {'is' if len(targets) == 1 else 'are'} {len(targets)} to tell. "
            "Write one for all targets, or one for each, as in  --in ms,USD/Mtoken"
        )
    for target in targets:
        if own := split_unit(target)[1]:
            raise click.UsageError(f"{target!r} is asked for in {own} already. Leave out --in, or the unit behind it.")
    each = units * len(targets) if len(units) == 1 else units
    return [f"{target} in {unit_text}" for target, unit_text in zip(targets, each, strict=True)]


def each_of(texts: Sequence[str], given: Iterable[str] = ()) -> list[Turn]:
    """The turns of a request: one of every `--each`, each with every other.

    >>> turns = each_of(["h100-sxm:fp8, b200-sxm:fp8", "chips=8, 16 chip"])
    >>> [turn.label for turn in turns][:2]
    ['h100-sxm:fp8 + chips = 8 chip', 'h100-sxm:fp8 + chips = 16 chip']
    """
    names = list(given)
    choices: list[list[tuple[str, str]]] = []  # a name and its value; a profile's name is empty
    for text in texts:
        name, equals, values = (piece.strip() for piece in text.partition("="))
        if equals:
            if name in names:
                raise click.UsageError(f"{name} is given twice.")
            names.append(name)
            choices.append(_values_of(name, values))
        else:
            choices.append([("", profile.strip()) for profile in text.split(",") if profile.strip()])
    if not all(choices):
        raise click.UsageError("--each names no profile. Write  --each h100-sxm:fp8,b200-sxm:fp8")
    turns = []
    for turn in product(*map(dict.fromkeys, choices)) if choices else ():
        profiles = tuple(text for name, text in turn if not name)
        turns.append(Turn(profiles, given={name: text for name, text in turn if name}))
    return turns


def _values_of(name: str, text: str) -> list[tuple[str, str]]:
    """The values of a given that a request takes in turn."""
    if not name or not text or ".." in text:
        raise click.UsageError(
            f'--each {name}={text} lists no values. Write them between commas, as in  --each "chips=8, 16 chip"'
        )
    return [(name, value) for value in listed_values(text) or [text]]


def listed_values(text: str) -> list[str]:
    """The values of a list typed in a request, of which the last may bear the unit of all; empty if it is no list.

    >>> listed_values("50, 100,200 sequence"), listed_values("8 chip"), listed_values("1,2Em")
    (['50 sequence', '100 sequence', '200 sequence'], [], ['1 Em', '2Em'])
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) < 2 or not all(parts):
        return []
    spaced = re.split(r",\s+", text.strip())
    if len(spaced) > 1 and all(map(_GROUPED.match, spaced)):
        numbers = ", ".join(value.replace(",", "") for value in spaced)
        raise click.UsageError(f"{text!r}: a comma stands between values, and in no number. Write {numbers}.")
    if _DECIMAL_COMMA.match(text):
        raise click.UsageError(
            f"{text!r}: a comma stands between values. Write 1500 or 0.5 without one, or a space behind it."
        )
    thousands = _THOUSANDS.match(text.strip())
    if thousands and len(parts) == 2:
        (low, high), unit = thousands.groups(), text.strip()[thousands.end() :]
        mend = f"Write {low}{high}{unit}, or {low}, {high}{unit} for two values."
        raise click.UsageError(f"{text!r}: a comma in a number can be read two ways. {mend}")
    number = _BARE.match(parts[-1])
    unit = parts[-1][number.end() :].strip() if number else ""
    return [f"{part} {unit}" if unit and _BARE.fullmatch(part) else part for part in parts]


def prove_single(given: Mapping[str, str], has_each: bool = False) -> None:
    """Refuse a request with a list of values where each given has one, unless `--each` takes them in turn."""
    for name, text in given.items():
        if ".." not in text and len(listed_values(text)) > 1:
            each = f', or  --each "{name}={text}"  to take them in turn' if has_each else ""
            raise click.UsageError(f"{name}={text} lists values, and has one here. Write a point in a number{each}.")


def value_or_list(text: str) -> Any:
    """A given as it is typed in a request: a list where there are commas, otherwise a value or a range."""
    return text if ".." in text else listed_values(text) or text
