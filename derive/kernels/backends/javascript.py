"""The JavaScript dialect: the lines of machine code for one point, as a script that a browser runs.

The lines are those that numba compiles (`numba_source`): one assignment after another, in a small part of Python, with
NaN for what is undefined and an infinity for what only another dialect can decide. A browser has no other dialect, so
there such a point stays undecided. Each function is read back as Python's own syntax tree and written in JavaScript,
which has the same doubles: whatever is not in that small part is refused, so no line can change its meaning unseen.

What JavaScript's `Math` lacks is in `javascript_runtime.js`, which a page holds once.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from derive.expressions.functions import PERIODIC, STEPPED, TABLE
from derive.expressions.tree import Apply
from derive.kernels.backends.emitter import SIGNS, UNDECIDED, Language, RuntimeFunction, Script, Writer, is_clear
from derive.kernels.backends.numba_source import CALLED, PlainPython
from derive.tolerances import AGREEMENT, EXPRESSION, LAST_DIGIT, MET, SAME_ROOT, SMALLEST
from quantities.tolerances import SAME_COUNT

_LINE_NAME = re.compile(r"\bv\d+\b")
_ASSIGNED = re.compile(r"^ *(\w+) = ", re.MULTILINE)


class JavaScript(PlainPython):
    """Numbers of one point, in lines that a browser runs."""

    most_unknowns = 16
    takes_arms = True

    def names(self) -> dict[str, Any]:
        own = {name: RuntimeFunction(name) for name in CALLED}
        return {"m": None, "inf": None, "nan": None, "abs": None, **own}

    def comparison(self, node: Apply, left: str, right: str, part: Writer) -> str:
        """The text of a comparison for a browser; an infinity that can only be an overflow compares as a number."""
        if not all(map(is_clear, node.args)):
            return super().comparison(node, left, right, part)
        known = f"{left} - {right} == {left} - {right} or abs({left} - {right}) == inf"
        return f"({left} {SIGNS[node.op]} {right} if {known} else {UNDECIDED})"

    def settled(self, text: str, is_near: str, node: Apply, part: Writer) -> str:
        """The JavaScript text of a decision, on doubles only: numbers that differ by rounding are equal.

        Those that differ by more, but not by more than their errors, as where a function is steep, stay undecided. A
        side that overflowed is as far from the other as can be, and its error too.
        """
        decision, gap = node.args[:2]
        assert isinstance(decision, Apply)
        if decision.op in STEPPED:
            equal, doubtful = f"m.floor({part(decision.args[0])} + 0.5)", f"nan * {UNDECIDED}"
        elif decision.op in ("le", "lt", "ge", "gt"):
            equal, doubtful = str(decision.op in ("le", "ge")), UNDECIDED
        elif decision.op in TABLE or decision.op in ("pow", "inv"):
            return self._beside_end(text, node, part)
        else:
            return text
        size = " + ".join(f"abs({part(arg)})" for arg in decision.args)
        is_equal = f"{part(gap)} <= {EXPRESSION!r} * ({size})"
        is_open = f"{is_near} and {part(gap)} < inf"
        return f"({text} if not ({is_open}) else {equal} if {is_equal} else {doubtful})"

    def _beside_end(self, text: str, node: Apply, part: Writer) -> str:
        """The text of a function for a browser, which is at the end of its domain where it passes it by rounding alone.

        A wave is undecided where its argument has too few digits within a period, and so is what divides by nothing but
        rounding.
        """
        decision, gap, room, *exact_points = node.args
        assert isinstance(decision, Apply)
        # with exact points the room is that within which more digits are worked out
        error = f"{MET if exact_points else 1.0!r} * {part(room)}"
        if decision.op in PERIODIC:
            return f"({text} if {error} <= {AGREEMENT!r} * {part(gap)} else nan * {UNDECIDED})"
        if decision.op == "inv":
            return f"(nan * {UNDECIDED} if 0.0 < {part(gap)} <= {error} else {text})"
        base, *exponent = decision.args
        at_end = self.operations[decision.op](f"m.floor({part(base)} + 0.5)", *map(part, exponent))
        return f"({at_end} if {part(gap)} <= {error} and not abs({text}) >= 0 else {text})"

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        return Script(text, space)


@lru_cache(maxsize=1)
def runtime() -> str:
    """The JavaScript text that defines `derive`: the functions that every script needs.

    >>> runtime().startswith("const derive = ")
    True
    """
    shared = {"SAME_ROOT": SAME_ROOT, "LAST_DIGIT": LAST_DIGIT, "SMALLEST": SMALLEST, "SAME_COUNT": SAME_COUNT}
    text = Path(__file__).with_name("javascript_runtime.js").read_text(encoding="utf-8")
    return f"const derive = ({text.strip().rstrip(';')})({json.dumps(shared)});\n"


def without_idle(lines: Sequence[str]) -> list[str]:
    """A script's lines, to be written in JavaScript, without assignments to names that no later line uses.

    >>> without_idle(["    v0 = x[0]", "    v1 = x[1]", "    y[0] = v1 + 1"])
    ['    v1 = x[1]', '    y[0] = v1 + 1']
    """
    used, kept = set[str](), list[str]()
    for line in reversed(lines):
        name, assigned, _ = line.strip().partition(" = ")
        if not (assigned and _LINE_NAME.fullmatch(name) and name not in used):
            used.update(_LINE_NAME.findall(line.partition(" = ")[2] if _LINE_NAME.fullmatch(name) else line))
            kept.append(line)
    return kept[::-1]


def javascript(names: dict[tuple[str, int], str]) -> Language:
    """JavaScript as the language of a bundle, in which an expression has the same name in all functions.

    `names` holds these names by text. Bundles that share it therefore have the same line for the same arithmetic.
    """
    return Language(
        function=lambda script, name_of: _Writer(script, name_of, names).function(),
        runtime="derive.{}".format,
        constant="const {} = {};",
    )


_BINARY = {ast.Add: ("+", 11), ast.Sub: ("-", 11), ast.Mult: ("*", 12), ast.Div: ("/", 12)}
_LOGICAL = {ast.And: ("&&", 4), ast.Or: ("||", 3), ast.BitAnd: ("&&", 4), ast.BitOr: ("||", 3)}
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!=="}
_CONSTANTS = {"nan": "NaN", "inf": "Infinity"}
_CHOICE, _UNARY, _WHOLE = 2, 14, 20  # how closely they bind in JavaScript; the numbers in the tables above say the same


class _Writer:
    """Writes one script, from Python's syntax tree, as a function in JavaScript; `name_of` names what it calls."""

    def __init__(self, script: Script, name_of: Callable[[Any], str], names: dict[tuple[str, int], str]) -> None:
        """Read a script as Python's syntax tree, and count how often each of its names is assigned."""
        (self.tree,) = ast.parse(script.text).body
        self.space = script.space
        self.name_of = name_of
        self.shared_names = names  # of expressions, by text and its number among equal texts of one function
        self.occurrences = Counter[str]()  # of each text so far
        self.own: dict[str, str] = {}  # the new name of each name in the script; one that is assigned twice keeps its
        self.times = Counter(_ASSIGNED.findall(script.text))  # a walk of the tree would take as long as its parsing
        self.inner: dict[str, None] = {}  # names that are assigned inside an expression, where none can be declared

    def function(self) -> str:
        """The JavaScript text of the script's whole function."""
        assert isinstance(self.tree, ast.FunctionDef)
        arguments = ", ".join(argument.arg for argument in self.tree.args.args)
        lines = self._lines(self.tree.body)
        declared = [f"var {', '.join(self.inner)};"] if self.inner else []
        return "\n".join([f"function compiled({arguments}) {{", *declared, *lines, "}"])

    def _lines(self, body: Sequence[ast.stmt]) -> list[str]:
        return [*chain.from_iterable(map(self._statement, body))]

    def _statement(self, statement: ast.stmt) -> list[str]:
        """The JavaScript lines of one Python statement of the script."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                text = self._text(value)
                return [f"var {self._assigned(name, text)} = {text};"]  # a name of the whole function, as in Python
            case ast.Assign(targets=[ast.Subscript() as place], value=value):
                return [f"{self._text(place)} = {self._text(value)};"]
            case ast.Return(value=value):
                return [f"return {self._text(value)};" if value is not None else "return;"]
            case ast.Expr(value=ast.Call() as call):
                return [f"{self._text(call)};"]
            case ast.If(test=test, body=body, orelse=orelse):
                otherwise = ["} else {", *self._lines(orelse)] if orelse else []
                return [f"if ({self._text(test)}) {{", *self._lines(body), *otherwise, "}"]
        raise TypeError(f"no JavaScript for {ast.unparse(statement)}")

    def _assigned(self, name: str, text: str) -> str:
        """The name in JavaScript of a name that the script assigns an expression."""
        if self.times[name] == 1 and _LINE_NAME.fullmatch(name):
            self.occurrences[text] += 1  # the same text may mean another number once `doubt` has changed
            key = text, self.occurrences[text]
            self.own[name] = self.shared_names.setdefault(key, f"w{len(self.shared_names)}")
        return self.own.get(name, name)

    def _text(self, node: ast.expr | None, least: int = 0) -> str:
        """The JavaScript text of an expression, in parentheses if it binds less closely than `least`."""
        text, level = self._written(node)
        return f"({text})" if level < least else text

    def _written(self, node: ast.expr | None) -> tuple[str, int]:
        """The JavaScript text of an expression, and how closely it binds."""
        match node:
            case ast.Name(id=name):
                return self._named(name), _WHOLE
            case ast.Constant(value=bool(value)):
                return str(value).lower(), _WHOLE
            case ast.Constant(value=int() | float() as value):
                return f"{value!r}".removesuffix(".0"), _WHOLE
            case ast.Tuple(elts=parts):
                return f"[{', '.join(map(self._text, parts))}]", _WHOLE
            case ast.Subscript(value=value, slice=at):
                return f"{self._text(value, _WHOLE)}[{self._text(at)}]", _WHOLE
            case ast.Call(func=function, args=args):
                return f"{self._called(function)}({', '.join(map(self._text, args))})", _WHOLE
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                self.inner[name] = None
                return f"({name} = {self._text(value)})", _WHOLE
        return self._operation(node)

    def _operation(self, node: ast.expr | None) -> tuple[str, int]:
        """The JavaScript text of arithmetic, a test or a choice, and how closely it binds."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"-{self._text(operand, _UNARY + 1)}", _UNARY
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self._text(operand, _UNARY + 1)}", _UNARY
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                sign, level = _BINARY[type(op)]
                return f"{self._text(left, level)} {sign} {self._text(right, level + 1)}", level
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _LOGICAL:
                return self._joined(_LOGICAL[type(op)], [left, right])
            case ast.BoolOp(op=op, values=values):
                return self._joined(_LOGICAL[type(op)], values)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self._text(side, 10) for side in (left, *others)]
                tests = [f"{sides[i]} {_COMPARED[type(op)]} {sides[i + 1]}" for i, op in enumerate(ops)]
                return " && ".join(tests), 8 if len(tests) == 1 else 4
            case ast.IfExp(test=test, body=body, orelse=orelse):
                parts = self._text(test, _CHOICE + 1), self._text(body, _CHOICE), self._text(orelse, _CHOICE)
                return "{} ? {} : {}".format(*parts), _CHOICE
        raise TypeError(f"no JavaScript for {ast.unparse(node) if node is not None else None}")

    def _joined(self, operator: tuple[str, int], values: Sequence[ast.expr]) -> tuple[str, int]:
        sign, level = operator
        return f" {sign} ".join(self._text(value, level + 1) for value in values), level

    def _named(self, name: str) -> str:
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        return self.own.get(name, name) if self.space.get(name) is None else self.name_of(self.space[name])

    def _called(self, function: ast.expr) -> str:
        """The JavaScript name of a function that the script calls."""
        match function:
            case ast.Attribute(value=ast.Name(id="m"), attr="pow"):
                return "Math.pow"
            case ast.Attribute(value=ast.Name(id="m"), attr=name) if name in TABLE:
                return TABLE[name].called_in_javascript
            case ast.Name(id="abs"):
                return "Math.abs"
            case ast.Name(id=name) if self.space.get(name) is not None:
                return self._named(name)
        raise TypeError(f"no JavaScript for {ast.unparse(function)}")
