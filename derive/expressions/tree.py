"""The expression tree: expressions as they were written, for the whole engine.

sympy simplifies while it builds (`x + L - L` is `x`, `x + 0*t` is `x`), so its dimensions could not be checked as they
were written. A tree has three kinds of node:

    Number   an exact rational, with its text: `0.07` is 7/100
    Name     a declared quantity, by name
    Apply    an operation of the table below on its arguments

Sums and products are flat: `a - b + c` is add(a, neg(b), c), and `a/b*c` is mul(a, inv(b), c). Nothing in a tree is
code, and this module uses neither units nor sympy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, zip_longest
from typing import Any

from derive.expressions.functions import TABLE

Span = tuple[int, int]
"""The start and end of a node in its text."""

_NOWHERE: Span = (0, 0)


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction
    text: str = field(default="", compare=False)
    at: Span = field(default=_NOWHERE, compare=False)
    real: float = field(default=math.nan, init=False, repr=False, compare=False)  # NaN if it overflows
    is_double: bool = field(default=False, init=False, repr=False, compare=False)  # whether `real` is exact

    def __post_init__(self) -> None:
        with suppress(OverflowError):
            object.__setattr__(self, "real", float(self.value))
            object.__setattr__(self, "is_double", self.real.as_integer_ratio() == self.value.as_integer_ratio())


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    at: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Apply:
    op: str
    args: tuple[Node, ...]
    at: Span = field(default=_NOWHERE, compare=False)
    evaluator: Callable[[Mapping[str, float]], Any] | None = field(default=None, init=False, repr=False, compare=False)
    _names: tuple[str, ...] | None = field(default=None, init=False, repr=False, compare=False)
    _hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:  # cached: trees are keys, and larger ones are made of them again and again
        if self._hash is None:
            object.__setattr__(self, "_hash", hash((self.op, self.args)))
        return self._hash or 0

    def __reduce__(self) -> tuple[Any, ...]:  # without the evaluator that `evaluation` stores here
        return Apply, (self.op, self.args, self.at)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in an operation's arguments, each once, in reading order; cached."""
        if self._names is None:
            names = dict.fromkeys(chain.from_iterable(map(names_in, self.args)))
            object.__setattr__(self, "_names", tuple(names))
        return self._names or ()


Node = Number | Name | Apply


@dataclass(frozen=True, slots=True)
class Equation:
    """Two sides, and `=`, `<=` or `>=` between them."""

    lhs: Node
    op: str
    rhs: Node
    text: str = field(default="", compare=False)

    @property
    def sides(self) -> tuple[Node, Node]:
        return self.lhs, self.rhs

    @property
    def names(self) -> tuple[str, ...]:
        """The names that occur in the equation, each once, in reading order."""
        return names_in(self.lhs, self.rhs)

    def changed(self, change: Callable[[Node], Node]) -> Equation:
        """The same equation or inequality between two expression trees that `change` has replaced."""
        return Equation(change(self.lhs), self.op, change(self.rhs))

    @property
    def written_for(self) -> str | None:
        """The name that is the left tree of an equation, and not in the right one; None if there is no such name."""
        return self.lhs.name if isinstance(self.lhs, Name) and self.lhs.name not in names_in(self.rhs) else None

    def __str__(self) -> str:
        return self.text or f"{render(self.lhs)} {self.op} {render(self.rhs)}"


FUNCTIONS: dict[str, str] = {name: name for name in (*TABLE, "min", "max")} | {"Min": "min", "Max": "max"}
"""The operation of every function that text may call, by each of its spellings."""
for _entry in TABLE.values():
    FUNCTIONS.update(dict.fromkeys(_entry.also, _entry.name))

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
CONDITIONS = frozenset({*COMPARISONS.values(), "and", "or", "not", "true"})
"""Operations that yield a truth value."""

_SIGNS = {op: sign for sign, op in COMPARISONS.items()}


def walk(*nodes: Node) -> Iterator[Node]:
    """The nodes of some expression trees, each before those below it.

    >>> [type(part).__name__ for part in walk(Apply("neg", (Name("x"),)))]
    ['Apply', 'Name']
    """
    pending = [*reversed(nodes)]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Apply):
            pending.extend(reversed(node.args))


def operations(*nodes: Node, among: Container[str] | None = None) -> Iterator[Apply]:
    """The operations in some expression trees, each before those in its arguments; only those `among`, if given."""
    for part in walk(*nodes):
        if isinstance(part, Apply) and (among is None or part.op in among):
            yield part


def has_operation(*nodes: Node, among: Container[str]) -> bool:
    """Whether one of some operations stands in some expression trees."""
    return next(operations(*nodes, among=among), None) is not None


def innermost(*nodes: Node, among: Container[str]) -> Apply | None:
    """The first operation in some expression trees that is one of some, and has no other of them in its arguments."""
    inner = (part for part in operations(*nodes, among=among) if not has_operation(*part.args, among=among))
    return next(inner, None)


def names_in(*nodes: Node | Equation) -> tuple[str, ...]:
    """The names that occur in some expression trees, each once, in reading order."""
    if len(nodes) == 1 and isinstance(nodes[0], Apply):
        return nodes[0].names
    names: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, (Apply, Equation)):
            names.update(dict.fromkeys(node.names))
        elif isinstance(node, Name):
            names[node.name] = None
    return tuple(names)


def cases(choice: Apply) -> Iterator[tuple[Node, Node | None]]:
    """The arms of a choice, each with its condition; the arm for all other cases, which comes last, has None."""
    return zip_longest(choice.args[::2], choice.args[1::2])


