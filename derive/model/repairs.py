"""Dimension errors as the user reads them: the relation, the part, both sides factor by factor, the repair.

A mismatch says that the dimension of one part is R times that of the other. A repair is a small edit that removes R:
invert a factor, square a measured quantity (a length, a speed), divide by a quantity of dimension R (or multiply by
one of 1/R), change the power of a factor, add a product of two quantities. Edits are tried in that order, the order
of how often such slips happen. One that makes the whole relation consistent, and not only the failing part, comes
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain

from derive.errors import Problem, UnknownNameError, unknown
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, rebuilt, render
from derive.model.dimensional_analysis import (
    Mismatch,
    Turn,
    TurnRules,
    dimension_of,
    is_of_cycles,
    mark_of,
    mismatches,
    terms_of,
)
from derive.search_index import Entry, Index
from quantities.declaration import Declaration
from quantities.dimension import NUMBER, Dimension
from quantities.spelling import parse_unit

_WIDEST = 48  # limit on characters of an expression in a message


@dataclass(frozen=True)
class Vocabulary:
    """The quantities that a repair may name."""

    quantities: Mapping[str, Declaration]
    searches: bool = True  # for repairs and similar names; turned off after many problems

    @cached_property
    def brief(self) -> Vocabulary:
        """The same vocabulary without searches for repairs, when there are many problems."""
        return replace(self, searches=False) if self.searches else self

    @cached_property
    def index(self) -> Index:
        """The search index of the quantities that a repair may name, by name, alias and meaning."""
        return Index(Entry("quantity", each.name, each.meaning, each.aliases) for each in self.quantities.values())

    def unknown(self, name: object) -> UnknownNameError:
        """The error for an undeclared quantity, with similar names among those that a repair may use if it searches."""
        if not self.searches:
            return unknown("quantity", name, list(self.quantities), search=False)
        return self.index.unknown("quantity", name)

    @cached_property
    def dimensions(self) -> dict[str, Dimension]:
        return {name: quantity.dimension for name, quantity in self.quantities.items()}

    @cached_property
    def marks(self) -> dict[str, Turn]:
        """The turns of those quantities that a repair may name whose units count rotation."""
        turns = {name: mark_of(quantity.unit) for name, quantity in self.quantities.items()}
        return {name: mark for name, mark in turns.items() if mark != Turn()}

    @cached_property
    def by_dimension(self) -> dict[Dimension, list[str]]:
        """The names of the quantities that a repair may put in, for each dimension, in the order of declaration."""
        names: dict[Dimension, list[str]] = {}
        for name, dimension in self.dimensions.items():
            names.setdefault(dimension, []).append(name)
        return names


def shown(node: Node) -> str:
    """An expression as a dimension error and its repair show it, cut off where it is long."""
    text = render(node)
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "..."


def exponent_of(power: Fraction) -> str:
    """The size of a factor's power as a repair shows it: `**2`, `**(1/2)`, or nothing for 1; the sign is left out."""
    size = abs(power)
    if size == 1:
        return ""
    return f"**{size}" if size.denominator == 1 else f"**({size})"


def factors_of(side: Node, power: Fraction = Fraction(1)) -> list[tuple[Node, Fraction]]:
    """The factors of a product, each with its power, as a message shows them to the user and a repair edits them."""
    if isinstance(side, Apply):
        match side.op:
            case "mul":
                return [*chain.from_iterable(factors_of(arg, power) for arg in side.args)]
            case "inv":
                return factors_of(side.args[0], -power)
            case "neg":
                return factors_of(side.args[0], power)
            case "sqrt":
                return factors_of(side.args[0], power / 2)
            case "pow" if isinstance(side.args[1], Number) and side.args[1].value:
                return factors_of(side.args[0], power * side.args[1].value)
    return [(side, power)]


_MOST_PROPOSED = 2  # limit on repairs in one hint
_AMOUNTS = {"operation", "information", "token", "money", "parameter", "sequence"}
"""What is counted, so that the same with /s is a rate."""
_COUNTED = _AMOUNTS | {"accelerator"}


