"""The vocabulary of report templates: the questions and the parts of a page.

solve(target, *profiles, **given)       an answer; in the text, its value with its unit
solve_all(...), attempt(...)            all answers, if there are several; one, or nothing if there is none
say(answer, digits), spread(answer)     an answer in words; its bounds
lasting(answer)                         a time in a customary unit
number(x, unit, digits)                 a number that was computed in the template
magnitude(answer, unit)                 the number of an answer, for computations
rounded(answer, unit)                   an answer as a given
held(profile, name)                     a profile's value on the page
known(profile, name)                    a profile's value as a given
letter(name), meaning(name)             of a quantity
stated(*relations)                      relations as they are stated, and why they hold
turned(relation, *wanted)               one relation, solved for each of its quantities
closed_form(target, given)              several relations combined
worked(title, answer)                   a derivation with its inputs and notes; briefly(it, steps)
chain(answer), pencil(answer, *names)   its steps; the relations and the last step, to follow with a pencil
forms(answer)                           its steps in letters
cite(text, url, date), cited(*answers)  a source of the paragraph, list or table; those of answers
verbatim(text)                          raw text, shown as it is
span(text, points, log)                 an axis
sweep(targets, *profiles, **given)      a table of numbers along axes; its columns are table["name"]
axis, line, mark, shade, chart          the parts of a picture
picture(name, *charts, caption)         charts below each other
form(target, *given), quantity(name)    a closed form; form.at(x=...), .plain(), .slope("x"), .without("x"), ...
sides(relation)                         the two sides of a relation, as forms
unknown_symbol(name)                    an arbitrary number in forms; unknown_function(name)
identical(a, b), positive(form)         assertions, without which there is no report
lines((left, right), ...)               forms below each other
relations(text)                         this vocabulary on relations of the template's own

Best choices, borders and comparisons:

least(target, *profiles, such_that, **given)   a best choice; best.answer is its answer, best.reasons says why
most(...), front(targets, ...)                 the same upwards; the best compromises of two targets
border(target, *profiles, over, **given)       where regimes end
compare(answer, answer)                        why two answers differ: each factor of their ratio
rows(found)                                    a best choice or a front as rows: profiles, target, what was chosen, why
over_ranges(best)                              how the choices fare over ranges, as rows: middle, worst, wins, holds
drawn(found, called)                           the charts of any of them, for picture(name, *drawn(found), caption=...);
                                               called = {"words of the picture": "a reader's own"}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from derive.borders import Borders
from derive.comparison import comparison_result
from derive.comparison.comparison_result import Comparison
from derive.errors import ExpressionError, NoSolutionError, unknown
from derive.library import Library
from derive.optimization import front
from derive.optimization.front import Front
from derive.optimization.optimum import Optimum, bars
from derive.presentation import mathematics
from derive.presentation.charts import Axis, Chart, Mark, Series, Shade, reworded
from derive.presentation.derivation import digits_borne, reported
from derive.presentation.document import Formulas, Picture, verbatim
from derive.presentation.numbers import in_multiples, percentage, reported_digits, with_prefix
from derive.relation_files.loading import load
from derive.reports import formulas
from derive.reports.proofs import Form, closed, identical, lines, positive, sides, unknown_function, unknown_symbol
from derive.solving.execution.answer import Answer
from derive.tables.axes import span
from quantities.value import Kind, Source, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from quantities.declaration import Declaration

_NAME = re.compile(r"[A-Za-z0-9_-]+")  # of a picture, which becomes a file's
_TIMES = ("ms", "s", "min", "h")
_COUNTED = re.compile(r"([kMGT]?)(token|parameter|sequence|chip)(?:(?<=token)/sequence)?")
_POWERS = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12}
_MANY = ((12, " trillion"), (9, " billion"), (6, " million"), (3, "k"))
_LONG = 1e5  # from which a count is not written out


class AnswerText(str):
    """An answer as text in a line, with the answer itself."""

    __slots__ = ("answer",)
    answer: Answer

    @classmethod
    def of(cls, answer: Answer, digits: int | None = None) -> AnswerText:
        """The word of a template for an answer: its value or bounds, and the library's bounds that it breaks."""
        borne = digits or digits_borne(answer)
        unit = answer.quantity.unit
        if answer.base is not None:
            text = cls(number(unit.from_base(answer.base), unit.text, borne) + _breaks(answer))
        else:
            text = cls(spread(answer, borne) + _breaks(answer))
        text.answer = answer
        return text


