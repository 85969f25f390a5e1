"""Expressions as Python source text, in dialects: floats and arrays (`python_numpy`), machine code (`numba_source`).

The text computes what `evaluation` computes for the same tree. An undefined value must not turn into a number, and
three things could make it one: an operation that takes an infinity to a finite number (1/inf is 0), Python's `max` of
a NaN, and a comparison. These operations therefore get only finite operands. Where an operand is undefined, arrays
hold NaN and floats raise, because a test that seldom fails is cheapest as an exception. A comparison with an operand
that is not finite is left to the evaluator: floats raise, arrays call it at those points.

Names of users never reach the text: the caller says which text stands for each name.

A `Sheet` holds the lines of one function. Each line assigns one expression to one name, which is never assigned again.
An expression that is needed again, for the same target or another, is therefore that line. Each target has its own
scope: the text of each quantity that it depends on, and the tests that it must pass. On floats a failed test returns
NaN at once. Otherwise tests are masks, over points or for the one point of machine code, and blank the points that
fail.

A `Script` is such a function before a language writes it. A page bundles scripts in JavaScript (`javascript`), and a
file that computes by itself in Python (`standalone_modules`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import chain, count
from types import SimpleNamespace
from typing import Any, NoReturn

from derive.errors import LimitError
from derive.expressions.arithmetic import Arithmetic, Fold
from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import (
    COMPARISONS,
    Apply,
    Equation,
    Name,
    Node,
    Number,
    applied,
    cases,
    names_in,
    rebuilt,
    walk,
)
from derive.numerics.algebra.evaluation import terms, weighed
from derive.numerics.algebra.like_terms import ZERO
from derive.planning.plan import Block
from derive.tolerances import AGREEMENT, EXPRESSION

Writer = Callable[[Node], str]
"""The text of an expression, whose parts are written before it."""

DOUBT = "doubt"
"""The variable that a text sets to true where it cannot decide, in a dialect that asks another."""

UNDECIDED = f"({DOUBT} := {DOUBT} | True)"
"""The text of a test that cannot decide: it sets that variable, and is true. Times NaN it is the text of a number."""

SETTLED = "settled"
"""The operation that decides where doubles do not. Its arguments are a decision, the distance of its numbers from
another outcome, the bound on their error, and, unless the solver has to be asked, the place of the decision's exact
points among `exact`, and the numbers for these."""

NUMBERS = SimpleNamespace(**{**vars(math), **{name: entry.value for name, entry in TABLE.items()}})
"""The functions of Python's math module, and all functions of the table."""

SIGNS = {op: sign for sign, op in COMPARISONS.items()}
_FINITE = {"pi", *(name for name, entry in TABLE.items() if entry.is_bounded)}
_NEVER_OVERFLOW = {name for name, entry in TABLE.items() if not entry.overflows}
_TOTAL = {"pi", "neg", "max", "min", *(name for name in _NEVER_OVERFLOW if TABLE[name].is_everywhere)}
_AS_THEIR_PARTS = {"neg", "max", "min", *(name for name in _NEVER_OVERFLOW if not TABLE[name].is_bounded)}
_GROWING = {"add", "mul", *(name for name, entry in TABLE.items() if entry.is_everywhere and entry.overflows)}
_SWALLOWING = {"inv", "pow", "max", "min", *(name for name, entry in TABLE.items() if entry.swallows)}
"""Operations that may turn an undefined operand into a finite number."""


class UnsupportedOperation(Exception):  # noqa: N818  # no error: another dialect is taken
    """An operation that a dialect cannot express."""