@dataclass(frozen=True, slots=True)
class Edit:
    """A proposal in words, and the part of the relation that it replaces."""

    words: str
    old: Node
    new: Node
    squares: bool = False  # whether it changes the power of a factor that occurs once and is not a count


@dataclass(frozen=True, slots=True)
class Repair:
    """A hint on a mismatch, and the edits of the relation among its proposals."""

    hint: str
    edits: tuple[Edit, ...] = ()


def _product_of(factors: Iterable[tuple[Node, Fraction]]) -> Node:
    """The product of some factors, each with its power, as a repair writes it."""
    nodes: list[Node] = []
    for node, power in factors:
        if power == 0:
            continue
        raised = node if abs(power) == 1 else Apply("pow", (node, Number(abs(power))))
        nodes.append(Apply("inv", (raised,)) if power < 0 else raised)
    return Apply("mul", tuple(nodes)) if nodes else Number(Fraction(1))


def _is_negative(side: Node) -> bool:
    """Whether an odd number of minus signs stands before the factors of a side that a repair edits."""
    if not isinstance(side, Apply) or side.op not in ("neg", "mul", "inv", "pow"):
        return False
    if side.op == "pow":
        exponent = side.args[1]
        return isinstance(exponent, Number) and exponent.value % 2 == 1 and _is_negative(side.args[0])
    return (sum(map(_is_negative, side.args)) + (side.op == "neg")) % 2 == 1


def repair(equation: Equation, fault: Mismatch, vocabulary: Vocabulary) -> Repair:
    """The hint that repairs a mismatch of dimensions, with the edits it proposes; no edits without a search."""
    ratio = fault.right_dimension / fault.left_dimension
    if not ratio or is_of_cycles(ratio):
        return _repair_of_turns(equation, fault, vocabulary)
    if (hint_on_literal := _repair_of_literal(fault)) is not None:
        return Repair(hint_on_literal)
    if fault.kind == "rounding":
        return Repair("Divide by a quantity of that unit before rounding.")
    if fault.kind in ("argument", "exponent"):
        ratio = fault.left_dimension
    edits = _best_edits(equation, fault, ratio, vocabulary) if vocabulary.searches else []
    proposals = [edit.words for edit in edits]
    if len(proposals) < _MOST_PROPOSED:
        proposals += _redeclared(fault, ratio, vocabulary)
    if not proposals:
        subjects = {"sides": "the right", "argument": shown(fault.left), "exponent": shown(fault.left)}
        subject = subjects.get(fault.kind, shown(fault.right))
        proposals = [f"divide {subject} by something in {ratio}"]
    sentence = ", or ".join(proposals)
    slip = _slip(ratio, [vocabulary.dimensions[name] for name in equation.names])
    hint = f"{slip} {sentence[0].upper()}{sentence[1:]}.".lstrip()
    return Repair(hint, tuple(edits))


def _repair_of_literal(fault: Mismatch) -> str | None:
    """The repair that declares a bare number beside a quantity; None if the mismatch is of another kind."""
    for part, other in ((fault.left, fault.right_dimension), (fault.right, fault.left_dimension)):
        if fault.kind in ("sides", "terms") and other and not names_in(part):
            return f"Declare {shown(part)} as a quantity in {other}."
    return None


def _repair_of_turns(equation: Equation, fault: Mismatch, vocabulary: Vocabulary) -> Repair:
    """The repair for two sides that differ by cycles: 2*pi beside radians, otherwise another unit of a quantity."""
    turning = TurnRules(vocabulary.dimensions, vocabulary.marks)
    left, right = (turning.of(side).settled for side in (fault.left, fault.right))
    two_pi = Apply("mul", (Number(Fraction(2)), Apply("pi", ())))
    is_argument = fault.kind in ("argument", "exponent")
    if left.radians or right.radians or is_argument:
        first, second = (fault.left, fault.right) if is_argument else (fault.right, fault.left)
        subjects = ("the right", "the left") if fault.kind == "sides" else (shown(first), shown(second))
        terms = [(term, shown(term), "multiply") for term in (*terms_of(first), *terms_of(second))]
        sides = [(first, subjects[0], "multiply"), (second, subjects[1], "multiply"), (first, subjects[0], "divide")]
        for side, subject, act in (*terms, *sides):
            edit = _Part(side, NUMBER, subject, vocabulary, equation).scaled(act, "2*pi", two_pi)
            if _mends(edit, equation, vocabulary):
                hint = f"Cycles meet radians: one cycle is 2*pi radians. {act.capitalize()} {subject} by 2*pi."
                return Repair(hint, (edit,))
    hint = _hint_on_turns(equation, fault, vocabulary)
    return Repair(hint or "A cycle is 2*pi radians, and a hertz is one cycle a second.")


