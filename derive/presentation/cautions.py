"""Cautions beside answers in plain sentences: failed checks with their numbers, assumptions, givens without effect.

They stand under headlines and on standard error. Numbers have the units that people write: a side of a relation takes
the unit of a quantity of its dimension, with the prefix that leaves few digits.

What an answer assumes is found by asking again, which takes too long at every point of a table, a sample or a front: it
is shown for one in the middle, with its point (`PlacedRemark`).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import Node, names_in, render
from derive.model.dimensional_analysis import dimension_of
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.products import without_common_factors
from derive.presentation.numbers import customary, with_unit
from derive.presentation.plain_data import remark_data
from quantities.units import DIMENSIONLESS, Unit
from quantities.value import read_value

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.solving.assumptions import Assumption
    from derive.solving.execution.answer import Answer, Remark
    from quantities.value import Value

MOST_REMARKS = 3  # that stand under a headline
_DIGITS = (4, 7, 10, 13)  # the fewest that distinguish the sides are shown


def broken(relation: Relation, values: Mapping[str, float]) -> str:
    """The caution on a failed check: the relation's name, both sides at these numbers in base units, and the reason.

    >>> from derive.relation_files.loading import load
    >>> shelf = load('''[quantities]
    ... book = { unit = "kg" }
    ... bears = { unit = "kg" }
    ... [relations]
    ... shelf = { equation = "3*book <= bears", because = "the board bends" }''').relations["shelf"]
    >>> broken(shelf, {"book": 2.0, "bears": 5.0})
    'shelf does not hold: 3*book is 6 kg, more than bears, which is 5 kg (the board bends)'
    """
    because = f" ({relation.because})" if relation.because else ""
    return f"{relation.name} does not hold: {sides_apart(relation, values)}{because}"


def by_default(relations: Iterable[Relation], defaults: Mapping[str, Value], typed: Container[str]) -> str:
    """The caution that names the defaults on which relations that fail depend, since they may be what is wrong."""
    conditions = chain.from_iterable(relation.conditions for relation in relations)
    hints = ""
    for name in names_in(*conditions):
        default = defaults.get(name)
        if default is not None and name not in typed:
            hints += f" {counts_as(name, default)}"
    return hints


def counts_as(name: str, default: Value) -> str:
    """The caution that a quantity without a given counts as its default."""
    return f"{name} is not given, and counts as {default} ({default.source}): give it if it is another."


def sides_apart(relation: Relation, values: Mapping[str, float]) -> str:
    """The caution on a failed check: both sides of the relation with their numbers, without their common factors."""
    written = relation.written
    parts = without_common_factors(written.lhs, written.rhs, lambda base: value(base, values) > 0)
    sides = [(side, value(side, values)) for side in parts]
    if any(math.isnan(number) for _, number in sides):
        return f"{written} is undefined here"
    left, right = map(render, parts)
    left_text, right_text = _told_apart(*((number, side_unit(relation, side)) for side, number in sides))
    if written.op == "=":
        return f"{left} is {left_text}, and {right} is {right_text}"
    than = {"<=": "more than", ">=": "less than"}[written.op]
    return f"{left} is {left_text}, {than} {right}, which is {right_text}"


def _told_apart(left: tuple[float, Unit], right: tuple[float, Unit]) -> tuple[str, str]:
    """Two numbers in base units as a caution shows them, with the fewest digits that distinguish them."""
    pairs = [(customary(*left, digits), customary(*right, digits)) for digits in _DIGITS]
    return next((pair for pair in pairs if _are_apart(*pair)), pairs[-1])


def _are_apart(left: str, right: str) -> bool:
    """Whether the texts of two numbers in a caution tell different numbers, and not one in two units.

    >>> _are_apart("1000 GB", "1 TB"), _are_apart("1000 GB", "1.001 TB")
    (False, True)
    """
    if left == right or "inf" in left or "inf" in right:
        return left != right
    return read_value(left).base[1] != read_value(right).base[1]


def cautions(answer: Answer, idle: Sequence[str] | None = None) -> tuple[str, ...]:
    """The cautions under the headline of an answer: its warnings, and its largest remarks."""
    return (*warnings(answer, idle), *remarked(answer))


def remarked(answer: Answer) -> tuple[str, ...]:
    """The cautions on what an answer assumes or leaves out: the sentences of its largest remarks."""
    return tuple(remark.text for remark in answer.remarks[:MOST_REMARKS])


def is_amiss(*results: Any) -> bool:
    """Whether any of these answers or tables needs a caution: a failed check, a given without effect, or a remark."""
    return any(result.failed or result.unused or result.remarks for result in results)


def warnings(answer: Answer, idle: Sequence[str] | None = None) -> tuple[str, ...]:
    """The warnings among the cautions of an answer: failed checks, idle givens, undecided conditions and the like.

    With `idle`, those givens that play no part in this answer and in the others that were asked for beside it.
    """
    unused = answer.unused if idle is None else idle
    sentences = [check.verdict or check.statement for check in answer.failed]
    if unused:
        sentences.append(idle_givens(answer, unused))
    sentences += [_unverified(assumption) for assumption in answer.stated_assumptions if assumption.kind == "condition"]
    sentences += [assumption.text for assumption in answer.stated_assumptions if assumption.kind in ("own", "lost")]
    if answer.whole:
        sentences.append(answer.whole)
    return tuple(sentences)


def _unverified(assumption: Assumption) -> str:
    """The caution on a relation that was taken to apply, with the givens that would decide it."""
    if not assumption.missing:
        return assumption.text
    are = "is" if len(assumption.missing) == 1 else "are"
    return f"{in_a_row(assumption.missing)} {are} not given: {assumption.text}"


def idle_givens(answer: Answer, unused: Sequence[str]) -> str:
    """The caution on givens without effect on an answer, with the quantities in which they would count."""
    elsewhere: dict[str, list[str]] = {}
    for given, named in answer.acts_on.items():
        if given in unused:
            elsewhere.setdefault(named, []).append(given)
    sentence = f"{without_part(unused)} in this answer"
    for named, givens in elsewhere.items():
        counted = "it" if len(unused) == 1 else ", ".join(givens)
        sentence += f"; {named} counts {counted}"
    return sentence


def without_part(unused: Sequence[str]) -> str:
    """The beginning of the caution that these givens play no part.

    >>> without_part(["layers"]), without_part(["layers", "heads", "chips"])
    ('layers plays no part', 'layers, heads and chips play no part')
    """
    return f"{in_a_row(unused)} {'plays' if len(unused) == 1 else 'play'} no part"


def in_a_row(parts: Sequence[str]) -> str:
    """The names or sentences in a caution one after the other, with "and" before the last."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def fails_in_words(names: Sequence[str]) -> str:
    """The caution that checks fail, in few words for a table or a picture.

    >>> fails_in_words(["fits_in_memory"]), fails_in_words(["fits_in_memory", "within_limit"])
    ('fits in memory fails', 'fits in memory, within limit fail')
    """
    checks = ", ".join(names).replace("_", " ")
    return f"{checks} {'fails' if len(names) == 1 else 'fail'}"


