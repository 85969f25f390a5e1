"""A relation: an equation whose dimensions were checked when it was made.

A `Relation` that exists has passed the check. It is written as two sympy expressions of quantities, or as text; text
is checked exactly as it was written.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from derive.errors import DimensionError, ExpressionError, Problem, UnitError, UnknownNameError, excerpt, listed
from derive.expressions.grammar import parse_condition, parse_equation, parse_expression
from derive.expressions.tree import Apply, Equation, Name, Node, is_condition, names_in, operations, render
from derive.model.dimensional_analysis import Mismatch, mismatches, mismatches_of_condition
from derive.model.repairs import Vocabulary, problem_of
from derive.notebook_display import NotebookDisplay
from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration, agreed, check_name, declaration_of, same_thing
from quantities.spelling import parse_unit
from quantities.symbolic import Symbols
from quantities.units import DIMENSIONLESS
from quantities.value import read_value

if TYPE_CHECKING:
    from sympy.core.relational import Relational

    from quantities.quantity import Quantity

_MOST_REPORTED = 20  # limit on reported errors of one relation
_SHARE_OF = " of "  # between the share that is left out and the quantity that it is of
_MOST_REPAIRED = 3  # of them, those for which the whole library is searched for a repair


@dataclass(frozen=True, eq=False)
class Relation(NotebookDisplay):
    """A named equation or inequality between quantities, with its reason, its source and its conditions.

    `relate` makes one; see there for an example.
    """

    name: str
    written: Equation
    declared: Mapping[str, Declaration]
    because: str = ""
    source: str = ""
    conditions: tuple[Node, ...] = ()
    approximate: float | None = None
    neglects: str = ""  # a quantity: what is left out, over what the relation counts; or "share of quantity"
    vocabulary: InitVar[Vocabulary | None] = None

    def __post_init__(self, vocabulary: Vocabulary | None) -> None:
        """Refuse a relation without quantities, or one whose dimensions do not match."""
        check_name(self.name)
        if not self.written.names:
            what = f"{self.name}: {excerpt(str(self.written))} contains no quantity."
            raise ExpressionError(what, hint="A relation needs at least one quantity.", text=str(self.written))
        problems = self._problems(vocabulary or Vocabulary(self.declared))
        if problems:
            raise DimensionError(listed(problems), problems=tuple(problems))
        object.__setattr__(self, "declared", MappingProxyType(dict(self.declared)))

    def _problems(self, vocabulary: Vocabulary) -> list[Problem]:
        """What the check of a relation that is made finds wrong in its dimensions; the first few get a repair."""
        members = Vocabulary(self.declared)
        faults: list[tuple[tuple[str, ...], Equation, Mismatch]] = []
        for fault in mismatches(self.written, members.dimensions, members.marks):
            faults.append((("equation",), self.written, fault))
        for i, condition in enumerate(self.conditions):
            for fault in mismatches_of_condition(condition, members.dimensions, members.marks):
                faults.append((("when", str(i)), Equation(condition, "=", condition), fault))
        problems = []
        for i, (where, equation, fault) in enumerate(faults[:_MOST_REPORTED]):
            searched = vocabulary if i < _MOST_REPAIRED else vocabulary.brief
            problems.append(problem_of(self.name, where, equation, fault, searched))
        if len(faults) > _MOST_REPORTED:
            more = f"{self.name}: {len(faults) - _MOST_REPORTED} more of its parts do not fit."
            problems.append(Problem(self.name, line=0, message=more, hint="Fix the first ones and check it again."))
        return problems

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The quantities that the relation joins, as sympy symbols."""
        return Symbols(self.declared)

    @cached_property
    def equation(self) -> Relational:
        """The relation as an equation or inequality of sympy, unevaluated."""
        from derive.expressions.sympy_bridge import to_relational

        return to_relational(self.written, self.quantities)

    @property
    def lhs(self) -> Any:
        """The left side of the relation in sympy."""
        return self.equation.args[0]

    @property
    def rhs(self) -> Any:
        """The right side of the relation in sympy."""
        return self.equation.args[1]

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The names of the quantities in the two sides of the relation."""
        return self.written.names

    @cached_property
    def written_for(self) -> str | None:
        """The quantity that the relation is written for: alone on the left, and not on the right; else None."""
        return self.written.written_for

    @cached_property
    def inputs(self) -> frozenset[str]:
        """The quantities in the relation's sides but for the one that it is written for; always the same set object.

        A large heap makes each collection of garbage long, and graphs are kept by the hundred.
        """
        return frozenset(self.members) - {self.written_for}

    @property
    def when(self) -> tuple[str, ...]:
        """The conditions under which the relation holds, as text."""
        return tuple(render(condition) for condition in self.conditions)

    @property
    def in_its_case(self) -> Relation:
        """The same relation without its conditions: what it states where they hold."""
        if not self.conditions:
            return self
        return self.but(declared={name: self.declared[name] for name in self.members}, conditions=())

    @property
    def is_equation(self) -> bool:
        """Whether the relation is an equation, which can fix a value; an inequality only bounds one."""
        return self.written.op == "="

    @property
    def is_exact(self) -> bool:
        """Whether the relation is an equation, and no estimate."""
        return self.is_equation and self.approximate is None

    @property
    def tolerance(self) -> float:
        """The share by which the two sides of this relation may differ: what it states, and the rounding of numbers."""
        return (self.approximate or 0.0) + AGREEMENT

    @cached_property
    def chooses(self) -> bool:
        """Whether the relation contains a maximum, a minimum or a choice."""
        return bool(self.choices)

    @property
    def choices(self) -> tuple[Apply, ...]:
        """Each maximum, minimum and choice in the relation."""
        return tuple(operations(*self.written.sides, among=("max", "min", "piecewise")))

    def __reduce__(self) -> tuple[Any, ...]:
        return Relation, tuple((self._parts | {"declared": dict(self.declared)}).values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash((self.name, self.written))

    @property
    def neglected_share(self) -> str:
        """The name of the quantity that says what share the relation leaves out; empty if none is said."""
        return self.neglects.partition(_SHARE_OF)[0]

    @property
    def neglected_of(self) -> str:
        """The quantity of which the relation leaves out a share; empty if the share is of the whole right side."""
        return self.neglects.partition(_SHARE_OF)[2]

    def neglecting(self, share: Declaration, of: str = "") -> Relation:
        """This relation with the share that it neglects, of its whole right side or of one of its quantities."""
        if share.dimension != DIMENSIONLESS.dimension:
            what = f"{self.name}, neglects: {share.name} is not a share, it is in {share.unit}."
            hint = "Name a quantity without a unit: what is left out, over what the relation counts."
            raise UnitError(what, hint=hint, quantity=share.name, unit=share.unit.text)
        if of and of not in self.written.names:
            what = f"{self.name}, neglects: {of} is not in {self.written}."
            hint = "Name a quantity of the relation after the word of, or none for the whole right side."
            raise ExpressionError(what, hint=hint, text=of)
        text = f"{share.name}{_SHARE_OF}{of}" if of else share.name
        return self.but(neglects=text)

    def over(self, declared: Mapping[str, Declaration]) -> Relation:
        """The same relation over another library's declarations of the same quantities."""
        mine = {name: declared[name] for name in self.declared}
        return self if mine == self.declared else self.but(declared=mine)  # proved before, on the same scales

    @classmethod
    def proved(cls, name: str, written: Equation, declared: Mapping[str, Declaration], **stated: Any) -> Relation:
        """A relation whose dimensions were proved before; `stated` has its other fields, as far as they are stated."""
        relation = object.__new__(cls)
        relation.__dict__.update(name=name, written=written, declared=MappingProxyType(dict(declared)), **stated)
        return relation

    def but(self, **changes: Any) -> Relation:
        """The same relation with some fields changed; its dimensions are not checked again."""
        return Relation.proved(**self._parts | changes)

    def states_the_same(self, other: Relation) -> bool:
        """Whether two relations state the same about the same quantities, however these are declared besides."""
        mine, theirs = self.declared, other.declared
        same = other._parts | {"declared": mine}
        return self._parts == same and all(same_thing(mine[name], theirs[name]) for name in mine)

    @property
    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}

    def __repr__(self) -> str:
        return f"<Relation {self}>"

    def __str__(self) -> str:
        return f"{self.name}: {self.written}"