def _hint_on_turns(equation: Equation, fault: Mismatch, vocabulary: Vocabulary) -> str:
    """The hint that repairs a mismatch in cycles: other units, in which the relation would be consistent."""
    turn, names = Dimension.of("cycle"), equation.names
    known = {name: vocabulary.dimensions[name] for name in names}
    proposals: dict[str, str] = {}
    for name in names_in(fault.left, fault.right):
        dimension, unit = known[name], vocabulary.quantities[name].unit
        cycles = dimension.bases.get("cycle", 0)
        plain = "in Hz or 1/s" if "time" in dimension.bases else "without revolutions"
        candidates = [(1, "per turn", f"in {unit}/rev"), (-1, "by turn", f"in ({unit})*rev")]
        for power, kind, words in [(cycles, "plain", plain)] if cycles else candidates:
            if not mismatches(equation, {**known, name: dimension / turn**power}):
                proposals.setdefault(kind, f"declare {name} {words}")
    declarations = ", or ".join([proposals[key] for key in ("plain", "per turn", "by turn") if key in proposals][:2])
    if not declarations:
        return ""
    advice = "A revolution is its own unit. Where radians are meant, multiply by 2*pi."
    return f"{advice} {declarations[0].upper()}{declarations[1:]}."


def _best_edits(equation: Equation, fault: Mismatch, ratio: Dimension, vocabulary: Vocabulary) -> list[Edit]:
    """The first edits that repair the whole relation, or if there are none those that repair the failing part."""
    complete: dict[str, Edit] = {}
    local: dict[str, Edit] = {}
    for edit in _proposals(equation, fault, ratio, vocabulary):
        group = complete if _mends(edit, equation, vocabulary) else local
        group.setdefault(edit.words, edit)
        if len(complete) == _MOST_PROPOSED:
            break
    return list((complete or local).values())[:_MOST_PROPOSED]


def _slip(ratio: Dimension, measured: Iterable[Dimension]) -> str:
    """The sentence of a repair on a typical slip, such as a rate that meets an amount; empty for any other mismatch."""
    bases = ratio.bases
    if bases.keys() == {"time"} and not any(dimension.bases.keys() & _AMOUNTS for dimension in measured):
        return ""
    slips = {
        "accelerator": "A per-chip value meets a total.",
        "time": "A rate meets an amount.",
        "sequence": "A per-sequence value meets a total.",
        "token": "A per-token value meets a total.",
        "parameter": "A per-parameter value meets a total.",
    }
    if len(bases) == 1 and len(ratio.powers) == 1:
        ((base, power),) = bases.items()
        return slips.get(base, "") if abs(power) == 1 else ""
    if bases.keys() == {"information", "parameter"}:
        return "A count of parameters meets bytes."
    if bases.keys() == {"information", "token"}:
        return "A count of tokens meets bytes."
    return ""


