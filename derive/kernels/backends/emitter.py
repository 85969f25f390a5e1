"""Expressions as Python source text, in dialects: floats and arrays (`python_numpy`), machine code (`numba_source`).

The text computes what `evaluation` computes for the same tree. An undefined value must not turn into a number, and
three things could make it one: an operation that takes an infinity to a finite number (1/inf is 0), Python's `max` of
a NaN, and a comparison. These operations therefore get only finite operands. Where an operand is undefined, arrays
hold NaN and floats raise, because a test that seldom fails is cheapest as an exception. A comparison with an operand
that is not finite is left to the evaluator: floats raise, arrays call it at those points.

Names of users never reach the text: the caller says which text stands for each name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property, reduce
from types import SimpleNamespace
from typing import Any, NoReturn

from derive.expressions.arithmetic import Arithmetic, Fold
from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import COMPARISONS, Apply, Name, Node, Number, cases, rebuilt, walk
from derive.kernels.backends.exact_points import ExactPoints

__all__ = [
    "DOUBT",
    "NUMBERS",
    "SETTLED",
    "SIGNS",
    "Dialect",
    "Unsaid",
    "exact_points",
    "inlined",
    "is_clear",
    "is_literal",
    "is_total",
    "nested",
    "number",
    "operations",
    "unsettled",
    "worded",
]

DOUBT = "doubt"
"""What a text makes true where it cannot tell, in a dialect that asks another."""

SETTLED = "settled"
"""The operation that decides where doubles do not: of a decision, how near it is to another one, and how near it may be
for doubles; and, unless the solver has to be asked, of the steps to it, each a name and its form.
"""

NUMBERS = SimpleNamespace(**{**vars(math), **{name: entry.value for name, entry in TABLE.items()}})
"""What Python's math has, with all functions of the table."""

SIGNS = {op: sign for sign, op in COMPARISONS.items()}
_FINITE = {"pi", *(name for name, entry in TABLE.items() if entry.is_bounded)}
_TOTAL = {"pi", "neg", "max", "min"} | {name for name, one in TABLE.items() if one.is_everywhere and not one.overflows}
_AS_THEIR_PARTS = {"neg", "max", "min", *(name for name, one in TABLE.items() if not (one.is_bounded or one.overflows))}
_GROWING = {"add", "mul", *(name for name, entry in TABLE.items() if entry.is_everywhere and entry.overflows)}
_SWALLOWING = {"inv", "pow", "max", "min", *(name for name, entry in TABLE.items() if entry.swallows)}
"""Operations that make a finite number of something that is none."""


class Unsaid(Exception):  # noqa: N818  # no error: another dialect is taken
    """An operation that a dialect cannot express."""


class Dialect:
    """How a dialect writes the parts of an expression: here as Python does for one point."""

    is_lazy = True  # whether it treats one point, and skips arms that are not chosen
    leaves = False  # whether a failed test returns from the function at once
    asks = False  # whether an infinity says that another dialect must compute the point
    size = "abs"  # the function that yields the absolute value
    operations: Mapping[str, Callable[..., str]]
    """Each operation on numbers."""
    names: Callable[[], dict[str, Any]]
    """The functions that the text may call."""
    comparison: Callable[[Apply, Callable[[Node], str]], str]
    """A comparison of numbers, as a form of the arithmetic."""
    settled: Callable[[str, str, Apply, Callable[[Node], str]], str]
    """A decision, and the test that doubles do not tell, as one text that is decided."""
    made: Callable[[str, dict[str, Any]], Callable[..., Any]]
    """The function `compiled` of a text, which may call these names."""

    def sound(self, text: str) -> str:
        """A number that is finite, or undefined."""
        return f"sound({text})"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        """A combination of tests."""
        return f"(not {tests[0]})" if op == "not" else f"({f' {op} '.join(tests)})"

    def passed(self, tests: Sequence[str]) -> str:
        """The test that all these named tests pass."""
        return self.logic("and", tests)

    def sure(self, test: str) -> str:
        """A test that fails where it is undefined."""
        return test

    def pick(self, test: str, yes: str, no: str) -> str:
        """One number or another."""
        return f"({yes} if {test} else {no})"

    @cached_property
    def arithmetic(self) -> Arithmetic[str]:
        """The texts of literals and operations."""

        def swallowing(node: Apply, part: Fold) -> str:
            args = [part(arg) if _is_finite(arg) else self.sound(part(arg)) for arg in node.args]
            return self.operations[node.op](*args)

        def logical(node: Apply, part: Fold) -> str:
            return self.logic(node.op, [part(arg) for arg in node.args])

        def settling(node: Apply, part: Fold) -> str:
            decision, gap, room, *_ = node.args
            return self.settled(part(decision), f"{part(gap)} <= {part(room)}", node, part)

        rows = {op: row for op, row in self.operations.items() if op not in _SWALLOWING}
        forms = {
            **dict.fromkeys(_SWALLOWING & self.operations.keys(), swallowing),
            **dict.fromkeys(SIGNS, self.comparison),
            **dict.fromkeys(("and", "or", "not"), logical),
            SETTLED: settling,
        }
        return Arithmetic(number, {**rows, "true": lambda: "True"}, forms, otherwise=_unsaid)