class Dialect:
    """How a dialect writes the parts of an expression: here as Python does for one point."""

    is_lazy = True  # whether it computes one point, and skips arms that are not chosen
    leaves = False  # whether a failed test returns from the function at once
    asks = False  # whether an infinity says that another dialect must compute the point
    is_exact = True  # whether it can work out a point from the decimals given there, or asks one that can
    size = "abs"  # the function that yields the absolute value
    operations: Mapping[str, Callable[..., str]]
    """Each operation on numbers."""
    names: Callable[[], dict[str, Any]]
    """The functions that the text may call."""
    comparison: Callable[[Apply, str, str, Writer], str]
    """A comparison of numbers that may not be finite, from the texts of its sides."""
    settled: Callable[[str, str, Apply, Writer], str]
    """A decision, and the test that doubles do not tell, as one text that is decided."""

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        """Run the source text that was emitted in this dialect, and return the function `compiled` that it defines."""
        names = {"__builtins__": {}, **space}
        execute(text, names)
        function: Callable[..., Any] = names["compiled"]
        return function

    def sound(self, text: str) -> str:
        """The source text, in the dialect, of a number that is finite, or undefined."""
        return f"sound({text})"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        """The source text, in the dialect, of a combination of tests."""
        return f"(not {tests[0]})" if op == "not" else f"({f' {op} '.join(tests)})"

    def passed(self, tests: Sequence[str]) -> str:
        """The source text, in the dialect, of the test that all these named tests pass."""
        return self.logic("and", tests)

    def sure(self, test: str) -> str:
        """The source text, in the dialect, of a test that fails where it is undefined."""
        return test

    def pick(self, test: str, yes: str, no: str) -> str:
        """The source text, in the dialect, of a number that is one or another, as a test says."""
        return f"({yes} if {test} else {no})"

    def written(self, node: Apply, part: Writer, inlined: Writer) -> str:
        """The source text, in the dialect, of an operation; an arm that must not be computed in advance is `inlined`.

        A choice is the first arm whose condition holds: a later condition is tested where those before it failed.
        """
        if node.op != "piecewise":
            text: str = self.arithmetic.applied(node, part)
            return text
        arm = inlined if self.is_lazy else part
        text = "undefined()" if self.is_lazy and not self.asks else "nan"
        for i, (value, condition) in reversed([*enumerate(cases(node))]):
            if condition is None:
                text = arm(value)
            else:
                test = arm(condition) if i else part(condition)
                text = self.pick(test, arm(value), text)
        return text

    @cached_property
    def arithmetic(self) -> Arithmetic[str]:
        """The table by which the dialect turns literals and operations into emitted source text."""

        def swallowing(node: Apply, part: Fold) -> str:
            args = [part(arg) if _is_finite(arg) else self.sound(part(arg)) for arg in node.args]
            return self.operations[node.op](*args)

        def comparing(node: Apply, part: Fold) -> str:
            left, right = map(part, node.args)
            if is_total(node):
                return f"({left} {SIGNS[node.op]} {right})"
            return self.comparison(node, left, right, part)

        def logical(node: Apply, part: Fold) -> str:
            return self.logic(node.op, [part(arg) for arg in node.args])

        def settling(node: Apply, part: Fold) -> str:
            decision, gap, room, *_ = node.args
            return self.settled(part(decision), f"{part(gap)} <= {part(room)}", node, part)

        rows = {op: row for op, row in self.operations.items() if op not in _SWALLOWING}
        forms = {
            **dict.fromkeys(_SWALLOWING & self.operations.keys(), swallowing),
            **dict.fromkeys(SIGNS, comparing),
            **dict.fromkeys(("and", "or", "not"), logical),
            SETTLED: settling,
        }
        return Arithmetic(number, {**rows, "true": lambda: "True"}, forms, otherwise=_refuse)


def _refuse(*_: object) -> NoReturn:
    raise UnsupportedOperation


def operations(called: Callable[[Function], str], **own: Callable[..., str]) -> dict[str, Callable[..., str]]:
    """The source texts of all operations in a dialect, where a function is `called` by a name, or not at all.

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


def unsettled(node: Node) -> Node:
    """The expression that the evaluator takes in place of emitted text: no operation settles its decisions."""

    def plain(part: Node) -> Node | None:
        return unsettled(part.args[0]) if isinstance(part, Apply) and part.op == SETTLED else None

    return rebuilt(node, plain)


def nested(function: str) -> Callable[..., str]:
    """An emitter of nested calls, by which source text applies a function of two numbers to any number of them."""
    return lambda *args: reduce(lambda left, right: f"{function}({left}, {right})", args)


def is_literal(text: str) -> bool:
    """Whether an emitted text is a plain number other than zero."""
    try:
        return float(text.strip("()")) != 0
    except ValueError:
        return False


def number(node: Number) -> str:
    """The emitted source text of a number, which binds as one operand.

    >>> from fractions import Fraction
    >>> number(Number(Fraction(-1, 2)))
    '(-0.5)'
    """
    text = repr(node.real)
    return f"({text})" if text.startswith("-") else text


def inlined(node: Node, named: Callable[[str], str], dialect: Dialect) -> str:
    """A whole expression as one emitted source text, without lines before it."""

    def part(inner: Node) -> str:
        return inlined(inner, named, dialect)

    if isinstance(node, Name):
        return named(node.name)
    if isinstance(node, Number):
        return number(node)
    return f"({dialect.written(node, part, part)})"


def _is_finite(node: Node) -> bool:
    """Whether an expression's emitted text never yields an infinity, given that every name is finite or NaN."""
    if not isinstance(node, Apply) or node.op in _FINITE:
        return True
    return node.op in _AS_THEIR_PARTS and all(map(_is_finite, node.args))


