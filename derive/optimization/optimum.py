"""The best choice: its value, where it lies, the answer there, what binds, and the proof.

It tells itself as text for the terminal, as plain data, and as a picture: the best of each discrete choice side by
side, or the target along a range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any

from derive.certificates.proof import ProofOfOptimum
from derive.errors import ExpressionError, LimitError
from derive.expressions.tree import Name, Node, Number, render
from derive.model.relation_set import RelationSet
from derive.optimization.choice_question import Choice, is_choice
from derive.optimization.choices_under_ranges import ChoicesUnderRanges
from derive.presentation.cautions import cautions, is_amiss
from derive.presentation.charts import Axis, Chart, Mark, Series, holding
from derive.presentation.numbers import (
    DIGITS,
    heading_with_unit,
    in_unit,
    shown_choice,
    shown_number,
    with_unit,
)
from derive.presentation.plain_data import answer_data, attributes, point_data
from derive.presentation.text import Document, Result, Section, columns
from derive.solving.blocks.closed_forms import put_in
from derive.solving.execution.answer import Answer
from derive.tables.axes import spanned
from derive.tables.table import sweep
from derive.tables.table_charts import charts as table_charts
from derive.time_limits import query, sharing
from derive.tolerances import TIGHT
from quantities.declaration import Declaration
from quantities.rational import exact_of, rounded_up
from quantities.symbolic import Symbols
from quantities.value import Value

_PROVING = 0.8  # of the time of a text, which a certificate may take: without one, the rest is still told


@dataclass(frozen=True, slots=True)
class Binding:
    """A limit that binds: without it, or with it moved outwards, the target would be better.

    `price` is what the target gains, as a share of its value, if the limit moves by `moved`: 1 %, of the width
    of a range that ends at zero, or the next whole number where a range of a count ends.
    """

    name: str
    price: float
    moved: str = "1 %"

    def __str__(self) -> str:
        return f"{self.name}: {self.price:.3g} of the value better if it moves by {self.moved}"


@dataclass(frozen=True)
class Optimum(Result):
    """The least or the greatest value of a target; numbers are stored in base units."""

    sense: str  # "least" or "most"
    answer: Answer
    chosen: Mapping[str, float]  # the free and the listed quantities
    profiles: tuple[str, ...]
    binding: tuple[Binding, ...]
    is_bounded: bool  # whether the search has excluded a better choice
    gap: float | None
    """How much better a choice may be at most: relative to the value, and absolute, in the declared unit, where the
    value is zero to within the rounding of what was chosen (`gap_is_absolute`). None if no bound is known."""
    choices: tuple[Choice, ...]
    reasons: tuple[str, ...]
    boxes: int  # that were examined
    ranged: tuple[str, ...]  # the quantities that were ranges
    quantities: Mapping[str, Declaration] = field(repr=False, compare=False)  # that are chosen, or stand in a form
    forms: Mapping[str, Node] = field(default_factory=dict, repr=False, compare=False)
    values: Mapping[str, Value] = field(default_factory=dict, repr=False, compare=False)  # of limits, by name in forms
    gap_is_absolute: bool = False
    digits: int = DIGITS  # that its choice is shown with, at least
    over_ranges: Callable[[int, int], ChoicesUnderRanges] | None = field(default=None, repr=False, compare=False)
    _proof: Callable[[], ProofOfOptimum | None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def value(self) -> Any:
        """The value of the optimum as a pint Quantity in the declared unit."""
        return self.answer.value

    @property
    def at(self) -> dict[str, Any]:
        """What was chosen for the optimum: a pint Quantity of each range and list, and the names of the profiles."""
        chosen = {name: in_unit(number, self.quantities[name].unit) for name, number in self.chosen.items()}
        return {**chosen, "profiles": self.profiles}

    @property
    def proved(self) -> bool:
        """Whether there is a certificate that no choice is better than the optimum."""
        return self.is_bounded and self.proof is not None

    @cached_property
    def proof(self) -> ProofOfOptimum | None:
        """The certificate of the optimum, which `derive.verify` confirms; computed on demand, None without one."""
        with suppress(LimitError), query(), sharing(_PROVING):
            return self._proof()
        return None

    @property
    @query()
    def formula(self) -> Mapping[str, Any] | None:
        """What was chosen at the optimum, in closed form where a binding limit fixes it, in sympy and base units.

        None where the end of a range decides, or several limits together.
        """
        if not self.forms:
            return None
        from derive.expressions.sympy_bridge import to_sympy

        symbols = Symbols(self.quantities)
        bases = {name: value.base[1] for name, value in self.values.items()}
        numbers = {name: Number(exact_of(base) or Fraction(base)) for name, base in bases.items()}
        forms = {name: put_in(form, numbers) for name, form in self.forms.items()}
        return MappingProxyType({name: to_sympy(form, symbols) for name, form in forms.items()})

    def under_ranges(self, points: int = 1000, seed: int = 0) -> ChoicesUnderRanges:
        """The optimum asked again under its ranges: how its choices fare where givens and profiles vary."""
        if self.over_ranges is None:
            what = "A best choice that was stored has no question to be asked again."
            raise ExpressionError(what, hint="Call least(...) or most(...) again, and ask its result.")
        return self.over_ranges(points, seed)

    def __getstate__(self) -> dict[str, Any]:
        """The stored state of an optimum: everything but the question, whose programs are functions."""
        return {**self.__dict__, "proof": self.proof, "over_ranges": None, "_proof": None}

    @query()
    def _document(self, digits: int | None = None) -> Document:
        """The text of an optimum: its value, proof, what binds, formulas of the choice, all choices, failed checks."""
        shown_digits, amiss = digits or DIGITS, cautions(self.answer)
        choices: list[tuple[str, ...]] = []
        if len(self.choices) > 1:
            choices.append(("profiles", *self.choices[0].listed, *self.ranged, self.answer.quantity.name, ""))
            choices += [_row(self, choice, shown_digits) for choice in self.choices]
        return Document(
            headline=headline(self, shown_digits),
            remarks=(proof(self), *amiss),
            sections=(
                Section("because", self.reasons),
                Section("binding", [*map(str, self.binding)]),
                Section("where", [f"{name} = {_formula(self, name)}" for name in self.forms]),
                Section("choices", columns(choices)),
            ),
            cautions=amiss,
            is_amiss=not self.proved or is_amiss(self.answer),
            data=lambda: as_data(self, shown_digits),
        )

    def __repr__(self) -> str:
        return f"<Optimum {str(self).splitlines()[0]}>"


def headline(optimum: Optimum, digits: int = DIGITS) -> str:
    """The optimum in one line: its best value, and the choice at which it lies."""
    answer = optimum.answer
    assert answer.base is not None
    value = shown_number(answer.base, answer.quantity.unit, digits)
    chosen = [f"{name} = {_shown(optimum, optimum.chosen, name, digits)}" for name in optimum.chosen]
    where = ", ".join([*chosen, *optimum.profiles])
    return f"{optimum.sense} {answer.quantity.name} = {value} at {where}"


def proof(optimum: Optimum) -> str:
    """What is known about the value of an optimum: that it is the best, or how far from the best it may be."""
    if optimum.proved:
        exact = optimum.gap == 0 or (not optimum.gap_is_absolute and (optimum.gap or 0) < TIGHT)
        return "proved: no choice is better" + ("" if exact else f" by more than {_gap(optimum, 1)}")
    if optimum.is_bounded:
        return "not proved: the best that was found; the search left no better one, and there is no certificate of that"
    if optimum.gap is None:
        return "not proved: the best that was found, and no bound is known"
    return f"not proved: the best that was found; no choice is better by more than {_gap(optimum, 2)}"


def _gap(optimum: Optimum, digits: int) -> str:
    """The gap of an optimum in words: a share of its value, or a distance with its unit."""
    assert optimum.gap is not None
    number = rounded_up(optimum.gap, digits)
    unit = optimum.answer.quantity.unit
    distance = f"delta_{unit}" if unit.offset else unit.text
    return with_unit(number, distance) if optimum.gap_is_absolute else f"{number} of the value"


def beside_each_other(optima: Mapping[str, Optimum], digits: int = DIGITS) -> list[tuple[str, ...]]:
    """Several optima of one target in rows below a heading: each one's best value, choice and binding limits."""
    first = next(iter(optima.values()))
    names = list(dict.fromkeys(chain.from_iterable(optimum.chosen for optimum in optima.values())))
    shared = set.intersection(*(set(optimum.profiles) for optimum in optima.values()))
    rows = [("", f"{first.sense} {first.answer.quantity.name}", *names, "profiles", "binding", "")]
    for label, optimum in optima.items():
        best = shown_number(optimum.answer.base or 0.0, optimum.answer.quantity.unit, digits)
        chosen = [_shown(optimum, optimum.chosen, name, digits) for name in names]
        profiles = ", ".join(name for name in optimum.profiles if name not in shared and name not in label.split(" + "))
        binding = ", ".join(limit.name for limit in optimum.binding)
        rows.append((label, best, *chosen, profiles, binding, "" if optimum.proved else "not proved"))
    # a column without an entry below its heading is left out
    empty = {i for i, cells in enumerate(zip(*rows[1:], strict=True)) if not any(cells)}
    return [tuple(cell for i, cell in enumerate(row) if i not in empty) for row in rows]