def _breaks(answer: Answer) -> str:
    """The words behind an answer in a template's text for inequalities that fail at it; empty if there are none."""
    broken = [check.name.replace("_", " ") for check in answer.failed if re.search("[<>]=", check.statement)]
    names = " and ".join(f"*{verbatim(name)}*" for name in broken)
    return f" (where {names} {'do' if len(broken) > 1 else 'does'} not hold)" if broken else ""


def spread(answer: Answer, digits: int = 3) -> str:
    """The template word `spread`: the bounds of an answer in a line; empty if no given of it was a range."""
    if answer.bounds is None or answer.bounds[0] == answer.bounds[1]:
        return ""
    unit = answer.quantity.unit
    low, high = map(unit.from_base, answer.bounds)
    if math.isinf(high):
        return "anything" if math.isinf(low) else f"at least ${reported(low, unit.text, digits)}$"
    if math.isinf(low):
        return f"at most ${reported(high, unit.text, digits)}$"
    scale = in_multiples(high, unit.text)[0] / high if high else 1.0
    start = mathematics.number(low * scale, reported_digits(low * scale, digits))
    return f"${start}$ to ${reported(high, unit.text, digits)}$"


def number(value: float, unit: str = "", digits: int = 3) -> str:
    """The template word for a number in a line of a report, with its unit; what is counted is named in words too.

    >>> number(0.0144, "s")
    '$14.4\\\\,\\\\mathrm{ms}$'
    >>> number(37650.2, "token/sequence", 4), number(150, "Ttoken"), number(1, "sequence")
    ('$37650$ tokens', '$150$ trillion tokens', '$1$ sequence')
    """
    if unit.startswith("byte"):
        value, unit = with_prefix(value, unit, 1e3)
    counted = _COUNTED.fullmatch(unit)
    if counted is None:
        return f"${reported(value, unit, digits)}$"
    base = float(f"{value * 10.0 ** _POWERS[counted[1]]:.15g}")
    power = next((power for power, _ in _MANY if abs(base) >= 10.0**power), 0) if abs(base) >= _LONG else 0
    shown = reported(float(f"{base / 10.0**power:.15g}"), "", digits)
    return f"${shown}${dict(_MANY).get(power, '')} {counted[2]}{'' if base == 1 else 's'}"


def magnitude(answer: Answer, unit: str | None = None) -> float:
    """The template word `magnitude`: the number of an answer in a unit, or in the answer's own."""
    return float((answer.value if unit is None else answer.to(unit)).magnitude)


def rounded(answer: Answer, unit: str = "", digits: int = 4) -> str:
    """The template word for an answer as rounded text, to be given in another question."""
    return f"{magnitude(answer, unit or None):.{digits}g} {unit}".rstrip()


def lasting(answer: Answer, digits: int = 3) -> str:
    """The template word for a time in a line of a report, in a customary unit."""
    for unit in _TIMES:
        if magnitude(answer, unit) < (1000 if unit == "ms" else 100):
            return number(magnitude(answer, unit), unit, digits)
    return number(magnitude(answer, "day"), "day", digits)


def cite(text: str, url: str = "", date: str = "", kind: Kind = "published") -> Source:
    """A source as a word of report templates, for the paragraph, the list or the caption in which it is cited."""
    return Source(text, kind, url, date)