def is_total(node: Node) -> bool:
    """Whether the source text emitted for an expression, or for a comparison's sides, always yields a finite value."""
    return _consists_of(node, _TOTAL | SIGNS.keys())


def is_clear(node: Node) -> bool:
    """Whether an expression's emitted text yields an infinity by overflow only, in one step from finite numbers."""
    if isinstance(node, Apply) and node.op in ("neg", "abs"):
        return is_clear(node.args[0])
    if isinstance(node, Apply) and node.op in _GROWING and len(node.args) <= 2:
        return all(_consists_of(arg, _FINITE | _AS_THEIR_PARTS) for arg in node.args)
    return _consists_of(node, _FINITE | _AS_THEIR_PARTS)


def _consists_of(node: Node, operations: Container[str]) -> bool:
    """Whether an expression has no operations but these, whose emitted text keeps finite numbers finite."""
    return all(part.op in operations for part in walk(node) if isinstance(part, Apply))


_LINE_NAME = re.compile(r"\bv\d+\b")
_ITSELF = "="  # with which no quantity's name begins


def name_of_text(text: str) -> Name:
    """A name that stands in an expression for emitted source text, whichever quantity that text computes."""
    return Name(_ITSELF + text)


def execute(text: str, space: dict[str, Any]) -> None:
    """Run emitted source text, which this package has written, to define its functions in a space of names."""
    with refusing_what_is_too_deep():
        code = compile(text, "<derive>", "exec")
    exec(code, space)


@contextmanager
def refusing_what_is_too_deep() -> Iterator[None]:
    """Turn Python's errors for emitted source text that is nested too deep to be compiled into a `LimitError`.

    A sum of very many terms is nested too: each term lies within the sum of those before it.
    """
    try:
        yield
    except (MemoryError, RecursionError, SyntaxError) as error:  # how Python says it
        what = "A sum of very many terms, or a choice among very many cases, is nested too deep for a fast function."
        raise LimitError(what, hint="Split it: name its parts. Or call solve at each point.", limit="depth") from error


@dataclass
class Scope:
    """The names of the results of the lines so far, as one target sees them."""

    variables: dict[str, str] = field(default_factory=dict)  # the name of each quantity, and of each bound of an error
    written: dict[Node, str] = field(default_factory=dict)  # the name of each expression
    solved: dict[tuple[Block, tuple[str, ...]], tuple[str, ...]] = field(default_factory=dict)
    tests: tuple[str, ...] = ()  # tests to be passed, where lines do not return at once
    asked: tuple[str, ...] = ()  # flags of points that another dialect must compute
    sizes: tuple[str, ...] = ()  # values still to be checked as finite

    def copy(self) -> Scope:
        results = dict(self.variables), dict(self.written), dict(self.solved)
        return Scope(*results, self.tests, self.asked, self.sizes)

    def untested(self) -> Scope:
        """A copy of the scope of emitted lines, with the same texts for its names, and with no tests or flags."""
        return Scope(dict(self.variables), dict(self.written), dict(self.solved))

    def text_of(self, name: str) -> str:
        """The source text of a quantity or bound in the emitted lines; of a name made by `name_of_text`, that text."""
        return name.removeprefix(_ITSELF) if name.startswith(_ITSELF) else self.variables[name]

    def ask(self, *tests: str) -> None:
        self.asked = tuple(dict.fromkeys((*self.asked, *tests)))

    def bind(self, name: str, text: str) -> None:
        earlier = self.variables.get(name)
        self.variables[name] = text
        if earlier is not None and earlier != text:  # an expression may use the name's earlier text
            self.written = {node: line for node, line in self.written.items() if name not in names_in(node)}


