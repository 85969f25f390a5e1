"""How much of a ratio each difference accounts for: numbers first among themselves, and regimes beside them.

Let f(x; w) be the target from numbers x by ways w (`mixture`), so that one answer is f(x0; w0) and the other f(x1; w1).
The *regime* accounts for what the ways make of the ratio, the numbers being held: at those of one answer and at those
of the other, since neither comes first. The numbers account for the rest: for their change by the ways of one answer
and by those of the other. Each is the geometric mean of the two:

    regime  = sqrt( f(x0; w1)/f(x0; w0) * f(x1; w1)/f(x1; w0) )
    numbers = sqrt( f(x1; w0)/f(x0; w0) * f(x1; w1)/f(x0; w1) ),        regime * numbers = f(x1; w1)/f(x0; w0).

This is the value of a game whose players form two unions (G. Owen, "Values of games with a priori unions", 1977). Among
several regimes, and among the numbers by either ways, the shares are found without an order:

- The target by fixed ways is a product of powers of expressions, and the logarithm of its ratio the sum of theirs. A
  number that only occurs as a power of its own has exactly the power of its own ratio.
- A sum of positive products of powers is shared by the logarithmic mean Divisia index (`shares`).
- Any other expression is shared by Shapley's value: it is evaluated for every set of its differing numbers,
  or its slopes are integrated if these are many.

Which of these it is depends on the expression, and not on which of its numbers differ.

Where no ratio means anything (a zero, two signs, a temperature in degrees), the same shares are taken of the
difference, term by term. Where the numbers of one answer have no value by the ways of the other, but not conversely,
the regime is taken where it has one, at the numbers of that other answer, and the rest by the ways that are left.
Numbers of an expression that has no value for some set of them are taken together, and in the end numbers and regimes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from derive.comparison.mixture import Mixture, TargetFunction
from derive.comparison.shares import MOST_PLAYERS, UndefinedMixture, divisia_shares, monomials, shapley, slopes_along
from derive.expressions.tree import Apply, Node, names_in
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.products import product_of
from derive.time_limits import tick
from derive.tolerances import AGREEMENT

POWERS = "each has the ratio of its own factor"
DIVISIA = "logarithmic mean Divisia index"
SHAPLEY = "Shapley value"
INTEGRAL = "integral of the slopes along the path from one answer to the other"
JOINED = "not taken apart"
_IN_BOTH = ", in the mean of both regimes"

_SLOW_PLAYERS = 5  # the same as `MOST_PLAYERS` where relations are solved again for every set
_REGIMES = 8  # the same for regimes

Numbers = Mapping[str, float]
Players = Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Shares:
    """The share of each player, and of each regime, in the logarithm of the ratio or in the difference."""

    numbers: tuple[float, ...]
    regimes: tuple[float, ...]
    method: str
    note: str = ""


def shares_of(mixture: Mixture, players: Players, ends: tuple[Numbers, Numbers], is_log: bool) -> Shares:
    """Decompose the ratio or the difference of two answers: what each player and each regime accounts for.

    Raises `UndefinedMixture` if a mixture has no value.
    """
    functions = [mixture.target_function()]
    if mixture.differing:
        functions.append(mixture.target_function(mixture.differing))
    sign = math.copysign(1.0, functions[0].at(ends[0])) if is_log else 1.0
    sides = [_Side(mixture, function, players, ends, is_log, sign) for function in functions]
    share_rows: list[tuple[list[float], list[float]] | None] = []
    stuck = set[str]()  # the numbers that have no value one by one
    for side, other_end in zip(sides, reversed(ends), strict=False):
        try:
            share_rows.append((side.numbers(), side.regimes(other_end)))
        except UndefinedMixture as undefined:
            share_rows.append(None)
            stuck |= undefined.names
    rows = [shares for shares in share_rows if shares is not None]
    if not rows:
        raise UndefinedMixture(stuck)
    numbers = [math.fsum(column) / len(rows) for column in zip(*(row for row, _ in rows), strict=True)]
    regimes = [math.fsum(column) / len(rows) for column in zip(*(row for _, row in rows), strict=True)]
    methods = set[str]().union(*(side.methods for side in sides))
    method = "; ".join(name for name in (DIVISIA, SHAPLEY, INTEGRAL) if name in methods) or POWERS
    if len(rows) > 1:
        method += _IN_BOTH
    note = ""
    if None in share_rows:
        regime_of, numbers_of = ("A", "B") if share_rows[0] is None else ("B", "A")
        note = f"in the regime of {regime_of} not all numbers of {numbers_of} have a value; "
        note += f"regimes are taken at the numbers of {regime_of}"
    return Shares(tuple(numbers), tuple(regimes), method, note)


@dataclass(frozen=True)
class _Part:
    """A factor of the target with its exponent, or a term of it, and the players that move it."""

    node: Node
    weight: float
    players: tuple[int, ...]


@dataclass(frozen=True)
class _Side:
    """The numbers as players by the ways of one answer, and the regimes at the numbers of the other."""

    mixture: Mixture
    function: TargetFunction
    players: Players
    ends: tuple[Numbers, Numbers]
    is_log: bool
    sign: float
    methods: set[str] = field(default_factory=set)  # that were used

    @cached_property
    def owner(self) -> dict[str, int]:
        """For each moving number of the decomposed target, the place of the player to whom it belongs."""
        owners: dict[str, int] = {}
        for player, group in enumerate(self.players):
            owners |= dict.fromkeys(group, player)
        return owners

    def _worth(self, function: TargetFunction, end: Numbers) -> float:
        """The logarithm of the decomposed target at some numbers, or the target; raises `UndefinedMixture` if none."""
        number = self.sign * function.at(end)
        if not math.isfinite(number) or (self.is_log and number <= 0):
            raise UndefinedMixture
        return math.log(number) if self.is_log else number

    def regimes(self, end: Numbers) -> list[float]:
        """What the decomposition gives each regime, at the numbers of one answer."""
        groups = self.mixture.regimes
        if len(groups) > _REGIMES:
            raise UndefinedMixture

        def worth(moved: int) -> float:
            chosen = chain.from_iterable(group for place, group in enumerate(groups) if moved >> place & 1)
            return self._worth(self.mixture.target_function([*chosen]), end)

        return shapley(len(groups), worth)

    def numbers(self) -> list[float]:
        """What the decomposition gives each player; raises `UndefinedMixture` if the sum is not the change."""
        first, last = (self._worth(self.function, end) for end in self.ends)
        totals = [0.0] * len(self.players)
        for part in self._parts:
            try:
                shares = self._of_part(part)
            except UndefinedMixture as undefined:
                raise UndefinedMixture(undefined.names or self._names(part.players)) from None
            for player, share in zip(part.players, shares, strict=True):
                totals[player] += part.weight * share
        if abs(math.fsum(totals) - (last - first)) > AGREEMENT * max(1.0, abs(last), abs(first)):
            raise UndefinedMixture
        return totals

    @cached_property
    def numbers_at_ends(self) -> tuple[dict[str, float], dict[str, float]]:
        """All numbers in the decomposed target's form, as in the first answer and as in the second."""
        names = names_in(self.function.form)
        first, last = (self.function.numbers(end, names) for end in self.ends)
        return first, last

    def _names(self, players: Sequence[int]) -> list[str]:
        return [*chain.from_iterable(self.players[player] for player in players)]

    @cached_property
    def _parts(self) -> list[_Part]:
        """The factors of the decomposed target, or its terms, that players move."""
        form = self.function.form
        if self.is_log:
            factors = product_of(form, self._is_positive).powers
            pairs = [(node, float(exponent)) for node, exponent in factors.items()]
        else:
            terms = form.args if isinstance(form, Apply) and form.op == "add" else (form,)
            pairs = [(term, 1.0) for term in terms]
        parts = [_Part(node, weight, self._moving(node)) for node, weight in pairs]
        return [part for part in parts if part.players]

    def _is_positive(self, node: Node) -> bool:
        return all(value(node, numbers) > 0 for numbers in self.numbers_at_ends)

    def _moving(self, node: Node) -> tuple[int, ...]:
        """The players that move an expression of the decomposed target."""
        feeding = self.function.feeding
        return self._owners(chain.from_iterable(feeding.get(name, ()) for name in names_in(node)))

    def _owners(self, names: Iterable[str]) -> tuple[int, ...]:
        """The players to whom some moving numbers of the decomposed target belong, each once and in order."""
        return tuple(sorted({self.owner[name] for name in names}))

    def _of_part(self, part: _Part) -> Sequence[float]:
        """The shares of the players in the change of one factor or term of the decomposed target."""
        count = len(part.players)
        if count == 1:
            first, last = (value(part.node, numbers) for numbers in self.numbers_at_ends)
            return [_log_ratio(first, last) if self.is_log else last - first]
        by_index = self._divisia(part) if self.is_log else None
        if by_index is not None:
            self.methods.add(DIVISIA)
            return by_index
        is_slow = any(name in self.function.ways for name in names_in(part.node))
        if count <= (_SLOW_PLAYERS if is_slow else MOST_PLAYERS):
            self.methods.add(SHAPLEY)
            self._prove_inside()
            return shapley(count, self._evaluated(part))
        if is_slow or self._doubtful:
            raise UndefinedMixture
        self.methods.add(INTEGRAL)
        return self._along(part)

    @cached_property
    def _doubtful(self) -> list[tuple[str, tuple[int, ...]]]:
        """The quantities that may leave their domains while a target is decomposed, and the players that move them."""
        names = self.function.uncertain_names(self.ends)
        moved = {name: self._owners(self.function.feeding[name]) for name in names}
        return [(name, players) for name, players in moved.items() if len(players) > 1]

    def _prove_inside(self) -> None:
        """Raise `UndefinedMixture` if a quantity of the decomposed target leaves its domain as players move."""
        for name, players in self._doubtful:
            if len(players) > (_SLOW_PLAYERS if self.function.is_slow else MOST_PLAYERS):
                raise UndefinedMixture(self._names(players))
            for moved in range(1 << len(players)):
                tick()
                if math.isnan(self.function.numbers(self._after(players, moved), [name])[name]):
                    raise UndefinedMixture(self._names(players))

    def _after(self, players: Sequence[int], moved: int) -> dict[str, float]:
        """The moving numbers of the decomposition after those players have moved whose bits are set."""
        before, after = self.ends
        gone = self._names([player for i, player in enumerate(players) if moved >> i & 1])
        return {**before, **{name: after[name] for name in gone}}

    def _divisia(self, part: _Part) -> Sequence[float] | None:
        """The shares in a part of the decomposed target by the Divisia index; None where it does not apply."""
        terms = monomials(part.node, self._is_positive)
        if terms is None:
            return None
        index = {player: i for i, player in enumerate(part.players)}

        def moving(node: Node) -> int | None:
            players = self._moving(node)
            if len(players) > 1 or len(names_in(node)) > 1:
                return None
            return index[players[0]] if players else -1

        return divisia_shares(terms, len(part.players), moving, *self.numbers_at_ends)

    def _evaluated(self, part: _Part) -> Callable[[int], float]:
        """The worth of one part of the decomposed target, as a function of the set of players who have moved.

        It is the logarithm of the part's ratio once they moved, or its number.
        """
        names, start = names_in(part.node), value(part.node, self.numbers_at_ends[0])

        def worth(moved: int) -> float:
            number = value(part.node, self.function.numbers(self._after(part.players, moved), names))
            if not math.isfinite(number):
                raise UndefinedMixture
            return _log_ratio(start, number) if self.is_log else number

        return worth

    def _along(self, part: _Part) -> Sequence[float]:
        """What a part of the decomposed target gives each player by integrals of slopes along that player's names."""
        inside = names_in(part.node)
        names = [name for name in self._names(part.players) if name in inside]
        before, after = self.numbers_at_ends
        shares = slopes_along(part.node, names, before, after, self.is_log)
        totals = dict.fromkeys(part.players, 0.0)
        for name, share in zip(names, shares, strict=True):
            totals[self.owner[name]] += share
        return list(totals.values())


def _log_ratio(first: float, last: float) -> float:
    """The logarithm of the ratio of two numbers in the decomposition, which need one sign."""
    if not (math.isfinite(first) and math.isfinite(last) and first * last > 0):
        raise UndefinedMixture
    return math.log(last / first)