def _proposals(equation: Equation, fault: Mismatch, ratio: Dimension, vocabulary: Vocabulary) -> Iterator[Edit]:
    """The repairs that make the mismatched part consistent, the likeliest first."""
    is_of_sides = fault.kind == "sides"
    subjects = ("the right", "the left") if is_of_sides else (shown(fault.right), shown(fault.left))
    left = _Part(fault.left, NUMBER / ratio, subjects[1], vocabulary, equation)
    parts = [_Part(fault.right, ratio, subjects[0], vocabulary, equation), left]
    if fault.kind not in ("sides", "terms"):
        parts = [replace(left, excess=ratio)]
    first = parts[0]
    scaled = [first] if is_of_sides else parts  # what is multiplied or divided: not what a relation is written for
    for part in parts:
        yield from part.reciprocals()
    if fault.kind == "terms":
        yield from _multiplied(fault.node, equation, vocabulary)
        for part in parts:
            yield from part.powers()
    if is_of_sides:
        yield from first.roots() if len(first.factors) == 1 else first.squares()
    for part in scaled:
        yield from part.by_one_quantity()
    yield from first.roots()
    for part in parts:
        if part.node is not equation.lhs or not isinstance(part.node, Name):
            yield from part.powers()
    for part in scaled:
        yield from part.by_two_quantities()


def _multiplied(node: Node, equation: Equation, vocabulary: Vocabulary) -> Iterator[Edit]:
    """The repair that multiplies the terms of a sum instead of adding them, if it mends the whole relation."""
    if isinstance(node, Apply) and node.op == "add":
        product = Apply("mul", node.args)
        edit = Edit(f"multiply instead of adding: {shown(product)}", node, product)
        if _mends(edit, equation, vocabulary):
            yield edit


def _redeclared(fault: Mismatch, ratio: Dimension, vocabulary: Vocabulary) -> list[str]:
    """The repair that declares as a rate a factor of the mismatched side that is declared as an amount."""
    if len(ratio.powers) != 1 or ratio.bases.keys() != {"time"}:
        return []
    for factor, power in factors_of(fault.right):
        if isinstance(factor, Name) and ratio.bases["time"] * power == 1:
            quantity = vocabulary.quantities[factor.name]
            bases = quantity.dimension.bases
            if bases.keys() & _AMOUNTS and "time" not in bases:
                return [f"declare {factor.name} in {quantity.unit}/s, if it is a rate"]
    return []