class Sheet:
    """Writes the lines of one function of some names, and keeps what they may call.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sheet = Sheet(Floats(), ["x"])
    >>> sheet.expression(parse_expression("sqrt(x) + sqrt(x)"), sheet.start())
    'v1'
    >>> [line.strip() for line in sheet.lines]
    ['v0 = m.sqrt(a0)', 'v1 = v0 + v0']
    """

    def __init__(self, dialect: Dialect, names: Iterable[str] = ()) -> None:
        """Begin without emitted lines, for the source text of one function of these names in a dialect."""
        self.dialect = dialect
        self.arguments = {name: f"a{i}" for i, name in enumerate(names)}  # of the function, for each name
        self.lines: list[str] = []
        self.indent = "    "
        self.space: dict[str, Any] = {"nan": math.nan, **dialect.names()}
        self._fresh = count()
        self._names: dict[str, str] = {}  # the name of each text, as far as the next lines can see it
        self._helpers: dict[Hashable, str] = {}

    def start(self) -> Scope:
        """The scope before the first emitted line, in which each name stands for an argument of the function."""
        return Scope(dict(self.arguments))

    def write(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def line(self, text: str) -> str:
        """Emit a line that gives the value of a source text a name, unless an earlier line may be used; return it."""
        if text not in self._names:
            is_doubtful = DOUBT in text  # then its value of the flag is kept under a name of its own
            if is_doubtful:
                self.write(f"{DOUBT} = False")
            self._names[text] = self.named(text)
            if is_doubtful:
                self._names[_doubt_about(self._names[text])] = self.named(DOUBT)
        return self._names[text]

    def named(self, text: str) -> str:
        """Emit a line that assigns a source text to a new name, and return the name."""
        name = f"v{next(self._fresh)}"
        self.write(f"{name} = {text}")
        return name

    def helper(self, key: Hashable, build: Callable[[], Any]) -> str:
        """The name by which emitted lines call a function outside the sheet; it is built once for each key."""
        if key not in self._helpers:
            function = build()  # before it is named: there may be none, which raises
            self._helpers[key] = f"h{len(self._helpers)}"
            self.space[self._helpers[key]] = function
        return self._helpers[key]

    @contextmanager
    def under(self, heading: str) -> Iterator[None]:
        """Emit a nested block of lines under a heading, whose names the later lines do not see."""
        self.write(heading)
        outer_names, self._names, indent = self._names, dict(self._names), self.indent
        self.indent += "    "
        yield
        self._names, self.indent = outer_names, indent

    def require(self, scope: Scope, *tests: str) -> None:
        """Emit that the lines continue only where the tests hold: by an early return, or by masks."""
        if not tests:
            return
        if self.dialect.leaves:
            self.write(f"if not {self.dialect.logic('and', tests)}:")
            self.write("    return nan")
        else:
            scope.tests = (*scope.tests, *(test if test.isidentifier() else self.line(test) for test in tests))

    def mask(self, scope: Scope, *further: str) -> str:
        """Emit one test for all tests that a scope requires, and for further ones."""
        tests = [*in_order(test for test in scope.tests if test != "True"), *further]
        return self.line(self.dialect.passed(tests)) if len(tests) > 1 else "".join(tests) or "True"

    def require_between(self, scope: Scope, text: str, low: float, high: float, is_open: bool = False) -> None:
        """Emit, as the dialect writes it, the requirement that a value is finite and lies within bounds.

        In machine code one sum checks whether all values are finite; a NaN already fails the bound.
        """
        if self.dialect.asks and -math.inf < low and high == math.inf:
            self.require(scope, f"({low!r} {'<' if is_open else '<='} {text})")
            scope.sizes = (*scope.sizes, text)
        else:
            self.require(scope, self.between(text, low, high, is_open))

    def between(self, text: str, low: float, high: float, is_open: bool = False) -> str:
        """The source text to be emitted for the test that a value is finite and lies within bounds."""
        if not self.dialect.is_lazy:
            return f"inside({text}, {low!r}, {high!r}, {is_open})"
        if not self.dialect.asks:
            return within(text, low, high, is_open)
        if low == -math.inf and high == math.inf:
            return f"(abs({text}) < inf)"
        above, below = _signs_of(low, high, is_open)
        return f"(({low!r} {above} {text}) & ({text} {below} {high!r}))"

    def expression(self, node: Node, scope: Scope) -> str:
        """Emit an expression's operations as lines in the sheet's dialect, and return the source text of its value."""
        if isinstance(node, Name):
            return scope.text_of(node.name)
        if isinstance(node, Number):
            return number(node)
        if node not in scope.written:
            text = self.dialect.written(
                node,
                lambda inner: self.expression(inner, scope),
                lambda inner: inlined(inner, scope.text_of, self.dialect),
            )
            name = scope.written[node] = self.line(text)
            doubt = self._names.get(_doubt_about(name))
            if doubt is not None:
                scope.ask(self.mask(scope, doubt))
        return scope.written[node]

    def agrees(self, equation: Equation, text: Writer) -> str:
        """Emit the test that an equation holds within rounding, as a line, and return its source text.

        The gap is relative to the terms that a product of sums has: those of `2*(x - y)` cancel where it is zero.
        """
        text = cache(text)
        left, right, _ = apart(equation, text, self.dialect.size)
        sizes = dict.fromkeys(chain.from_iterable(map(_sizes_of_terms, equation.sides)))
        size = " + ".join(map(text, sizes))
        return self.line(f"({self.dialect.size}({left} - {right}) <= {AGREEMENT!r} * ({size}))")

    def function(self, result: str, *further: str) -> Callable[..., Any]:
        """Make the emitted lines a function that takes further arguments first, and returns a source text's value."""
        self.write(f"return {result}")
        lines = self.lines if self.dialect.is_lazy else self._released()
        heading = f"def compiled({', '.join([*further, *self.arguments.values()])}):"
        return self.dialect.made("\n".join([heading, *lines, ""]), self.space)

    def _released(self) -> list[str]:
        """The emitted Python lines with a `del` after the last use of each name, so that cached memory is reused."""
        used_later, lines = set[str](), list[str]()
        for line in reversed(self.lines):
            last_used = sorted(set(_LINE_NAME.findall(line)) - used_later)
            used_later.update(last_used)
            is_end = line.lstrip().startswith("return")
            lines.append(f"{line}; del {', '.join(last_used)}" if last_used and not is_end else line)
        return lines[::-1]


def apart(equation: Equation, text: Writer, size: str = "np.abs", *, is_estimate: bool = False) -> tuple[str, str, str]:
    """The source texts to be emitted for a relation's sides, and for the size by which their gap is measured."""
    text = cache(text)  # a side of one term is that term, and may be a long choice
    measured = weighed(equation) if is_estimate else (*terms(equation.lhs), *terms(equation.rhs))
    distinct = dict.fromkeys(map(text, measured))
    return text(equation.lhs), text(equation.rhs), f"({' + '.join(f'{size}({term})' for term in distinct)})"


def _sizes_of_terms(side: Node) -> Iterator[Node]:
    """The sizes of a side's terms, to be emitted as the measure of its rounding.

    A factor that is a sum is as large as all its terms together, and so is a sum in an absolute value or in the arm
    that a choice takes: where the terms of `max(x, x**2 - 6)` cancel, rounding alone is left of it. In a power, what is
    left of a sum by rounding is raised with it: 1e-16 in a square root is 1e-8.
    """
    for term in terms(side):
        if not isinstance(term, Apply) or not _holds_sum(term):
            yield Apply("abs", (term,))
        elif term.op == "piecewise":
            yield Apply(term.op, tuple(arg if i % 2 else _size_of_sum(arg) for i, arg in enumerate(term.args)))
        elif term.op in ("max", "min"):
            first, *others = term.args
            rest = applied(term.op, others, ZERO)
            is_taken = Apply("ge" if term.op == "max" else "le", (first, rest))
            yield Apply("piecewise", (_size_of_sum(first), is_taken, _size_of_sum(rest)))
        elif term.op in _POWERS:
            yield Apply("abs", (term,))
            rounding = Apply("mul", (Number(Fraction(EXPRESSION)), _size_of_sum(term.args[0])))
            yield Apply("mul", (Number(Fraction(1 / AGREEMENT)), Apply(term.op, (rounding, *term.args[1:]))))
        elif term.op == "abs":
            yield _size_of_sum(term.args[0])
        else:
            yield Apply("mul", tuple(map(_size_of_sum, term.args)))


_POWERS = ("pow", "sqrt")


def _size_of_sum(node: Node) -> Node:
    return applied("add", [*_sizes_of_terms(node)], ZERO)


def _holds_sum(term: Node) -> bool:
    """Whether the terms of a sum may cancel in a term, so that its emitted text loses digits."""
    if not isinstance(term, Apply) or term.op not in ("mul", "abs", "max", "min", "piecewise", *_POWERS):
        return False
    if term.op == "pow" and not (isinstance(term.args[1], Number) and term.args[1].value > 0):
        return False
    parts = {"pow": term.args[:1], "piecewise": term.args[::2]}.get(term.op, term.args)
    return any(len(terms(part)) > 1 or any(map(_holds_sum, terms(part))) for part in parts)


def within(text: str, low: float, high: float, is_open: bool) -> str:
    """The emitted source text of one comparison that tests whether a number is finite and lies within bounds."""
    above, below = _signs_of(low, high, is_open)
    return f"({low!r} {above} {text} {below} {high!r})"


def _signs_of(low: float, high: float, is_open: bool) -> tuple[str, str]:
    """The signs by which emitted text compares a finite number with a lower and an upper bound."""
    return "<" if is_open or low == -math.inf else "<=", "<" if high == math.inf else "<="


def in_order(names: Iterable[str]) -> list[str]:
    """The names of emitted lines in order: texts made of them share prefixes where targets have much in common."""
    return sorted(set(names), key=lambda name: (name[0], int(name[1:])))


def _doubt_about(name: str) -> str:
    return f"{DOUBT} about {name}"


@dataclass(frozen=True)
class RuntimeFunction:
    """A function of the runtime, by its name in it."""

    name: str


@dataclass(frozen=True, eq=False)
class Script:
    """A function as Python text, and what its names stand for: other scripts, functions of the runtime, tuples."""

    text: str
    space: Mapping[str, Any]

    def __call__(self, *_: Any) -> Any:
        raise TypeError("a script is run by a browser")


@dataclass(frozen=True)
class Language:
    """How a language writes scripts as functions called `compiled`, and the functions and constants that they use."""

    function: Callable[[Script, Callable[[Any], str]], str]  # of a script, and of what names the things in its space
    runtime: Callable[[str], str]  # the name of a function of the runtime
    constant: str  # a line for a name and its numbers


class Bundle:
    """Scripts with all that they call in a language: each once, and after those it calls.

    `last` has the names of the scripts themselves.

    >>> from derive.kernels.backends.javascript import JavaScript, javascript
    >>> root = Script("def compiled(a0):\\n    return m.sqrt(a0) if 0.0 <= a0 else nan\\n", JavaScript().names())
    >>> made = Bundle([root], javascript({}))
    >>> print(*made.parts, made.last, sep="\\n")
    function f0(a0) {
    return 0 <= a0 ? Math.sqrt(a0) : NaN;
    }
    ('f0',)
    """

    def __init__(self, scripts: Sequence[Script], language: Language) -> None:
        """Bundle the source texts of scripts in a language with what they call, the callees first."""
        self.language = language
        self.parts: list[str] = []
        self._names: dict[Any, str] = {}
        self._same: dict[str, str] = {}  # functions of the same text are one
        with refusing_what_is_too_deep():
            self.last = tuple(map(self.name_of, scripts))

    def name_of(self, callee: Any) -> str:
        """The name in the bundle of a script, a runtime function or a constant; one that is new is emitted first."""
        if isinstance(callee, RuntimeFunction):
            return self.language.runtime(callee.name)
        is_constant = isinstance(callee, tuple)
        key = callee if is_constant else id(callee)
        if key not in self._names:
            text = json.dumps(callee) if is_constant else self.language.function(callee, self.name_of)
            if text not in self._same:
                letter = "k" if is_constant else "f"
                name = self._same[text] = f"{letter}{len(self._same)}"
                line = self.language.constant.format(name, text) if is_constant else text.replace("compiled", name, 1)
                self.parts.append(line)
            self._names[key] = self._same[text]
        return self._names[key]
