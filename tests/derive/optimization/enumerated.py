"""Random small programs and their feasible points by enumeration, in plain Python that knows nothing of the engine.

A program has one to three free quantities (ranges, counts, lists), quantities that equations determine from them (in
closed form, as counts, by cases, by a square that has two roots) and limits. `feasible` works out every solution at a
point; `best` tries a grid, finds between its points where a count is whole, and steps from the best of them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

MATHS = {"max": max, "min": min, "abs": abs, "sqrt": math.sqrt, "exp": math.exp, "ceil": math.ceil, "floor": math.floor}
MORE_SHAPES = (
    *("abs({} - {})", "({} - {})**2", "{}/(1 + ({})**2)"),
    *("exp(-({} - {})**2/9)", "sqrt(1 + abs({} - {}))", "ceil({} - {})"),
)
ROUNDING = 1e-13  # within which a number is whole
LINES = 60  # along which counts are sought, for each range
GRID = {1: 201, 2: 25, 3: 11}  # points along each range, by the number of ranges


@dataclass(frozen=True)
class Free:
    name: str
    low: float
    high: float
    is_whole: bool = False
    listed: tuple[float, ...] = ()

    @property
    def given(self) -> Any:
        return [str(x) for x in self.listed] if self.listed else f"{self.low}..{self.high}"


@dataclass(frozen=True)
class Derived:
    """A quantity, its relations as they are written, and its values from those before it."""

    name: str
    domain: str
    relations: tuple[tuple[str, str], ...]  # each with its condition, or none
    values: Callable[[dict[str, float]], list[float]] = field(repr=False)
    uses: frozenset[str] = frozenset()
    is_whole: bool = False
    low: float = -math.inf
    high: float = math.inf
    uses_at: Callable[[dict[str, float]], set[str]] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Small:
    """A random program."""

    free: tuple[Free, ...]
    derived: tuple[Derived, ...]
    limits: tuple[tuple[str, str, float], ...]  # each a form, a sign and a number
    target: str
    sense: str

    @property
    def text(self) -> str:
        """The program as a relation file."""
        lines = ["[quantities]"]
        for one in self.free:
            lines.append(f'{one.name} = {{ unit = "1", domain = "{"0..100, whole" if one.is_whole else "real"}" }}')
        for one in self.derived:
            lines.append(f'{one.name} = {{ unit = "1", domain = "{one.domain}" }}')
        relations = [pair for one in self.derived for pair in one.relations]
        for i, (equation, condition) in enumerate(relations):
            lines += [f"[relations.r{i}]", f'equation = "{equation}"']
            if condition:
                lines.append(f'when = ["{condition}"]')
        return "\n".join(lines) + "\n"

    @property
    def such_that(self) -> list[str]:
        return [f"{form} {sign} {number}" for form, sign, number in self.limits]

    @property
    def given(self) -> dict[str, Any]:
        return {one.name: one.given for one in self.free}

    @property
    def sign(self) -> int:
        return 1 if self.sense == "least" else -1

    def needed_at(self, state: dict[str, float]) -> set[str]:
        """The names of what is needed at a point, where each case needs its own arm alone."""
        wanted = {self.target} | {name for form, _, _ in self.limits for name in _names(form)}
        for one in reversed(self.derived):
            if one.name in wanted:
                wanted |= one.uses_at(state) if one.uses_at else one.uses
        return wanted & {one.name for one in self.derived}

    def needed(self) -> list[Derived]:
        """What stands between the free quantities and the target or the limits in any case, in order."""
        wanted = {self.target} | {name for form, _, _ in self.limits for name in _names(form)}
        found = []
        for one in reversed(self.derived):
            if one.name in wanted:
                wanted |= one.uses
                found.append(one)
        return found[::-1]


def _names(text: str) -> set[str]:
    return {part for part in "".join(c if c.isalnum() or c == "_" else " " for c in text).split() if part[0].isalpha()}


@cache
def _compiled(text: str) -> Any:
    return compile(text, "<form>", "eval")


def worked_out(text: str, values: dict[str, float]) -> float:
    """The number of a form; NaN where it has none."""
    try:
        number = eval(_compiled(text), {"__builtins__": {}, **MATHS}, values)
    except (ZeroDivisionError, OverflowError, ValueError):
        return math.nan
    return float(number) if isinstance(number, (int, float)) and math.isfinite(number) else math.nan


def feasible(
    program: Small, point: dict[str, float], slack: float = 0.0, *, is_all: bool = False
) -> Iterator[dict[str, float]]:
    """Every solution at a point: the values of all quantities that are needed there, where everything holds.

    Or of all that any case needs: what the point determines and lies outside its domain contradicts it.
    """
    states = [dict(point)]
    for one in program.needed():
        states = [{**state, one.name: x} for state in states for x in one.values(state) or [math.nan]]
    for state in states:
        whole = {one.name: _admitted(one, state[one.name], slack) for one in program.derived if one.name in state}
        settled = _worked_again(program, {**state, **whole})
        needed = {one.name for one in program.needed()} if is_all else program.needed_at(settled)
        is_whole = all(settled[name] == settled[name] for name in needed)
        if is_whole and all(_holds(limit, settled, slack) for limit in program.limits):
            yield settled


def rests_on_rounding(program: Small, point: dict[str, float]) -> bool:
    """Whether a count is taken for zero there that is positive, such as the square of something small."""
    state = dict(point)
    for one in program.needed():
        state[one.name] = next(iter(one.values(state)), math.nan)
        if one.is_whole and 0 < abs(state[one.name]) <= ROUNDING:
            return True
    return False


def _admitted(one: Derived, x: float, slack: float) -> float:
    """A value of a quantity, whole if it counts; NaN where it is outside its domain."""
    if one.is_whole and x == x:
        x = float(round(x)) if abs(x - round(x)) <= max(slack, ROUNDING) * max(1.0, abs(x)) else math.nan
    return x if one.low - slack <= x <= one.high + slack else math.nan


def _worked_again(program: Small, state: dict[str, float]) -> dict[str, float]:
    """The state with its last digits right: what follows from counts is worked out from whole numbers."""
    for one in program.derived:
        if one.name in state and not one.is_whole and state[one.name] == state[one.name]:
            state[one.name] = min(one.values(state) or [math.nan], key=lambda x: abs(x - state[one.name]))
    return state


def _holds(limit: tuple[str, str, float], state: dict[str, float], slack: float) -> bool:
    form, sign, number = limit
    over = worked_out(form, state) - number
    over = over if sign == "<=" else -over
    return over <= slack * (abs(over + number) + abs(number) + 1.0)


def best(program: Small) -> tuple[float, dict[str, float]] | None:
    """The best feasible value that was met, with its point."""
    wide = [one for one in program.free if not one.listed and not one.is_whole]
    count = GRID[len(wide)] if wide else 1
    places = {one.name: _places(one, count) for one in program.free}
    met: list[tuple[float, dict[str, float]]] = []

    def meet(point: dict[str, float]) -> float:
        values = [program.sign * state[program.target] for state in feasible(program, point, is_all=True)]
        least = min((x for x in values if x == x), default=math.inf)
        if least < math.inf:
            met.append((least, point))
        return least

    for chosen in product(*places.values()):
        meet(dict(zip(places, chosen, strict=True)))
    for point in list(_whole_points(program, places, wide)):
        meet(point)
    if not met:
        return None
    for value, point in sorted(met, key=lambda one: one[0])[:3]:
        _stepped(value, point, wide, meet)
    value, point = min(met, key=lambda one: one[0])
    return program.sign * value, point


def _places(one: Free, count: int) -> list[float]:
    if one.listed:
        return list(one.listed)
    if one.is_whole:
        return [float(x) for x in range(math.ceil(one.low), math.floor(one.high) + 1)]
    return [one.low + (one.high - one.low) * i / (count - 1) for i in range(count)]


def _stepped(
    value: float, point: dict[str, float], wide: list[Free], meet: Callable[[dict[str, float]], float]
) -> None:
    """Steps along the axes, ever shorter, while they help."""
    share = 0.05
    while share > 1e-8:
        better = False
        for one in wide:
            for sign in (1, -1):
                x = min(max(point[one.name] + sign * share * (one.high - one.low), one.low), one.high)
                moved = {**point, one.name: x}
                found = meet(moved)
                if found < value:
                    value, point, better = found, moved, True
        share = share if better else share / 4


def _whole_points(program: Small, places: dict[str, list[float]], wide: list[Free]) -> Iterator[dict[str, float]]:
    """Points between those of the grid, along each range, at which a count that is determined is whole."""
    counts = [one for one in program.needed() if one.is_whole]

    def raw(one: Derived, point: dict[str, float]) -> float:
        """The count before it has to be whole, with what precedes it at its first value."""
        state = dict(point)
        for other in program.needed():
            values = [x for x in other.values(state) if x == x]
            if not values:
                return math.nan
            if other.name == one.name:
                return values[0]
            state[other.name] = values[0]
        return math.nan

    for one, side in product(counts, wide):
        rest = {name: xs for name, xs in places.items() if name != side.name}
        line = places[side.name]
        lines = list(product(*rest.values()))
        for chosen in lines[:: 1 + len(lines) // LINES]:
            at = dict(zip(rest, chosen, strict=True))
            numbers = [raw(one, {**at, side.name: x}) for x in line]
            for i in range(len(line) - 1):
                a, b = numbers[i], numbers[i + 1]
                if not abs(a - b) < 50:
                    continue
                for whole in range(math.ceil(min(a, b)), math.floor(max(a, b)) + 1):
                    x = _bisected(lambda x: raw(one, {**at, side.name: x}) - whole, line[i], line[i + 1])  # noqa: B023
                    yield {**at, side.name: x}


def _bisected(gap: Callable[[float], float], low: float, high: float) -> float:
    first = gap(low)
    for _ in range(80):
        middle = (low + high) / 2
        here = gap(middle)
        if here == 0:
            return middle
        if (here < 0) == (first < 0):
            low = middle
        else:
            high = middle
    return low if abs(gap(low)) < abs(gap(high)) else high


# Making them


def drawn(seed: int) -> Small:
    """The random program of a seed."""
    draw = random.Random(f"enumerated {seed}")
    free = tuple(_free(draw, name) for name in ("x", "y", "z")[: draw.choice([1, 1, 2, 2, 3])])
    known = [one.name for one in free]
    derived: list[Derived] = []
    for i in range(draw.choice([0, 1, 1, 2, 2, 3])):
        one = _derived(draw, f"d{i}", known)
        derived.append(one)
        known.append(one.name)
    form = _form(draw, draw.choice([2, 3, 4]), known, last=known[-1])
    derived.append(
        Derived("f", "real", ((f"f = {form}", ""),), lambda at: [worked_out(form, at)], frozenset(_names(form)))
    )
    limits = tuple(_limit(draw, known) for _ in range(draw.choice([0, 0, 1, 1, 2])))
    made = Small(free, tuple(derived), limits, "f", draw.choice(["least", "most"]))
    needed = made.needed()  # others may contradict what is given
    if draw.random() < 0.3:  # a quantity with cases that nobody asks for
        needed.append(_by_case(draw, "spare", [one.name for one in (*free, *needed[:-1])]))
    return replace(made, derived=tuple(needed))


def _free(draw: random.Random, name: str) -> Free:
    kind = draw.choice(["range", "range", "range", "whole", "list"])
    if kind == "list":
        return Free(name, 0, 0, listed=tuple(sorted({draw.choice([-2, 0.5, 1, 2, 2.5, 4, 7]) for _ in range(3)})))
    low = draw.choice([-3, -1, 0, 0.5, 1, 2])
    high = low + draw.choice([1, 2.5, 4, 9])
    if kind == "whole":
        return Free(name, max(math.ceil(low), 0), max(math.ceil(low), 0) + draw.choice([1, 3, 8]), is_whole=True)
    return Free(name, low, high)


def _number(draw: random.Random) -> str:
    return draw.choice(["0.5", "1", "1.5", "2", "3", "5", "0.3", "7"])


def _form(draw: random.Random, size: int, known: list[str], last: str = "") -> str:
    """A form of so many leaves; the last name is among them."""
    if size == 1:
        return last or draw.choice([*known, *known, _number(draw)])
    left = draw.randint(1, size - 1)
    a, b = _form(draw, left, known, last), _form(draw, size - left, known)
    shape = draw.choice(
        ["({} + {})", "({} - {})", "({} - {})", "{}*{}", "{}*{}", "max({}, {})", "min({}, {})", *MORE_SHAPES]
    )
    return shape.format(a, b)


def _limit(draw: random.Random, known: list[str]) -> tuple[str, str, float]:
    form = draw.choice([known[-1], draw.choice(known), _form(draw, 2, known)])
    if not _names(form) & {*known}:
        form = known[0]
    return form, draw.choice(["<=", ">="]), float(draw.choice([-2, 0, 0.5, 1, 2, 3, 6]))


def _derived(draw: random.Random, name: str, known: list[str]) -> Derived:
    kind = draw.choice([_closed, _closed, _count, _count, _by_case, _by_square])
    return kind(draw, name, known)


def _closed(draw: random.Random, name: str, known: list[str]) -> Derived:
    form = _form(draw, draw.choice([2, 3]), known)
    domain, low, high = draw.choice(
        [("real", -math.inf, math.inf)] * 3 + [("-3..4", -3, 4), ("nonnegative", 0, math.inf)]
    )
    return Derived(
        name,
        domain,
        ((f"{name} = {form}", ""),),
        lambda at: [worked_out(form, at)],
        frozenset(_names(form)),
        low=low,
        high=high,
    )


def _count(draw: random.Random, name: str, known: list[str]) -> Derived:
    """A count that an equation determines, written in one of several directions."""
    a, b = draw.choice(known), draw.choice(known)
    c = _number(draw)
    written, form = draw.choice(
        [
            (f"{name}*{a} = {c}*{b} + 10", f"({c}*{b} + 10)/{a}"),
            (f"{name}*{a} = 10", f"10/{a}"),
            (f"{name} + {a}**2 = {c} + 6", f"{c} + 6 - {a}**2"),
            (f"{a} = {name}/{c}", f"{a}*{c}"),
            (f"2*{name} - {a} = {b}", f"({a} + {b})/2"),
            (f"{name} = {a}*{b}", f"{a}*{b}"),
        ]
    )
    return Derived(
        name, "0..20, whole", ((written, ""),), lambda at: [worked_out(form, at)], frozenset(_names(form)), True, 0, 20
    )


def _by_case(draw: random.Random, name: str, known: list[str]) -> Derived:
    one, other = _form(draw, 2, known), _form(draw, 2, known)
    about, border = draw.choice(known), float(_number(draw))

    def values(at: dict[str, float]) -> list[float]:
        if about not in at or at[about] != at[about]:
            return []
        return [worked_out(one if at[about] <= border else other, at)]

    def uses_at(at: dict[str, float]) -> set[str]:
        return _names(one if at[about] <= border else other) | {about}

    relations = ((f"{name} = {one}", f"{about} <= {border}"), (f"{name} = {other}", f"{about} > {border}"))
    return Derived(name, "real", relations, values, frozenset(_names(one) | _names(other) | {about}), uses_at=uses_at)


def _by_square(draw: random.Random, name: str, known: list[str]) -> Derived:
    """A quantity of which a relation has the square."""
    a, c = draw.choice(known), _number(draw)
    is_real = draw.random() < 0.6

    def values(at: dict[str, float]) -> list[float]:
        square = float(c) + 2 - at[a]
        if not square >= 0:
            return []
        root = math.sqrt(square)
        return [root, -root] if is_real and root else [root]

    low = -math.inf if is_real else 0.0
    return Derived(
        name,
        "real" if is_real else "nonnegative",
        ((f"{name}**2 + {a} = {c} + 2", ""),),
        values,
        frozenset({a}),
        low=low,
    )