_FIELDS = tuple(part.name for part in fields(Relation))


def relate(
    name: str,
    lhs: Any,
    rhs: Any = None,
    *,
    because: str = "",
    source: str = "",
    when: Iterable[Any] = (),
    approximate: str | None = None,
    quantities: Iterable[Quantity | Declaration] | Mapping[str, Quantity | Declaration] = (),
    vocabulary: Vocabulary | None = None,
) -> Relation:
    """Make a relation from text, from a sympy equation, or from its two sides.

    Text takes its names from `quantities`; sympy expressions bring their own.

    >>> from sympy import pi, sqrt
    >>> from quantities import Quantity
    >>> length, gravity = Quantity("length", "m"), Quantity("gravity", "m/s**2")
    >>> period = Quantity("period", "s")
    >>> swing = relate("small_swing", period, 2*pi*sqrt(length/gravity), because="small angles")
    >>> print(swing)
    small_swing: period = 2*pi*sqrt(length)/sqrt(gravity)
    >>> relate("wrong", "period = length/gravity", quantities=[period, length, gravity])
    Traceback (most recent call last):
        ...
    derive.errors.DimensionError: wrong: left is s, right is s**2.
        left:  period [s]
        right: length [m] / gravity [m/s**2]
      Take the square root of the right.
    """
    stated = quantities if isinstance(quantities, Mapping) else _by_name(quantities)
    declared = ChainMap[str, Declaration]({}, stated)  # type: ignore[arg-type]  # what sympy brings is added in front
    equation = _equation(lhs, rhs, declared)
    if isinstance(when, str) or not isinstance(when, Iterable):
        raise ExpressionError(f"{name}: 'when' is not a list of conditions.", hint='Write when=["swing < 0.3"].')
    conditions = tuple(_condition(condition, declared) for condition in when)
    searched = vocabulary or Vocabulary(declared)
    used = names_in(equation, *conditions)
    if missing := [member for member in used if member not in declared]:
        raise undeclared(name, missing, searched)
    tolerance = None if approximate is None else read_tolerance(approximate)
    mine = {member: _declaration(declared[member]) for member in used}
    return Relation(name, equation, mine, because, source, conditions, approximate=tolerance, vocabulary=searched)