@dataclass(frozen=True)
class _Part:
    """A part of an equation whose dimension is off by an excess, and what it is called; with the edits that mend it."""

    node: Node
    excess: Dimension
    subject: str
    vocabulary: Vocabulary
    equation: Equation

    @cached_property
    def factors(self) -> list[tuple[Node, Fraction]]:
        return factors_of(self.node)

    @property
    def _acts(self) -> tuple[tuple[str, Dimension], ...]:
        """The two repairs that remove the excess, each with the dimension that divides or multiplies the part."""
        return ("divide", self.excess), ("multiply", NUMBER / self.excess)

    def _dimension(self, node: Node) -> Dimension | None:
        return dimension_of(node, self.vocabulary.dimensions)

    def reciprocals(self) -> Iterator[Edit]:
        """The repairs that invert a factor of the part and thereby remove its excess dimension."""
        for place, (factor, power) in enumerate(self.factors):
            dimension = self._dimension(factor)
            if dimension and len(self.factors) > 1 and dimension ** (2 * power) == self.excess:
                yield self._repowered(place, -power)

    def by_one_quantity(self) -> Iterator[Edit]:
        """The repairs that divide or multiply the part by one quantity; those new to the relation come first."""
        used, lhs = self.equation.names, self.equation.lhs
        absent = {node.name for node in (lhs, *(factor for factor, _ in self.factors)) if isinstance(node, Name)}
        for act, wanted in self._acts:
            names = [name for name in self.vocabulary.by_dimension.get(wanted, []) if name not in absent]
            for name in sorted(names[:64], key=lambda candidate: candidate in used)[:3]:
                yield self.scaled(act, f"{name} [{self.vocabulary.quantities[name].unit}]", Name(name))

    def scaled(self, act: str, words: str, factor: Node) -> Edit:
        """The repair that multiplies the part by a factor, or divides the part by it."""
        by = Apply("inv", (factor,)) if act == "divide" else factor
        return Edit(f"{act} {self.subject} by {words}", self.node, Apply("mul", (self.node, by)))

    def roots(self) -> Iterator[Edit]:
        """The repairs that take the square root of the whole part, or square it, to remove its excess dimension."""
        dimension = self._dimension(self.node)
        if dimension and dimension ** Fraction(1, 2) == self.excess:
            yield Edit(f"take the square root of {self.subject}", self.node, Apply("sqrt", (self.node,)))
        if dimension and NUMBER / dimension == self.excess:
            yield Edit(f"square {self.subject}", self.node, Apply("pow", (self.node, Number(Fraction(2)))))

    def squares(self) -> Iterator[Edit]:
        """The repairs that square or cube a length, a speed or the like in the part, but not a count of things."""
        return (edit for edit in self.powers() if edit.words.startswith("write") and edit.squares)

    def powers(self) -> Iterator[Edit]:
        """The repairs that give a factor of the part another power and thereby remove its excess dimension."""
        for place, (factor, power) in enumerate(self.factors):
            dimension = self._dimension(factor)
            if not dimension:
                continue
            for step in (Fraction(n, 2) for n in (-2, 2, -1, 1, -4, 4, -6, 6)):
                new_power = power + step
                if dimension**step * self.excess != NUMBER or (new_power == 0 and len(self.factors) == 1):
                    continue
                occurs_once = [node for node, _ in self.factors].count(factor) == 1
                is_count = bool(dimension.bases.keys() & _COUNTED)
                squares = occurs_once and new_power.denominator == 1 and not is_count
                yield self._repowered(place, new_power, squares=squares)

    def _repowered(self, place: int, new_power: Fraction, *, squares: bool = False) -> Edit:
        """The repair that gives a factor of the part another power; the part keeps its sign, which no factor has."""
        factor, power = self.factors[place]
        product = _product_of([*self.factors[:place], (factor, new_power), *self.factors[place + 1 :]])
        new = Apply("neg", (product,)) if _is_negative(self.node) else product
        return Edit(_new_power_in_words(factor, power, new_power), self.node, new, squares=squares)

    def by_two_quantities(self) -> Iterator[Edit]:
        """The repairs that scale the part by the root of a quantity, or by a product or quotient of two."""
        absent = {node.name for node in (self.node, self.equation.lhs) if isinstance(node, Name)}
        by_dimension = {}
        for dimension, names in self.vocabulary.by_dimension.items():
            if candidates := [name for name in names[:2] if name not in absent]:
                by_dimension[dimension] = candidates
        for act, wanted in self._acts:
            if squares := by_dimension.get(wanted**2):
                root = Apply("sqrt", (Name(squares[0]),))
                yield self.scaled(act, render(root), root)
            for dimension, names in list(by_dimension.items())[:200]:
                for sign, partner in (("*", wanted / dimension), ("/", dimension / wanted)):
                    if not dimension or not partner or partner not in by_dimension:
                        continue
                    first, second = names[0], by_dimension[partner][0]
                    power = Fraction(1 if sign == "*" else -1)
                    pair = _product_of([(Name(first), Fraction(1)), (Name(second), power)])
                    words = f"{first}**2" if first == second else f"{first}{sign}{second}"
                    yield self.scaled(act, words, pair)
                    return


def _new_power_in_words(factor: Node, power: Fraction, new_power: Fraction) -> str:
    """The words of a repair that changes the power of a factor."""
    text = shown(factor) if isinstance(factor, Name) else f"({shown(factor)})"
    if new_power == 0:
        return f"leave out {text}{exponent_of(power)}"
    written = text + exponent_of(new_power)
    if (new_power < 0) != (power < 0):
        act = "divide" if new_power < 0 else "multiply"
        return f"{act} by {written} instead"
    return f"write {written} instead of {text}{exponent_of(power)}"


def _mends(edit: Edit, equation: Equation, vocabulary: Vocabulary) -> bool:
    """Whether an edit repairs the whole relation: no dimensions in it mismatch any more."""

    def change(part: Node) -> Node | None:
        return edit.new if part is edit.old else None

    changed = equation.changed(partial(rebuilt, change=change))
    return not mismatches(changed, vocabulary.dimensions, vocabulary.marks)