def displaced(name: str, weak: Value, number: float | None, unit: Unit, is_brief: bool = False) -> str:
    """The caution that a weak value gives way to a computed number, or that none fits; if brief, without its source.

    >>> from quantities.spelling import parse_unit
    >>> from quantities.value import read_value
    >>> displaced("gravity", read_value("9.81 m/s**2"), 1.62, parse_unit("m/s**2"))
    'gravity is 9.81 m/s**2, given in the question, but comes out as 1.62 m/s**2 here'
    """
    if number is None:
        here = "but no value of it fits here"
    else:
        shown, _ = _told_apart((number, unit), (weak.base[1], unit))
        here = f"but comes out as {shown} here"
    return f"{name} is {weak}, {here}" if is_brief else f"{stated_value(name, weak)}, {here}"


def stated_value(name: str, weak: Value) -> str:
    """A weak value and its source in words, as cautions state them."""
    return f"{name} is {weak}, {weak.source}"


def no_value_fits(relations: Sequence[str], unknowns: Sequence[str]) -> str:
    """The caution that relations fail since their unknowns have no admissible value.

    >>> no_value_fits(["rest"], ["length"])
    'rest: no admissible value of length fits the others'
    """
    return f"{', '.join(relations)}: no admissible value of {', '.join(unknowns)} fits the others"


def side_unit(relation: Relation, side: Node) -> Unit:
    """The unit in which a caution shows a relation's side: of a quantity of its dimension, else the coherent one."""
    written = relation.written
    dimensions = {name: quantity.dimension for name, quantity in relation.declared.items()}
    dimension = dimension_of(side, dimensions)
    for name in names_in(side, written.lhs, written.rhs):
        if dimension == dimensions[name] and not relation.declared[name].unit.offset:
            return relation.declared[name].unit
    return DIMENSIONLESS if dimension is None else Unit(str(dimension), (), Fraction(1), dimension)


@dataclass(frozen=True)
class PlacedRemark:
    """A remark on the answer for a target at a point."""

    target: str
    point: Mapping[str, Mapping[str, Any]]  # for programs: each number with its unit
    remark: Remark

    def __str__(self) -> str:
        if not self.point:
            return f"{self.target}: {self.remark.text}"
        numbers = {name: with_unit(format(data["value"], ".6g"), data["unit"]) for name, data in self.point.items()}
        place = ", ".join(f"{name} = {number}" for name, number in numbers.items())
        return f"{self.target} at {place}: {self.remark.text}"

    @property
    def data(self) -> dict[str, Any]:
        """The placed remark of a caution for programs: as one of `derive solve --json`, with target and point."""
        return {"target": self.target, "at": self.point, **remark_data(self.remark)}


def largest(remarks: Iterable[PlacedRemark]) -> Iterator[PlacedRemark]:
    """The cautions beside many answers: of each target as many remarks as under a single answer's headline."""
    counts: dict[str, int] = {}
    for remark in remarks:
        counts[remark.target] = counts.get(remark.target, 0) + 1
        if counts[remark.target] <= MOST_REMARKS:
            yield remark
