"""The verb `compare`: two answers of one target are taken apart into what differs, each with its factor.

Over ranges of the givens the ratio of the two has bounds. A given with the same number and the same range in both
answers is one thing, such as the price of a chip that both scenarios use, and moves both answers at once. Other ranges
move on their own. If a range is shared, and both answers have closed forms, the bounds are those of the quotient, or of
the difference, over the box of all ranges; otherwise those of the two answers are combined as if nothing were shared,
which makes them no narrower than they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any

from derive.comparison.comparison_result import NAMED, Comparison, Factor
from derive.comparison.decomposition import INTEGRAL, JOINED, SHAPLEY, Players, Shares, shares_of
from derive.comparison.mixture import Mixture, mixture_of
from derive.comparison.shares import UndefinedMixture
from derive.errors import AmbiguousError, ExpressionError, LimitError, first_names
from derive.expressions.tree import Name, Node, names_in, render
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import added, inverted, multiplied, negated
from derive.numerics.algebra.products import product_of, written
from derive.numerics.intervals.arithmetic import ZERO, Span, hull, point_box
from derive.numerics.intervals.enclosure import enclose
from derive.presentation.numbers import shown_number
from derive.solving.blocks.closed_forms import put_in
from derive.solving.execution.answer import Answer, Stage
from derive.solving.extremes import bounds_of_form
from derive.time_limits import query, sharing
from derive.tolerances import AGREEMENT, TIGHT
from quantities.value import ASKER, Value

_PARTS = 100  # boxes of the search for an extreme


def bounds_of_ratio(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of the ratio of two answers to compare, or of their difference; None without ranges of givens."""
    ranged = [answer for answer in (a, b) if any(value.is_range for value in answer.given.values())]
    if not ranged or any(answer.bounds is None for answer in ranged):
        return None
    assert a.base is not None
    assert b.base is not None
    middle = b.base / a.base if is_ratio else b.base - a.base
    both = _bounds_if_independent(a, b, is_ratio), _bounds_over_box(a, b, is_ratio)
    spans = [span for span in both if span is not None]
    if not spans:
        return None
    lows, highs = zip(*spans, strict=True)
    low, high = min(max(lows), middle), max(min(highs), middle)
    size = 1.0 if is_ratio else float(a.quantity.unit.size)
    return low / size, high / size