_MOST_FACTORS = 24  # limit on factors of a product in a message
_DERIVED = ("N", "Pa", "J", "W", "C", "V", "ohm", "F", "H", "T", "Wb")


def problem_of(
    name: str, where: tuple[str, ...], equation: Equation, fault: Mismatch, vocabulary: Vocabulary
) -> Problem:
    """The problem of a relation with a mismatch: the part, both sides factor by factor, and the repair."""
    part = "" if where == ("equation",) else f", {where[0]}"
    message = f"{name}{part}: {_difference(fault)}"
    left, right = _factors_with_units(fault.left, vocabulary), _factors_with_units(fault.right, vocabulary)
    if fault.kind == "sides":
        message += f"\n    left:  {left or render(fault.left)}\n    right: {right or render(fault.right)}"
    else:
        message += "".join(f"\n    {row}" for row in (left, right) if row)
    mend = repair(equation, fault, vocabulary)
    span = _span(equation, fault)
    return Problem(name, line=0, message=message, hint=mend.hint, where=where, span=span, edits=mend.edits)


def _span(equation: Equation, fault: Mismatch) -> tuple[int, int]:
    """The start and the end, in the text of its equation, of a mismatch that is to be repaired."""
    match fault.kind:
        case "sides":
            parts: tuple[Node, ...] = equation.sides
        case "argument" | "exponent":
            parts = (fault.left,)
        case _:
            parts = (fault.left, fault.right) if fault.kind == "terms" else (fault.node,)
    return min(part.at[0] for part in parts), max(part.at[1] for part in parts)


def _difference(fault: Mismatch) -> str:
    """The sentence above a repair that tells in which dimensions the parts of a mismatch are."""
    left, right = shown(fault.left), shown(fault.right)
    left_dimension = _dimension_in_words(fault.left_dimension)
    right_dimension = _dimension_in_words(fault.right_dimension)
    if fault.left_dimension == fault.right_dimension:
        return f"{left} and {right} differ by 2*pi: one counts radians, the other cycles or hertz."
    match fault.kind:
        case "sides":
            return f"left is {left_dimension}, right is {right_dimension}."
        case "terms":
            return f"in {shown(fault.node)}, {left} is {left_dimension} and {right} is {right_dimension}."
        case "argument":
            function = fault.node.op if isinstance(fault.node, Apply) else ""
            return f"{function} takes a number, and {left} is {left_dimension}."
        case "exponent":
            return f"an exponent is a number, and {left} is {left_dimension}."
        case "rounding":
            return f"{shown(fault.node)} would depend on the unit, since {left} is {left_dimension}."


def _dimension_in_words(dimension: Dimension) -> str:
    """A dimension as the sentence above a repair tells it: in base units, with its common name if it has one."""
    if not dimension:
        return "a number"
    common = next((unit for unit in _DERIVED if parse_unit(unit).dimension == dimension), "")
    return f"{dimension} ({common})" if common else str(dimension)


def _factors_with_units(side: Node, vocabulary: Vocabulary) -> str:
    """A product as the text above a repair shows it, with each factor's unit; empty for a plain number."""
    text = ""
    factors = factors_of(side)
    for factor, power in factors[:_MOST_FACTORS]:
        if isinstance(factor, Number) or (isinstance(factor, Apply) and factor.op == "pi"):
            continue
        part = _factor_with_unit(factor, vocabulary) + exponent_of(power)
        if power < 0:
            text = f"{text or '1'} / {part}"
            continue
        text = f"{text} * {part}" if text else part
    return text if len(factors) <= _MOST_FACTORS else f"{text} * ..."


def _factor_with_unit(factor: Node, vocabulary: Vocabulary) -> str:
    if isinstance(factor, Name):
        return f"{factor.name} [{vocabulary.quantities[factor.name].unit}]"
    dimension = dimension_of(factor, vocabulary.dimensions)
    unit = "?" if dimension is None else str(dimension)
    return f"({shown(factor)}) [{unit}]"
