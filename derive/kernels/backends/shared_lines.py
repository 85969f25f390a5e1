"""A sheet of source lines in one dialect, with common subexpressions written once.

Each line assigns one expression to one name, which is never assigned again. An expression that is needed again, for
the same target or another, is therefore that line. Each target has its own scope: the text of each quantity that it
depends on, and the tests that it must pass. On floats a failed test returns NaN at once. Otherwise tests are masks,
over points or for the one point of machine code, and blank the points that fail.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from derive.errors import LimitError
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in
from derive.kernels.backends.emitter import DOUBT, Dialect, inlined, number, worded
from derive.numerics.algebra.evaluation import terms, weighed
from derive.planning.plan import Block

__all__ = [
    "Scope",
    "Sheet",
    "Writer",
    "apart",
    "arguments_for",
    "execute",
    "in_order",
    "name_of_text",
    "refusing_what_is_too_deep",
]

Writer = Callable[[Node], str]
"""The text of an expression, whose parts are written before it."""

_HELD = re.compile(r"\bv\d+\b")
_ITSELF = "="  # with which no quantity's name begins


def arguments_for(names: Iterable[str]) -> dict[str, str]:
    """The argument of a function that stands for each name."""
    return {name: f"a{i}" for i, name in enumerate(names)}


def name_of_text(text: str) -> Name:
    """The name of the number that a text stands for, whichever quantity that is."""
    return Name(_ITSELF + text)


def execute(text: str, space: dict[str, Any]) -> None:
    """Define the functions of a text, which this package has written, in a space of names."""
    with refusing_what_is_too_deep():
        code = compile(text, "<derive>", "exec")
    exec(code, space)


@contextmanager
def refusing_what_is_too_deep() -> Iterator[None]:
    """Say in words that a text is nested too deep to be parsed, translated or compiled.

    A sum of very many terms is nested too: each term lies within the sum of those before it.
    """
    try:
        yield
    except (MemoryError, RecursionError, SyntaxError) as error:  # how Python says it
        what = "A sum of very many terms, or a choice among very many cases, is nested too deep for a fast function."
        raise LimitError(what, hint="Split it: name its parts. Or call solve at each point.", limit="depth") from error


@dataclass
class Scope:
    """The results of the lines so far for one target."""

    variables: dict[str, str] = field(default_factory=dict)  # the name of each quantity
    written: dict[Node, str] = field(default_factory=dict)  # the name of each expression
    solved: dict[tuple[Block, tuple[str, ...]], tuple[str, ...]] = field(default_factory=dict)
    tests: tuple[str, ...] = ()  # tests to be passed, where lines do not return at once
    asked: tuple[str, ...] = ()  # flags of points that another dialect must compute
    sizes: tuple[str, ...] = ()  # values still to be checked as finite
    bounds: dict[str, str] = field(default_factory=dict)  # the name of each bound of a rounding error

    def copy(self) -> Scope:
        held = dict(self.variables), dict(self.written), dict(self.solved)
        return Scope(*held, self.tests, self.asked, self.sizes, dict(self.bounds))

    def untested(self) -> Scope:
        """The same results, and nothing to be passed or asked yet."""
        return Scope(dict(self.variables), dict(self.written), dict(self.solved), bounds=dict(self.bounds))

    def text_of(self, name: str) -> str:
        """The text of a quantity or of a bound, or the text that a name stands for itself."""
        if name.startswith(_ITSELF):
            return name.removeprefix(_ITSELF)
        return self.bounds[name] if name in self.bounds else self.variables[name]

    def ask(self, *tests: str) -> None:
        self.asked = tuple(dict.fromkeys((*self.asked, *tests)))

    def bind(self, name: str, text: str) -> None:
        before = self.variables.get(name)
        self.variables[name] = text
        if before is not None and before != text:  # an expression may use the name's earlier text
            self.written = {node: held for node, held in self.written.items() if name not in names_in(node)}


class Sheet:
    """Lines, the names that they may call, and the methods that write more of them.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sheet = Sheet(Floats())
    >>> sheet.expression(parse_expression("sqrt(x) + sqrt(x)"), Scope({"x": "a0"}))
    'v1'
    >>> [line.strip() for line in sheet.lines]
    ['v0 = m.sqrt(a0)', 'v1 = v0 + v0']
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.lines: list[str] = []
        self.indent = "    "
        self.space: dict[str, Any] = {"nan": math.nan, **dialect.names()}
        self._fresh = count()
        self._held: dict[str, str] = {}  # the name of each text, as far as the next lines can see it
        self._helpers: dict[Hashable, str] = {}

    def write(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def line(self, text: str) -> str:
        """The name of the value of a text."""
        if text not in self._held:
            is_doubtful = DOUBT in text
            if is_doubtful:
                self.write(f"{DOUBT} = False")
            self._held[text] = self.named(text)
            if is_doubtful:
                self._held[_doubt_about(self._held[text])] = self.named(DOUBT)
        return self._held[text]

    def named(self, text: str) -> str:
        """A new name for the value of a text."""
        name = f"v{next(self._fresh)}"
        self.write(f"{name} = {text}")
        return name

    def helper(self, key: Hashable, made: Callable[[], Any]) -> str:
        """The name of a function that lines may call."""
        if key not in self._helpers:
            function = made()  # may find that there is none
            self._helpers[key] = f"h{len(self._helpers)}"
            self.space[self._helpers[key]] = function
        return self._helpers[key]

    @contextmanager
    def under(self, heading: str) -> Iterator[None]:
        """Lines of a nested block, which later lines do not see."""
        self.write(heading)
        held, self._held, indent = self._held, dict(self._held), self.indent
        self.indent += "    "
        yield
        self._held, self.indent = held, indent

    def require(self, scope: Scope, *tests: str) -> None:
        """Continue only where the tests hold."""
        if not tests:
            return
        if self.dialect.leaves:
            self.write(f"if not {self.dialect.logic('and', tests)}:")
            self.write("    return nan")
        else:
            scope.tests = (*scope.tests, *(test if test.isidentifier() else self.line(test) for test in tests))

    def mask(self, scope: Scope, *further: str) -> str:
        """One test for all required tests and further ones."""
        tests = [*in_order(test for test in scope.tests if test != "True"), *further]
        return self.line(self.dialect.passed(tests)) if len(tests) > 1 else "".join(tests) or "True"

    def require_between(self, scope: Scope, text: str, low: float, high: float, is_open: bool = False) -> None:
        """Continue only where a value is finite and lies within bounds.

        In machine code one sum checks whether all values are finite; a NaN already fails the bound.
        """
        if self.dialect.asks and -math.inf < low and high == math.inf:
            self.require(scope, f"({low!r} {'<' if is_open else '<='} {text})")
            scope.sizes = (*scope.sizes, text)
        else:
            self.require(scope, self.between(text, low, high, is_open))

    def between(self, text: str, low: float, high: float, is_open: bool = False) -> str:
        """The test that a value is finite and lies within bounds."""
        if not self.dialect.is_lazy:
            return f"inside({text}, {low!r}, {high!r}, {is_open})"
        above = "<" if is_open or low == -math.inf else "<="
        below = "<" if high == math.inf else "<="
        if self.dialect.asks:
            is_real = low == -math.inf and high == math.inf
            return f"(abs({text}) < inf)" if is_real else f"(({low!r} {above} {text}) & ({text} {below} {high!r}))"
        return f"({low!r} {above} {text} {below} {high!r})"

    def expression(self, node: Node, scope: Scope) -> str:
        if isinstance(node, Name):
            return scope.text_of(node.name)
        if isinstance(node, Number):
            return number(node)
        if node not in scope.written:
            name = scope.written[node] = self.line(self._worded(node, scope))
            doubt = self._held.get(_doubt_about(name))
            if doubt is not None:
                scope.ask(self.mask(scope, doubt))
        return scope.written[node]

    def function(self, arguments: Iterable[str], result: str) -> Callable[..., Any]:
        """The function of these arguments that runs the lines and returns the value of a text."""
        self.write(f"return {result}")
        lines = self.lines if self.dialect.is_lazy else self._released()
        return self.dialect.made("\n".join([f"def compiled({', '.join(arguments)}):", *lines, ""]), self.space)

    def _released(self) -> list[str]:
        """The lines, with a `del` after the last use of each name, so that its memory is reused while in cache."""
        met, lines = set[str](), list[str]()
        for line in reversed(self.lines):
            last = sorted(set(_HELD.findall(line)) - met)
            met.update(last)
            is_end = line.lstrip().startswith("return")
            lines.append(f"{line}; del {', '.join(last)}" if last and not is_end else line)
        return lines[::-1]

    def _worded(self, node: Apply, scope: Scope) -> str:
        def part(inner: Node) -> str:
            return self.expression(inner, scope)

        def lazy(inner: Node) -> str:
            return inlined(inner, scope.text_of, self.dialect)

        return worded(node, part, lazy, self.dialect)


def apart(equation: Equation, text: Writer, size: str = "np.abs", *, is_estimate: bool = False) -> tuple[str, str, str]:
    """Both sides of a relation, and what its gap is relative to: the absolute terms, or an estimate's value."""
    exact = [term for side in (equation.lhs, equation.rhs) for term in terms(side)]
    held = dict.fromkeys(text(term) for term in (weighed(equation) if is_estimate else exact))
    return text(equation.lhs), text(equation.rhs), f"({' + '.join(f'{size}({term})' for term in held)})"


def in_order(names: Iterable[str]) -> list[str]:
    """Names in the order of their lines: texts made of them share prefixes where targets have much in common."""
    return sorted(set(names), key=lambda name: (name[0], int(name[1:])))


def _doubt_about(name: str) -> str:
    return f"{DOUBT} about {name}"