def undeclared(name: str, missing: list[str], vocabulary: Vocabulary) -> UnknownNameError:
    """The error where a relation is made with undeclared names, with the names that may be meant."""
    error = vocabulary.unknown(missing[0])
    others = "".join(f" Nor is there {excerpt(other)}." for other in missing[1:4])
    error.what, error.others = f"{name}: {error.what}{others}", tuple(missing[1:])
    return error


def _by_name(quantities: Any) -> dict[str, Declaration]:
    """The declared quantities that a relation is made with, or a single one, by name."""
    listed = list(quantities) if isinstance(quantities, Iterable) else [quantities]
    return {declaration.name: declaration for declaration in map(_declaration, listed)}


def _declaration(quantity: Any) -> Declaration:
    declaration = declaration_of(quantity)
    if declaration is None:
        raise ExpressionError(f"a {type(quantity).__name__} is not a quantity.", hint='Write Quantity("x", "m").')
    return declaration


def _equation(lhs: Any, rhs: Any, declared: ChainMap[str, Declaration]) -> Equation:
    """The equation of a relation from its text, from its two sides, or from an equation of sympy."""
    if isinstance(lhs, str) and rhs is None:
        return parse_equation(lhs)
    if rhs is not None:
        return Equation(_checked_side(lhs, declared), "=", _checked_side(rhs, declared))
    from sympy import Eq, Ge, Le

    for kind, op in ((Eq, "="), (Le, "<="), (Ge, ">=")):
        if isinstance(lhs, kind):
            left, right = (_checked_side(side, declared) for side in lhs.args)
            return Equation(left, op, right)
    shown = repr(str(lhs)) if str(lhs) in ("True", "False") else f"a {type(lhs).__name__} alone"
    hint = "Give the two sides separately (sympy turns an equation it can decide into True or False), or text."
    raise ExpressionError(f"{shown} is not a relation.", hint=hint, text=shown)


def _checked_side(side: Any, declared: ChainMap[str, Declaration]) -> Node:
    """A side of a relation that is being made, as a tree; an error if it is a condition."""
    node = _side(side, declared)
    if is_condition(node):
        what = f"{excerpt(render(node))} is a condition, not a side of an equation."
        hint = "Give it as when=[...], or write Piecewise((a, condition), (b, True))."
        raise ExpressionError(what, hint=hint, text=render(node))
    return node


def _side(side: Any, declared: ChainMap[str, Declaration]) -> Node:
    """A side of a relation being made, as a tree; its quantities are added to `declared`. One alone needs no sympy."""
    if isinstance(side, str):
        return parse_expression(side)
    alone = declaration_of(side)
    if alone is not None:
        node: Node = Name(alone.name)
        brought = {alone.name: alone}
    else:
        from derive.expressions.sympy_bridge import from_sympy

        node, brought = from_sympy(side)
    for name, declaration in brought.items():
        before = declared.get(name)
        declared.maps[0][name] = declaration if before is None else agreed(_declaration(before), declaration)
    return node


def _condition(condition: Any, declared: ChainMap[str, Declaration]) -> Node:
    if isinstance(condition, str):
        return parse_condition(condition)
    node = _side(condition, declared)
    if not is_condition(node):
        raise ExpressionError(f"{excerpt(render(node))} is not a comparison.", hint="Write swing < 0.3.")
    return node


def read_tolerance(text: str) -> float:
    """Read the share within which a relation that is approximate agrees.

    >>> read_tolerance("3 %")
    0.03
    """
    if not isinstance(text, str):
        raise ExpressionError(f"approximate: a {type(text).__name__} is not a share.", hint='Write "3 %".')
    value = read_value(text)
    if value.unit.dimension != parse_unit("").dimension or value.is_range:
        raise UnitError(f"approximate {excerpt(text)}: it is not a share.", hint='Write "3 %".', unit=value.unit.text)
    share = value.base[1]
    if not 0 < share < 1:
        raise ExpressionError(f"approximate {excerpt(text)}: it must lie between 0 and 1.", hint='Write "3 %".')
    return share