def _shown(optimum: Optimum, chosen: Mapping[str, float], name: str, digits: int) -> str:
    """The number of a chosen quantity of an optimum, in its unit; a dash where it was not chosen."""
    digits = max(digits, optimum.digits)
    return shown_choice(chosen[name], optimum.quantities[name], digits) if name in chosen else "-"


def _formula(optimum: Optimum, name: str) -> str:
    """How an optimum tells one chosen quantity in closed form, with the values of limits as they were stated."""
    values = {limit_name: Name(f"({value})") for limit_name, value in optimum.values.items()}
    return render(put_in(optimum.forms[name], values))


def _row(optimum: Optimum, choice: Choice, digits: int) -> tuple[str, ...]:
    """A discrete choice as a row of an optimum's table: profiles, list entries, free quantities, the best, and why."""
    free = [_shown(optimum, choice.at, name, digits) for name in optimum.ranged]
    best = "-" if choice.best is None else shown_number(choice.best, optimum.answer.quantity.unit, digits)
    why = choice.why or ("" if choice.is_proved else "not proved")
    return (", ".join(choice.profiles) or "-", *choice.listed.values(), *free, best, why)


def as_data(optimum: Optimum, digits: int = DIGITS) -> dict[str, Any]:
    """The optimum as plain data: the schema of `derive least --json`.

    `value` is a number in `unit`; `at` has the chosen quantities, each with its unit, and the profiles. `binding` has
    each limit with the share of the value that is gained if it moves by `moved`; `gap` is relative to the
    value, and in `unit` where `gap_is_absolute`, as it is of a value that is zero; null where no bound is known.
    `answer` is that of `derive solve --json` at the best point.
    """
    unit = optimum.answer.quantity.unit
    assert optimum.answer.base is not None
    return {
        "target": optimum.answer.quantity.name,
        "sense": optimum.sense,
        "value": unit.from_base(optimum.answer.base),
        "unit": unit.text,
        "at": {**point_data(optimum.chosen, optimum.quantities), "profiles": list(optimum.profiles)},
        "proved": optimum.proved,
        **attributes(optimum, "gap", "gap_is_absolute", "reasons"),
        "binding": [attributes(limit, "name", "price", "moved") for limit in optimum.binding],
        "formula": {name: _formula(optimum, name) for name in optimum.forms},
        "choices": [
            {
                **attributes(choice, "profiles", "listed"),
                "at": point_data(choice.at, optimum.quantities),
                "value": None if choice.best is None else unit.from_base(choice.best),
                "why": choice.why,
                "proved": choice.is_proved,
            }
            for choice in optimum.choices
        ],
        "answer": answer_data(optimum.answer, digits),
    }


