"""Targets that are no quantities: an expression such as `weight_bytes/chips`, or another unit, as in `step_time in ms`.

An expression becomes a quantity of a copy of the library, with one relation that states it. So whatever answers a
quantity answers an expression: its dimensions are checked as those of any relation, and its steps are shown. The name
is made of the words of the expression, which stands in the last step; the unit is the one behind `in`, else that of
a quantity in it that measures the same, else the coherent one.

A quantity in another unit is the same quantity of a copy of the library that declares it in that unit. A count keeps
its unit, since it is whole in that one. A difference of temperatures is no temperature: it has no value in degC.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Container
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from derive.caches import Memo
from derive.errors import DimensionError, ExpressionError, UnitError, excerpt
from derive.expressions.arithmetic import Arithmetic
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import COMPARISONS, Name, Node, Number, names_in
from derive.model.dimensional_analysis import dimension_of
from derive.model.relation import relate, undeclared
from derive.model.relation_set import RelationSet
from derive.model.repairs import Vocabulary
from quantities.declaration import Declaration, check_name
from quantities.dimension import Dimension
from quantities.domain import read_domain
from quantities.errors import DeriveError
from quantities.proposals import hint_on_unit, proposals, told_in
from quantities.spelling import parse_unit
from quantities.units import Unit, convert

_Set = TypeVar("_Set", bound=RelationSet)
_EXTENDED = Memo[tuple[RelationSet, str]](most=64)
_SPELLED = {"**": " to the ", "*": " times ", "/": " per ", "+": " plus ", "-": " minus "}
_OPERATOR = re.compile(r"\*\*|[*/+()]")  # what no misspelt name contains; a minus may be a hyphen
_LONGEST_NAME = 60  # characters of a name
_ANY_NUMBER = "real"
_DIFFERENCE = "delta_degC"
_NOTHING = Fraction(0)


def asking(library: _Set, target: str) -> tuple[_Set, str]:
    """The library with a quantity for an asked expression, and its name; unchanged for a target that is a quantity.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> asked, name = asking(circuits, "voltage/current in kohm")
    >>> name, str(asked.relations[name]), asked.declared[name].unit.text
    ('voltage_per_current', 'voltage_per_current: voltage_per_current = voltage/current', 'kohm')
    """
    if not isinstance(target, str) or target in library.declared:
        return library, target
    text, unit = split_unit(target)
    if text not in library.declared and not _is_expression(library, text):
        return library, target  # no quantity: the caller raises the error for an undeclared name
    make_library = _extended if text not in library.declared else restated
    return _EXTENDED.of(library.session, target, lambda: make_library(library, text, unit))  # type: ignore[return-value]


def split_unit(target: str) -> tuple[str, str]:
    """A target that may be an expression, and the unit behind its `in`; the unit is empty if there is none.

    >>> split_unit("weight_bytes/chips in GB/chip"), split_unit("batch")
    (('weight_bytes/chips', 'GB/chip'), ('batch', ''))
    """
    text, _, unit = target.rpartition(" in ")
    return (text.strip(), unit.strip()) if text.strip() and unit.strip() else (target.strip(), "")


def restated(library: _Set, name: str, unit: str) -> tuple[_Set, str]:
    """The same library with the declaration of an asked quantity in another unit, and the quantity's name."""
    quantity = library.declaration(name)
    if not unit:
        return library, name
    shown = _fitting(name, quantity.unit, unit)
    if quantity.is_count and shown.size != quantity.unit.size:
        what = f"{name} keeps its unit {quantity.unit}: it counts."
        raise UnitError(what, hint=f"Ask for {name}.", quantity=name, unit=unit)
    declared = {**library.declared, name: quantity.shown_in(shown)}
    return library.holding((relation.over(declared) for relation in library.relations.values()), declared), name


def _fitting(name: str, own: Unit, text: str) -> Unit:
    """The unit behind a target's `in`; an error with fitting units if it does not fit the target's own."""
    try:
        unit = parse_unit(text)
    except UnitError as error:
        hint = _near(own, text) or hint_on_unit(text, error.hint, own)
        raise UnitError(f"{name}: {error.what}", hint=hint, quantity=name, unit=text) from None
    try:
        convert(1.0, own, unit)
    except UnitError:
        hint = _near(own, text) or f"Write {told_in(own)}."
        raise UnitError(f"{name}: {unit} does not fit its unit {own}.", hint=hint, quantity=name, unit=text) from None
    return unit


def _near(own: Unit, text: str) -> str:
    """The hint for a target asked for in a unit that does not fit, with the nearest that do; empty if there is none."""
    near = [proposal.partition(" ")[2] for proposal in proposals(f"1 {text}", own, read_domain(_ANY_NUMBER, own))]
    return f"Write {', or '.join(near)}." if any(near) else ""


def _is_expression(library: RelationSet, text: str) -> bool:
    """Whether a target that names no quantity is an expression to be worked out, and no misspelt name."""
    if _OPERATOR.search(text):
        return True
    try:
        names = names_in(parse_expression(text))
    except DeriveError:
        return False
    return "-" in text and bool(names) and all(name in library.declared for name in names)