def _unsaid(*_: object) -> NoReturn:
    raise Unsaid


def operations(called: Callable[[Function], str], **own: Callable[..., str]) -> dict[str, Callable[..., str]]:
    """The operations of a dialect in which a function is `called` by a name, or not at all.

    >>> table = operations(lambda entry: f"m.{entry.name}", max=nested("larger"))
    >>> table["mul"]("a", "b"), table["sqrt"]("a"), table["max"]("a", "b", "c")
    ('a * b', 'm.sqrt(a)', 'larger(larger(a, b), c)')
    """
    functions = {name: name_here for name, entry in TABLE.items() if (name_here := called(entry))}
    return {
        "pi": lambda: repr(math.pi),
        "add": lambda *args: " + ".join(args),
        "mul": lambda *args: " * ".join(args),
        "neg": "-{}".format,
        "inv": "1.0 / {}".format,
        "pow": "m.pow({}, {})".format,
        **{name: f"{name_here}({{}})".format for name, name_here in functions.items()},
        **own,
    }


def exact_points(decision: Node, steps: Sequence[Node]) -> ExactPoints | None:
    """What works out a decision from what was given, if the steps to it are known; else the solver alone does."""
    for step in steps:
        assert isinstance(step, Apply)
        forms = zip(step.args[::2], step.args[1::2], strict=True)
        return ExactPoints(unsettled(decision), {name.name: form for name, form in forms if isinstance(name, Name)})
    return None


def unsettled(node: Node) -> Node:
    """An expression as it was before it was said where its decisions are settled."""

    def plain(part: Node) -> Node | None:
        return unsettled(part.args[0]) if isinstance(part, Apply) and part.op == SETTLED else None

    return rebuilt(node, plain)


def nested(function: str) -> Callable[..., str]:
    """Calls of a function of two numbers for any number of them."""
    return lambda *args: reduce(lambda one, other: f"{function}({one}, {other})", args)


def is_literal(text: str) -> bool:
    """Whether a text is a plain number other than zero."""
    try:
        return float(text.strip("()")) != 0
    except ValueError:
        return False


def number(node: Number) -> str:
    """A number as text that binds as one operand.

    >>> from fractions import Fraction
    >>> number(Number(Fraction(-1, 2)))
    '(-0.5)'
    """
    text = repr(node.real)
    return f"({text})" if text.startswith("-") else text


def worded(node: Apply, part: Callable[[Node], str], lazy: Callable[[Node], str], dialect: Dialect) -> str:
    """One operation as text, from the texts of its parts; `lazy` writes a part that must not be computed in advance.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sum_of = parse_expression("a + 2*b")
    >>> worded(sum_of, lambda node: "a" if isinstance(node, Name) else "v0", str, Floats())
    'a + v0'
    """
    if node.op == "piecewise":
        return _choice(node, part, lazy, dialect)
    text: str = dialect.arithmetic.applied(node, part)
    return text


def _choice(node: Apply, part: Callable[[Node], str], lazy: Callable[[Node], str], dialect: Dialect) -> str:
    """The first arm whose condition holds; a later condition is evaluated only where those before it failed."""
    arm = lazy if dialect.is_lazy else part
    text = "undefined()" if dialect.is_lazy and not dialect.asks else "nan"
    for i, (value, condition) in reversed([*enumerate(cases(node))]):
        if condition is None:
            text = arm(value)
        else:
            test = arm(condition) if i else part(condition)
            text = dialect.pick(test, arm(value), text)
    return text


def inlined(node: Node, named: Callable[[str], str], dialect: Dialect) -> str:
    """A whole expression as one text."""

    def part(inner: Node) -> str:
        return inlined(inner, named, dialect)

    if isinstance(node, Name):
        return named(node.name)
    if isinstance(node, Number):
        return number(node)
    return f"({worded(node, part, part, dialect)})"


def _is_finite(node: Node) -> bool:
    """Whether an expression is never infinite, given that every name is finite or NaN."""
    if not isinstance(node, Apply) or node.op in _FINITE:
        return True
    return node.op in _AS_THEIR_PARTS and all(map(_is_finite, node.args))


def is_total(node: Node) -> bool:
    """Whether an expression, or both sides of a comparison, always have a finite value."""
    return _consists_of(node, _TOTAL | SIGNS.keys())


def is_clear(node: Node) -> bool:
    """Whether an infinity can only be an overflow, in one step from finite numbers; a NaN is undefined."""
    if isinstance(node, Apply) and node.op in ("neg", "abs"):
        return is_clear(node.args[0])
    if isinstance(node, Apply) and node.op in _GROWING and len(node.args) <= 2:
        return all(_consists_of(arg, _FINITE | _AS_THEIR_PARTS) for arg in node.args)
    return _consists_of(node, _FINITE | _AS_THEIR_PARTS)


def _consists_of(node: Node, operations: Container[str]) -> bool:
    """Whether an expression has no other operations than these, which keep finite numbers finite."""
    return all(part.op in operations for part in walk(node) if isinstance(part, Apply))