_POINTS = 120  # along a range


def charts(
    library: RelationSet, optimum: Optimum, given: Mapping[str, Any], such_that: Iterable[str] = ()
) -> tuple[Chart, ...]:
    """The picture of an optimum: the best of each discrete choice side by side, or the target along the first range.

    Along a range, the best point is marked. What holds in all of the chart stands below it.
    """
    if len(optimum.choices) == 1:
        return _along(library, optimum, given, such_that)
    shared = _shared(optimum)
    shown_given = {name: value for name, value in given.items() if not is_choice(value)}
    return holding([bars(optimum)], [name for name in optimum.profiles if name in shared], shown_given, such_that)


def bars_of_each(optima: Mapping[str, Optimum]) -> Chart:
    """Several optima of one target in one picture, with a bar for the best value of each."""
    first = next(iter(optima.values()))
    unit = first.answer.quantity.unit
    return _bars(first, [(name, unit.from_base(optimum.answer.base or 0.0)) for name, optimum in optima.items()])


def bars(optimum: Optimum) -> Chart:
    """The picture of an optimum's discrete choices side by side, with a bar for the best value in each."""
    unit, shared = optimum.answer.quantity.unit, _shared(optimum)
    labelled_bests = [(_named(choice, shared), choice.best) for choice in optimum.choices if choice.best is not None]
    return _bars(optimum, [(name, unit.from_base(best)) for name, best in labelled_bests])