def _extended(library: RelationSet, text: str, unit: str) -> tuple[RelationSet, str]:
    """The library with a quantity for an asked expression and the relation that states it, and the quantity's name."""
    node = parse_expression(text)
    missing = [name for name in names_in(node) if name not in library.declared]
    if missing:
        raise undeclared(excerpt(text), missing, library.vocabulary)
    dimensions = {name: library.declared[name].dimension for name in names_in(node)}
    own = _own_unit(library, node, dimension_of(node, dimensions))
    name = _free_name(library, text)
    shown = _fitting(excerpt(text), own, unit) if unit else own
    if shown.offset and _is_difference(library, node):
        hint = _near(parse_unit(_DIFFERENCE), unit) or f"Write {_DIFFERENCE}."
        what = f"{excerpt(text)}: {shown} does not fit a difference of temperatures."
        raise UnitError(what, hint=hint, quantity=excerpt(text), unit=unit)
    asked = Declaration(name, shown.text, f"the value of {text}", domain=_ANY_NUMBER)
    stated = {**library.declared, name: asked}
    try:
        relation = relate(name, asked, text, quantities=stated, vocabulary=Vocabulary(stated))
    except DimensionError as error:
        raise _of_the_target(error, name, text) from None
    return library | type(library)([relation]), name


def _own_unit(library: RelationSet, node: Node, dimension: Dimension | None) -> Unit:
    """The unit of an asked expression's value: that of a quantity in it with the same dimension, or a coherent one."""
    if dimension is None:
        return parse_unit("")
    for name in names_in(node):
        quantity = library.declared[name]
        if quantity.dimension == dimension and not quantity.unit.offset:
            return quantity.unit
    return parse_unit(str(dimension) if dimension else "")


def _is_difference(library: RelationSet, node: Node) -> bool:
    """Whether an asked expression is a difference of temperatures: it stays the same where all of them rise alike.

    A product is none, as the temperature `hot*ratio` is taken from absolute zero; nor is what names no temperature.
    """
    kelvin = parse_unit("K").dimension
    declared = {name: library.declared[name] for name in names_in(node)}
    rising = {
        name for name, quantity in declared.items() if quantity.dimension == kelvin and not quantity.unit.is_difference
    }
    return bool(rising) and _rise(node, rising) == 0


def _rise(node: Node, rising: Container[str]) -> Fraction | None:
    """By how much an asked expression rises where all temperatures in it rise by one; None if that is no constant."""
    if isinstance(node, Number):
        return _NOTHING
    if isinstance(node, Name):
        return Fraction(node.name in rising)
    rises = [_rise(part, rising) for part in node.args]
    if not any(rise != 0 for rise in rises):
        return _NOTHING
    known = [rise for rise in rises if rise is not None]
    if len(known) < len(rises):
        return None
    if node.op in ("add", "neg"):
        return sum(known, _NOTHING) * (-1 if node.op == "neg" else 1)
    if node.op in ("max", "min"):
        return known[0] if len({*known}) == 1 else None
    if node.op in COMPARISONS.values():
        return _NOTHING if len({*known}) == 1 else None
    factors = [_CONSTANTS.attempt(part) for part in node.args if not names_in(part)]
    if node.op == "mul" and len(factors) == len(known) - 1 and None not in factors:
        return math.prod((factor for factor in factors if factor is not None), start=sum(known, _NOTHING))
    return None


_CONSTANTS: Arithmetic[Fraction] = Arithmetic(
    number=lambda node: node.value,
    operations={"mul": lambda *factors: math.prod(factors), "neg": operator.neg, "inv": lambda divisor: 1 / divisor},
)
"""The numbers in an asked expression, and their products and quotients."""


def _of_the_target(error: DimensionError, name: str, text: str) -> DimensionError:
    """The dimension error of an asked expression, with the expression in the place of its made-up name."""

    def of_target(message: str) -> str:
        return message.replace(f"{name}: ", f"{excerpt(text)}: ", 1)

    problems = tuple(replace(problem, relation="", message=of_target(problem.message)) for problem in error.problems)
    return DimensionError(of_target(error.what), hint=error.hint, problems=problems)


def _free_name(library: RelationSet, text: str) -> str:
    """A name for an asked expression, made of its words, which no quantity or relation of the library bears.

    >>> _free_name(RelationSet(), "2*(weights + kv)/chips")
    'asked_2_times_weights_plus_kv_per_chips'
    """
    for mark, word in _SPELLED.items():
        text = text.replace(mark, word)
    name = "_".join(re.findall(r"[A-Za-z0-9]+", text))
    name = name if name[:1].isalpha() else f"asked_{name}"
    name = name if len(name) <= _LONGEST_NAME else "asked_value"
    while name in library.declared or name in library.relations or not _is_allowed(name):
        name += "_asked"
    return name


def _is_allowed(name: str) -> bool:
    with suppress(ExpressionError):
        return bool(check_name(name))
    return False