def cited(*answers: Answer) -> tuple[Source, ...]:
    """The template word for the sources, published or measured, of all givens of answers, which a paragraph cites."""
    values = chain.from_iterable(answer.given.values() for answer in answers)
    sources = dict.fromkeys(value.source for value in values)
    return tuple(source for source in sources if source.kind in ("published", "measured") and source.url + source.date)


def line(x: Iterable[float], y: Iterable[float], label: str = "", **options: Any) -> Series:
    """The template word for a series of a picture: points, and the line through them."""
    return Series.of(x, y, label, **{key: tuple(v) if isinstance(v, list) else v for key, v in options.items()})


def axis(label: str, names: Sequence[str] = (), **options: Any) -> Axis:
    """The template word for the axis of a picture, with numbers from `low` to `high`, or with names."""
    return Axis(label, names=tuple(names), **options)


def chart(x: Axis, y: Axis, series: Iterable[Series], **options: Any) -> Chart:
    """The template word for a chart of a picture: series over axes, with marks and shades."""
    listed: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    return Chart(x, y, tuple(series), **listed)


def picture(name: str, *charts: Chart, caption: str) -> Picture:
    """The template word for a picture: charts below each other under one caption, in a file of this name."""
    if not _NAME.fullmatch(name):
        raise ExpressionError(f"{name!r} cannot name a picture.", hint="Write letters, digits and hyphens.", text=name)
    return Picture(name, charts, " ".join(caption.split()))


_QUESTIONS = ("solve", "solve_all", "sweep", "least", "most", "front", "border")


def vocabulary(library: Library) -> dict[str, Any]:
    """The vocabulary of report templates on a library: questions, and words for the parts of a page."""

    def question(verb: str) -> Callable[..., Any]:
        """A verb of the library as a word of report templates, to which answers may be given."""

        def ask(target: Any, *profiles: Any, **given: Any) -> Any:
            return getattr(library, verb)(target, *profiles, **_typed(given))

        return ask

    def attempt(target: str, *profiles: str, **given: Any) -> Answer | None:
        try:
            return library.solve(target, *profiles, **_typed(given))
        except NoSolutionError:
            return None

    def held(profile: str, name: str, digits: int = 4) -> str:
        value = _stated(library, profile, name)
        return number(value.number, value.unit.text, digits)

    def known(profile: str, name: str) -> str:
        value = _stated(library, profile, name)  # without its range, which stays the profile's
        return f"{value.number} {value.unit}"

    def meaning(name: str) -> str:
        return library.declaration(name).meaning

    def quantity(name: str) -> Form:
        library.declaration(name)
        return Form(library.quantities[name])

    def pencil(answer: Answer, *names: str, digits: int | None = None) -> Formulas:
        return formulas.pencil(answer, *map(library.relation, names), digits=digits)

    def relations(text: str) -> Mapping[str, Any]:
        own = load(f"{text}\n", beside=library)
        return vocabulary(Library(own.relations.values(), (), library.profiles))

    taking_library = (formulas.letter, formulas.stated, formulas.turned, formulas.closed_form, sides)
    return {
        **{verb: question(verb) for verb in _QUESTIONS},
        **_by_name(attempt, held, known, meaning, quantity, pencil, relations),
        **{function.__name__: partial(function, library) for function in taking_library},
        "compare": library.compare,
        "form": partial(closed, library),
        **_FREE,
    }