def _bars(optimum: Optimum, values: Sequence[tuple[str, float]]) -> Chart:
    """Best values as a picture, the first on top: those of an optimum's discrete choices, or of several optima."""
    names, numbers = zip(*reversed(values), strict=True)
    label = heading_with_unit(optimum.answer.quantity.name.replace("_", " "), optimum.answer.quantity.unit.shown)
    bars = Series.of(numbers, range(len(numbers)), style="bars")
    height = max(2.0, 0.25 * len(names) + 1)
    across = Axis(label, low=0.0 if min(numbers) >= 0 else None)
    return Chart(across, Axis("", names=names), (bars,), title=_title(optimum), height=height)


def _shared(optimum: Optimum) -> set[str]:
    """The profiles that every discrete choice of an optimum has, which its picture does not have to name."""
    return set.intersection(*(set(choice.profiles) for choice in optimum.choices))


def _named(choice: Choice, shared: set[str]) -> str:
    """The label of a choice's bar in the chart of an optimum: its own profiles and its list entries."""
    return ", ".join([*(name for name in choice.profiles if name not in shared), *choice.listed.values()])


def _title(optimum: Optimum) -> str:
    return f"{optimum.sense} {optimum.answer.quantity.name}".replace("_", " ")


def _along(
    library: RelationSet, optimum: Optimum, given: Mapping[str, Any], such_that: Iterable[str]
) -> tuple[Chart, ...]:
    """The picture of an optimum along its first range, all else as in its best point, which is marked."""
    if not optimum.ranged:
        raise ExpressionError("A single choice without a range has no picture.", hint="Give a range or a list.")
    first, *others = optimum.ranged
    fixed = {**given, **{name: optimum.at[name] for name in (*others, *optimum.chosen) if name != first}}
    name, target = first, optimum.answer.quantity.name
    table = sweep(library, target, optimum.profiles, {**fixed, name: spanned(str(given[name]), _POINTS)})
    quantity = optimum.quantities[name]
    best_at = quantity.unit.from_base(optimum.chosen[name])
    mark = Mark(best_at, shown_choice(optimum.chosen[name], quantity))
    drawn = [replace(chart, marks=(*chart.marks, mark), title=_title(optimum)) for chart in table_charts(table)]
    best = {name: shown_choice(number, optimum.quantities[name]) for name, number in optimum.chosen.items()}
    shown_given = {name: best.get(name, value) for name, value in fixed.items() if name != first}
    return holding(drawn, optimum.profiles, shown_given, such_that)