def _bounds_if_independent(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of the ratio or difference of two answers to compare, as if no range moved both at once."""
    (low_a, high_a), (low_b, high_b) = ((answer.bounds or (answer.base or 0.0,) * 2) for answer in (a, b))
    if not is_ratio:
        return low_b - high_a, high_b - low_a
    if low_a <= 0 <= high_a:
        return None
    quotients = [y / x for x, y in product((low_a, high_a), (low_b, high_b))]
    return min(quotients), max(quotients)


def _bounds_over_box(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of two compared answers' ratio or difference over the box of all ranges, some of them shared.

    None unless they share one, and both answers have closed forms that hold throughout the box.
    """
    ranged = [name for name, value in a.given.items() if value.is_range and name in b.given]
    if not any(a.given[name].base == b.given[name].base for name in ranged):
        return None
    courses = a.course, b.course
    if not all(course is not None and course.holds_throughout for course in courses):
        return None
    first, second = a.closed_form, b.closed_form
    if first is None or second is None:
        return None
    given = dict(a.given)
    renamed: dict[str, Node] = {}  # in the second answer, so that each moves on its own
    for name, value_of_b in b.given.items():
        if name in a.given and a.given[name].base == value_of_b.base:
            given[name] = value_of_b
        else:
            given[f"{name}'"] = value_of_b
            renamed[name] = Name(f"{name}'")
    second = put_in(second, renamed)
    numbers = {name: value.base[1] for name, value in given.items()}
    ranges = {name: (value.base[0], value.base[2]) for name, value in given.items() if value.is_range}

    def is_positive(node: Node) -> bool:
        if not isinstance(node, Name):
            return False
        low = ranges[node.name][0] if node.name in ranges else numbers[node.name]
        return low > 0

    form = multiplied(second, inverted(first)) if is_ratio else added(second, negated(first))
    form = written(product_of(form, is_positive))
    if not any(name in ranges for name in names_in(form)):
        number = value(form, numbers)
        return number, number
    try:
        return bounds_of_form(form, numbers, ranges, _PARTS)[0]
    except LimitError:
        return None


_LARGEST = 690.0  # logarithm of a factor that a double can hold
_FEW = 6  # numbers up to which ranges are followed where sets of them are evaluated


def compare(a: Answer, b: Answer) -> Comparison:
    """Take two answers of one target apart into what differs, each difference with its factor in the ratio of the two.

    >>> from derive.relation_files.loading import load
    >>> rent = load('''[quantities]
    ... cost  = { unit = "USD" }
    ... price = { unit = "USD/h" }
    ... read  = { unit = "h" }
    ... count = { unit = "h" }
    ... [relations]
    ... cost = { equation = "cost = price*max(read, count)" }''')
    >>> slow = rent.solve("cost", price="2 USD/h", read="6 h", count="4 h")
    >>> fast = rent.solve("cost", price="5 USD/h", read="3 h", count="4 h")
    >>> found = compare(slow, fast)
    >>> [(one.label, round(one.amount, 4)) for one in found.factors]
    [('price', 2.5), ('read', 0.7071), ('regime of cost', 0.9428)]
    >>> round(found.ratio, 4)
    1.6667
    """
    _refuse_incomparable(a, b)
    with query():
        return _ComparedPair(a, b).comparison()


def _refuse_incomparable(a: Any, b: Any) -> None:
    """Refuse to compare anything but two answers with values of one target, and names that mean the same."""
    for answer in (a, b):
        if not isinstance(answer, Answer):
            what = f"a {type(answer).__name__} is no answer to compare."
            raise ExpressionError(what, hint="Give two answers of derive.solve, of the same target.")
    first, second = a.quantity, b.quantity
    if first.name != second.name:
        what = f"{first.name} and {second.name} are two quantities, and their values cannot be compared."
        raise ExpressionError(what, hint="Ask both scenarios for the same target.", text=second.name)
    for name in [first.name, *(name for name in a.quantities if name in b.quantities)]:
        quantity_a, quantity_b = (answer.quantities.get(name, answer.quantity) for answer in (a, b))
        if quantity_a.unit != quantity_b.unit or quantity_a.domain != quantity_b.domain:
            units = f"{name} [{quantity_a.unit}] in the one answer and {name} [{quantity_b.unit}] in the other"
            what = f"{units} are two quantities."
            raise ExpressionError(what, hint="Ask one library for both answers.", text=name)
    for answer in (a, b):
        if answer.base is None:
            what = f"{first.name} is only bounded in one of the answers, and has no value to compare."
            raise AmbiguousError(what, hint="Give more, so that both have a value.", answers=(answer,))


class _ComparedPair:
    """The two answers of a comparison, and what is noted while they are compared."""

    def __init__(self, a: Answer, b: Answer) -> None:
        """Begin the comparison of two answers, by their ratio if their values have one, else by their difference."""
        self.a, self.b = a, b
        self.target = a.quantity
        self.notes: list[str] = []
        assert a.base is not None
        assert b.base is not None
        self.before, self.after = a.base, b.base
        self.is_ratio = _has_ratio(self.before, self.after) and not self.target.unit.offset
        self.neutral = 1.0 if self.is_ratio else 0.0
        courses = a.course, b.course
        self.courses = None if courses[0] is None or courses[1] is None else (courses[0], courses[1])

    def comparison(self) -> Comparison:
        """Compare the pair: a factor for each difference, or one for all where they cannot be told apart."""
        divided = self._divided()
        if divided is None:
            rows, method = self._single_factor(), JOINED
        else:
            mixture, players, shares = divided
            rows, method = self._factors(mixture, players, shares), shares.method
        moving = [factor for factor in rows if factor.amount != self.neutral]
        idle = [factor for factor in rows if factor.amount == self.neutral]
        shown = set(chain.from_iterable(factor.names for factor in rows))
        idle += [self._number_factor(name, self.neutral) for name in self._differing_names() if name not in shown]

        def rank(factor: Factor) -> tuple[bool, float]:
            """The order of factors in the comparison: numbers before regimes, and the largest first."""
            size = math.log(factor.amount) if self.is_ratio else factor.amount
            return factor.kind in ("regime", "way"), -abs(size)

        ratio = self.after / self.before if self.is_ratio else None
        return Comparison(
            a=self.a,
            b=self.b,
            ratio=ratio,
            bounds=bounds_of_ratio(self.a, self.b, self.is_ratio),
            factors=tuple(sorted(moving, key=rank)),
            idle=tuple(idle),
            method=method,
            notes=tuple(self.notes),
        )

    def _differing_names(self) -> list[str]:
        """The names of which both compared answers use a number, and not the same."""
        both = [name for name in self.a.given if name in self.b.given]
        numbers = {name: (self.a.given[name].base[1], self.b.given[name].base[1]) for name in both}
        return [name for name, (before, after) in numbers.items() if not math.isclose(before, after, rel_tol=TIGHT)]

    def _divided(self) -> tuple[Mixture, Players, Shares] | None:
        """Take two answers to compare apart: their mixture, its finest players and shares; None without shares."""
        if self.courses is None:
            self.notes.append("one of the answers does not say how it was reached")
            return None
        quantities = {**self.a.quantities, **self.b.quantities, self.target.name: self.target}
        domains = {name: quantity.domain for name, quantity in quantities.items()}
        mixture = mixture_of(self.target.name, *self.courses, domains)
        first, last = mixture.ends()
        before, after = mixture.target_function().at(first), mixture.target_function(mixture.differing).at(last)
        is_reached = math.isclose(before, self.before, rel_tol=AGREEMENT)
        if not (is_reached and math.isclose(after, self.after, rel_tol=AGREEMENT)):
            self.notes.append("a relation without a closed form could not be solved again in the same way")
            return None
        finest = self._finest_shares(mixture)
        if finest is None:
            self.notes.append("the numbers of one answer have no value in the regime of the other")
            return None
        players, shares = finest
        if any(len(names) > 1 for names in players):
            self.notes.append("mixtures of the two scenarios have no value, or are too many: some numbers are together")
        self.notes += [shares.note] if shares.note else []
        return mixture, players, shares

    def _finest_shares(self, mixture: Mixture) -> tuple[Players, Shares] | None:
        """The finest players into which two answers to compare can be taken apart, with shares; None without any.

        As long as some players have none, these are taken together.
        """
        players: Players = [(name,) for name in mixture.moving]
        while True:
            try:
                with sharing(0.5):  # so that there is time left for coarser players
                    shares = shares_of(mixture, players, mixture.ends(), self.is_ratio)
                largest = max(map(abs, (*shares.numbers, *shares.regimes)), default=0.0)
                if not self.is_ratio or largest < _LARGEST:
                    return players, shares
                stuck = frozenset(mixture.moving)
            except UndefinedMixture as undefined:
                stuck = undefined.names
            except LimitError:
                stuck = frozenset(mixture.moving)
            coarser = _coarser_players(players, stuck)
            if len(coarser) == len(players):
                return None
            players = coarser

    def _factors(self, mixture: Mixture, players: Players, shares: Shares) -> list[Factor]:
        """The factors into which two answers to compare are taken apart; that of a ranged number has bounds."""
        rows = []
        for player, (names, share) in enumerate(zip(players, shares.numbers, strict=True)):
            if len(names) > 1:
                members = tuple(self._number_factor(name, self.neutral) for name in names)
                rows.append(Factor(tuple(names), "together", self._amount(share), "", "", members=members))
                continue
            row = self._number_factor(names[0], self._amount(share))
            low, high = (
                self._bounds_of_number(mixture, players, player, shares.method) if row.is_ranged else (None, None)
            )
            rows.append(replace(row, low=low, high=high))
        for names, share in zip(mixture.regimes, shares.regimes, strict=True):
            rows.append(self._regime_factor(mixture, names, self._amount(share)))
        return rows

    def _amount(self, share: float) -> float:
        """The amount of a factor of two answers to compare, from its share; neutral if the share is only rounding."""
        if self.is_ratio:
            return 1.0 if abs(share) <= TIGHT else math.exp(share)
        is_rounding = abs(share) <= TIGHT * max(abs(self.before), abs(self.after))
        return 0.0 if is_rounding else share / float(self.target.unit.size)

    def _bounds_of_number(
        self, mixture: Mixture, players: Players, player: int, method: str
    ) -> tuple[float, float] | tuple[None, None]:
        """The bounds of the factor of one number in which two answers to compare differ, over its ranges alone.

        They lie at the ends of the ranges where the target moves one way with the number; elsewhere none are told.
        """
        if (SHAPLEY in method or INTEGRAL in method) and len(players) > _FEW:
            return None, None
        name = players[player][0]
        if not self._moves_one_way(mixture, name):
            return None, None
        before, after = mixture.ends()
        amounts = [shares_of(mixture, players, (before, after), self.is_ratio).numbers[player]]
        for first, last in product(self.a.given[name].base[::2], self.b.given[name].base[::2]):
            try:
                ends = {**before, name: first}, {**after, name: last}
                shares = shares_of(mixture, players, ends, self.is_ratio)
            except UndefinedMixture:
                return None, None
            if shares.method != method:  # as where a term of a sum is not positive: its shares jump between
                return None, None
            amounts.append(shares.numbers[player])
        return self._amount(min(amounts)), self._amount(max(amounts))

    def _moves_one_way(self, mixture: Mixture, name: str) -> bool:
        """Whether the target moves one way with a number over its ranges, in all mixtures of the compared answers."""
        before, after = mixture.ends()
        box = point_box(mixture.fixed)
        for other in mixture.moving:
            box[other] = min(before[other], after[other]), max(before[other], after[other])
        first, last = self.a.given[name].base, self.b.given[name].base
        box[name] = min(first[0], last[0]), max(first[2], last[2])
        slopes = ZERO
        for function in (mixture.target_function(), mixture.target_function(mixture.differing)):
            if not box.keys() >= {*names_in(function.form)}:
                return False  # a name that only a solver determines may depend on the number
            enclosure = enclose(function.form, box, name)
            if enclosure is None or enclosure.partial:
                return False
            slopes = hull(slopes, enclosure.slopes)
        return slopes[0] >= 0 or slopes[1] <= 0

    def _number_factor(self, name: str, amount: float) -> Factor:
        """The factor of a number that both answers to compare state, with where each has it from."""
        values = self.a.given[name], self.b.given[name]
        return Factor(
            names=(name,),
            kind="number",
            amount=amount,
            before=str(values[0]),
            after=str(values[1]),
            origins=(_origin(self.a, name), _origin(self.b, name)),
            is_ranged=any(value.is_range for value in values),
            is_within_ranges=any(value.is_range for value in values) and _ranges_overlap(*values),
        )

    def _regime_factor(self, mixture: Mixture, names: Sequence[str], amount: float) -> Factor:
        """The factor of a regime of the compared pair: other arms of a relation, or other ways to a number."""
        stages_a, stages_b = ([ways.get(name) for name in names] for ways in mixture.ways)
        relations = _relations_of(stages_a)
        pairs = zip(stages_a, stages_b, strict=True)
        is_same_stated = all((first is None) == (second is None) for first, second in pairs)
        if relations == _relations_of(stages_b) and is_same_stated:
            before, after = _arms_in_words(self.a, relations, stages_a), _arms_in_words(self.b, relations, stages_b)
            return Factor(tuple(names), "regime", amount, before, after)
        before = "; ".join(self._ways_in_words(self.a, names, stages_a))
        after = "; ".join(self._ways_in_words(self.b, names, stages_b))
        return Factor(tuple(names), "way", amount, before, after)

    def _ways_in_words(self, answer: Answer, names: Sequence[str], stages: Sequence[Stage | None]) -> Iterator[str]:
        """How one of the two answers to compare gets its numbers, in words: as stated, or by which relations."""
        derived: dict[tuple[str, ...], list[str]] = {}
        for name, stage in zip(names, stages, strict=True):
            if stage is not None:
                derived.setdefault(stage.relations, []).append(name)
            else:
                stated = str(answer.given[name])
                yield stated if len(names) == 1 else f"{name} = {stated}"
        for relations, quantities in derived.items():
            by = f"by {first_names(relations, NAMED)}"
            if len(names) > 1:
                yield f"{first_names(quantities, NAMED)} {by}"
                continue
            assert answer.course is not None
            (name,) = quantities
            yield f"{shown_number(answer.course.values[name], answer.quantities[name].unit)} {by}"

    def _single_factor(self) -> list[Factor]:
        """The one factor of two answers to compare that are not taken apart; none where nothing differs."""
        change = math.log(self.after / self.before) if self.is_ratio else self.after - self.before
        amount = self._amount(change)
        names = self._differing_names()
        regimes = [answer.regime for answer in (self.a, self.b)]
        chosen = dict.fromkeys(chain.from_iterable(regimes))
        others = [f"regime of {name}" for name in chosen if regimes[0].get(name) != regimes[1].get(name)]
        if not names and not others and self.before == self.after:
            return []
        values = [shown_number(number, self.target.unit) for number in (self.before, self.after)]
        members = tuple(self._number_factor(name, self.neutral) for name in names)
        label = (*names, *others) or (self.target.name,)
        return [Factor(label, "together", amount, values[0], values[1], members=members)]


def _has_ratio(before: float, after: float) -> bool:
    """Whether the values of two answers to compare have one sign, and a ratio that a double can hold."""
    if before == 0 or after == 0 or (before > 0) != (after > 0):
        return False
    return abs(math.log(abs(after)) - math.log(abs(before))) < _LARGEST


def _coarser_players(players: Players, together: frozenset[str]) -> Players:
    """The players of a comparison, with those that own some names joined into one."""
    others = [names for names in players if together.isdisjoint(names)]
    joined = tuple(chain.from_iterable(names for names in players if not together.isdisjoint(names)))
    return [*others, joined] if joined else players


def _origin(answer: Answer, name: str) -> str:
    """The origin of a number in a compared answer: its profile, the question, or the library."""
    profile = answer.course.origins.get(name) if answer.course else None
    return profile or ("given" if answer.given[name].source == ASKER else "default")


def _relations_of(stages: Iterable[Stage | None]) -> set[str]:
    """The relations by which a compared answer derives some quantities."""
    return set(chain.from_iterable(stage.relations for stage in stages if stage))


def _arms_in_words(answer: Answer, relations: Iterable[str], stages: Sequence[Stage | None]) -> str:
    """The arms that bind in one of the answers to compare, in words; the forms where no relation names an arm."""
    arms = [answer.regime[name] for name in sorted(relations) if name in answer.regime]
    forms = [render(stage.form) for stage in stages if stage and stage.form is not None]
    return "; ".join(dict.fromkeys(arms or forms)) or ", ".join(sorted(relations))


def _ranges_overlap(first: Value, second: Value) -> bool:
    """Whether a given may have the same number in both answers to compare, by its range in each.

    >>> from quantities.value import read_value
    >>> [_ranges_overlap(read_value("2..4 m"), read_value(other)) for other in ("350 cm", "5 m")]
    [True, False]
    """
    return first.base[0] <= second.base[2] and second.base[0] <= first.base[2]