def _by_name(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Functions as words of report templates, by the names that they have here."""
    return {function.__name__: function for function in functions}


def _stated(library: Library, profile: str, name: str) -> Value:
    """A profile's value of a quantity, for a report template; an error if the profile states none."""
    values = library.profile(profile).values
    if name not in values:
        raise unknown(f"value of {profile}", name, list(values))
    return values[name]


def _typed(given: Mapping[str, Any]) -> dict[str, Any]:
    """The givens that a template's word asks with, where answers are replaced by their values."""
    return {name: value.value if isinstance(value, Answer) else value for name, value in given.items()}


def _span(text: str, points: int = 50, log: bool = False) -> Any:
    return span(text, points, log=log)


def drawn(found: Any, called: Mapping[str, str] | None = None) -> tuple[Chart, ...]:
    """The template word for the charts of a result in a picture, with a reader's words in place of the library's."""
    charts: Sequence[Chart]
    match found:
        case Optimum():
            charts = (bars(found),)
        case Front():
            charts = front.charts(found)
        case Comparison():
            charts = comparison_result.charts(found)
        case Borders():
            charts = found.charts
        case _:
            raise TypeError(f"a {type(found).__name__} has no picture")
    return reworded((replace(chart, caption="") for chart in charts), called or {})


def rows(found: Optimum | Front, digits: int = 3) -> list[dict[str, str]]:
    """The template word for a table's rows on a best choice or a front: profiles that differ, and values in words."""
    each_profiles: list[tuple[str, ...]] = []
    rows: list[dict[str, str]] = []
    chosen: list[Mapping[str, float]] = []
    if isinstance(found, Front):
        for point in found.points:
            each_profiles.append(point.profiles)
            chosen.append(point.chosen)
            numbers = ((answer.quantity, answer.base or 0.0) for answer in point.answers)
            rows.append({quantity.name: _value_text(base, quantity, digits) for quantity, base in numbers})
    else:
        quantity = found.answer.quantity
        for choice in found.choices:
            each_profiles.append(choice.profiles)
            chosen.append(choice.at)
            best = "" if choice.best is None else _value_text(choice.best, quantity, digits)
            rows.append({**choice.listed, quantity.name: best, "why": choice.why.replace("_", " ")})
    return [
        {"profiles": name, **row, **{key: _value_text(at[key], found.quantities[key], digits) for key in at}}
        for name, row, at in zip(_own_profiles(each_profiles), rows, chosen, strict=True)
    ]


def _whole_percentage(share: float) -> str:
    """The text of a share in a template's table: a whole percentage, or a longer one where that says all or nothing.

    >>> _whole_percentage(0.573), _whole_percentage(0.004), _whole_percentage(1.0)
    ('57 %', '0.4 %', '100 %')
    """
    shown = f"{100 * share:.0f} %"
    return percentage(share) if shown in ("0 %", "100 %") else shown


def over_ranges(best: Optimum, digits: int = 3) -> list[dict[str, str]]:
    """The template word for how an optimum's choices fare over its ranges, as the rows of a table."""
    fares = best.under_ranges()
    names = _own_profiles([outcome.choice.profiles for outcome in fares.outcomes])
    table = []
    for name, outcome in zip(names, fares.outcomes, strict=True):
        worst = _value_text(outcome.worst, fares.quantity, digits) if math.isfinite(outcome.worst) else "excluded"
        row = {
            "profiles": name,
            **outcome.choice.listed,
            "middle": _value_text(outcome.middle, fares.quantity, digits),
            "worst": worst,
            "wins": _whole_percentage(outcome.wins),
            "holds": _whole_percentage(outcome.holds),
        }
        table.append(row)
    return table


def _value_text(base: float, quantity: Declaration, digits: int) -> str:
    return number(quantity.unit.from_base(base), quantity.unit.text, digits)


def _own_profiles(each: Iterable[tuple[str, ...]]) -> list[str]:
    """The profiles in each row of a template's table, without those that all rows have."""
    listed = list(each)
    shared = set.intersection(*map(set, listed)) if len(set(listed)) > 1 else set()
    return [", ".join(name for name in profiles if name not in shared) for profiles in listed]


_FREE: dict[str, Any] = {
    **_by_name(cite, cited, lasting, magnitude, number, rounded, spread, verbatim),
    **_by_name(formulas.briefly, formulas.chain, formulas.forms, formulas.worked),
    **_by_name(axis, chart, drawn, line, over_ranges, picture, rows),
    **_by_name(identical, lines, positive, unknown_symbol, unknown_function),
    **_by_name(abs, max, min, round, zip),
    "log": math.log,
    "mark": Mark,
    "say": AnswerText.of,
    "shade": Shade,
    "span": _span,
}