def applied(op: str, parts: Sequence[Node], nothing: Node) -> Node:
    """The tree of an operation on some parts; a single part stands for itself, and no part for `nothing`."""
    if len(parts) > 1:
        return Apply(op, tuple(parts))
    return parts[0] if parts else nothing


def conjunction(conditions: Sequence[Node]) -> Node:
    """The tree of the condition that all of several hold: an `and` node, or a single condition as it is."""
    return applied("and", conditions, Apply("true", ()))


def rebuilt(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """The tree with some parts replaced: `change` gives what replaces a part, or None to go on to the parts of it.

    >>> render(rebuilt(Apply("neg", (Name("x"),)), lambda part: Name("y") if part == Name("x") else None))
    '-y'
    """
    new = change(node)
    if new is not None:
        return new
    if isinstance(node, Apply):
        return Apply(node.op, tuple(rebuilt(arg, change) for arg in node.args), node.at)
    return node


def replaced(node: Node, old: Node, new: Node) -> Node:
    """The tree with every occurrence of a part replaced by another."""
    return rebuilt(node, lambda part: new if part == old else None)


def with_forms(node: Node, forms: Mapping[str, Node]) -> Node:
    """The tree with forms in the place of some names; names in the forms stay."""
    return rebuilt(node, lambda part: forms.get(part.name) if isinstance(part, Name) else None)


def is_simple(node: Node) -> bool:
    """Whether a tree is a name or a number, or the negative of one, which always have a value."""
    if isinstance(node, Apply) and node.op == "neg":
        return not isinstance(node.args[0], Apply)
    return not isinstance(node, Apply)


def is_condition(node: Node) -> bool:
    return isinstance(node, Apply) and node.op in CONDITIONS


def render(node: Node) -> str:
    """An expression tree written out as text, each node as it stands, so that reading it gives the same tree.

    >>> render(Apply("mul", (Name("a"), Apply("inv", (Apply("add", (Name("b"), Name("c"))),)))))
    'a/(b + c)'
    """
    return _with_precedence(node)[0]


def _with_precedence(node: Node) -> tuple[str, int]:
    """A node of the tree as text, and how tightly it binds: 0 for a choice, 5 for a sum, to 9 for a single word."""
    if isinstance(node, Name):
        return node.name, 9
    if isinstance(node, Number):
        return _number(node)
    match node.op:
        case "pi":
            return "pi", 9
        case "true":
            return "True", 9
        case "add":
            return _sum(node), 5
        case "mul":
            return _product(node), 6
        case "neg":
            return "-" + _bracketed(node.args[0], 7), 5
        case "inv":
            return "1/" + _bracketed(node.args[0], 7), 6
        case "pow":
            return f"{_bracketed(node.args[0], 9)}**{_bracketed(node.args[1], 8)}", 8
        case "piecewise":
            return _piecewise(node.args), 0
        case "and" | "or":
            level = 1 if node.op == "or" else 2
            return f" {node.op} ".join(_bracketed(arg, level + 1) for arg in node.args), level
        case "not":
            return "not " + _bracketed(node.args[0], 4), 3
        case op if op in _SIGNS:
            return f"{_bracketed(node.args[0], 5)} {_SIGNS[op]} {_bracketed(node.args[1], 5)}", 4
        case op:
            return f"{op}({', '.join(render(arg) for arg in node.args)})", 9


def _bracketed(node: Node, level: int) -> str:
    """The text of an operand's tree, in parentheses if it binds less tightly than a level."""
    text, precedence = _with_precedence(node)
    return text if precedence >= level else f"({text})"


def _number(node: Number) -> tuple[str, int]:
    """The text that a Number node keeps, or else a short decimal or a fraction, and how tightly it binds."""
    if node.text:
        return node.text, 9
    value = node.value
    if value.denominator == 1:
        return str(value), 9 if value >= 0 else 5
    short = f"{float(value):.15g}"
    if Fraction(short) == value and len(short) < 12:
        return short, 9 if value >= 0 else 5
    return str(value), 6 if value >= 0 else 5


def is_negated(node: Node) -> bool:
    return isinstance(node, Apply) and node.op == "neg"


def _sum(node: Apply) -> str:
    """The text of an `add` node of the tree, with a minus sign before each negated term."""
    text = _bracketed(node.args[0], 5 if is_negated(node.args[0]) else 6)
    for arg in node.args[1:]:
        if isinstance(arg, Apply) and arg.op == "neg":
            text += " - " + _bracketed(arg.args[0], 6)
        else:
            text += " + " + _bracketed(arg, 6)
    return text


def _product(node: Apply) -> str:
    """The text of a `mul` node of the tree, with a slash before each divisor."""
    text = ""
    for arg in node.args:
        if isinstance(arg, Apply) and arg.op == "inv":
            text = f"{text or '1'}/{_bracketed(arg.args[0], 7)}"
        elif text:
            text = f"{text}*{_bracketed(arg, 7)}"
        else:  # in front, a negative factor needs no parentheses
            text = render(arg) if is_negated(arg) else _bracketed(arg, 7)
    return text


def _piecewise(args: tuple[Node, ...]) -> str:
    pairs = [*zip(args[::2], args[1::2], strict=False)]
    if len(args) % 2:
        arms = (f"{_bracketed(arm, 1)} if {_bracketed(condition, 1)}" for arm, condition in pairs)
        return " else ".join([*arms, _bracketed(args[-1], 1)])
    arms = (f"({render(arm)}, {render(condition)})" for arm, condition in pairs)
    return f"Piecewise({', '.join(arms)})"
