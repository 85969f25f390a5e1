"""A plan as a fast function of numbers.

Every closed form of the plan becomes one line of Python in base units, with common subexpressions shared. Names of
users never reach that text: quantities are called v0, v1, ... in it, and numbers are written by this module. The same
lines run on floats (with `math`) and on NumPy arrays (with `numpy`). Where an unknown has several inverses, each is
tried and the one that satisfies its relation within its domain is kept; where a block has no closed form it is solved
by numbers, point by point.

A point that has no admissible value, or more than one, or where a relation in use does not apply, comes out as NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from derive.blocks import has_choice
from derive.errors import UnknownNameError, unknown
from derive.expression import Apply, Equation, Name, Node, Number, names_in
from derive.isolating import isolate
from derive.planning import Block, Plan, plan
from quantities.value import is_number

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["BACKENDS", "Backend", "compiled"]

Backend = Literal["auto", "python", "numpy"]
BACKENDS: tuple[str, ...] = get_args(Backend)

_TINY = 1e-9
_NUMPY = {
    "max": "maximum",
    "min": "minimum",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
}
_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def compiled(library: Library, target: str, given: Iterable[str], backend: str = "auto") -> Callable[..., Any]:
    """A function of the givens by keyword, in declared units, that yields the target in its declared unit.

    >>> from derive.loading import load
    >>> ohm = load('''[quantities]
    ... V = { unit = "V" }
    ... I = { unit = "mA" }
    ... R = { unit = "kohm" }
    ... [relations.ohm]
    ... equation = "V = I*R"''')
    >>> resistance = compiled(ohm, "R", ["V", "I"])
    >>> resistance(V=12.0, I=4.0)
    3.0
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, list(BACKENDS))
    names = tuple(dict.fromkeys(library.quantity(name).name for name in given))
    library.quantity(target)
    defaults = [n for n, q in library.quantities.items() if q.default is not None and n not in names and n != target]
    made = plan(library.structure(), target, names, defaults)
    if not made.is_determined:
        from derive.asking import Question
        from derive.diagnosing import shortage

        raise shortage(library, Question(target, dict.fromkeys(names), {}), {})  # type: ignore[arg-type]
    return _function(library, made, names, backend)


def _function(library: Library, made: Plan, names: tuple[str, ...], backend: str) -> Callable[..., Any]:
    """The function for one plan; the version for arrays is made when arrays first come."""
    versions: dict[str, Callable[..., Any]] = {}

    def version(kind: str) -> Callable[..., Any]:
        if kind not in versions:
            versions[kind] = _Writer(library, made, names, kind).function()
        return versions[kind]

    wanted = frozenset(names)

    def call(**numbers: Any) -> Any:
        if numbers.keys() != wanted:
            raise _misnamed(numbers, names)
        plain = all(type(number) in (float, int) for number in numbers.values())
        if backend == "python" or (backend == "auto" and (plain or all(map(is_number, numbers.values())))):
            return version("python")(**{name: float(number) for name, number in numbers.items()})
        return version("numpy")(**numbers)

    call.__doc__ = f"{made.target} from {', '.join(names)}, in declared units."
    return call


def _misnamed(numbers: Iterable[str], names: Sequence[str]) -> Exception:
    for name in numbers:
        if name not in names:
            return unknown("argument", name, list(names))
    missing = [name for name in names if name not in numbers]
    return UnknownNameError(
        f"{', '.join(missing)} is missing from the call.",
        hint=f"Give {', '.join(names)}.",
        name=missing[0],
        kind="argument",
    )


class _Writer:
    """Writes one function: a line for each subexpression, each written once."""

    def __init__(self, library: Library, made: Plan, names: tuple[str, ...], kind: str) -> None:
        self.library = library
        self.made = made
        self.names = names
        self.kind = kind
        self.lines: list[str] = []
        self.variables: dict[str, str] = {}
        self.written: dict[Node, str] = {}
        self.helpers: dict[str, Callable[..., Any]] = {}

    def function(self) -> Callable[..., Any]:
        arguments = []
        for i, name in enumerate(self.names):
            arguments.append(f"a{i}")
            self.variables[name] = self._line(self._to_base(f"a{i}", name))
        for name in self.made.weak:
            default = self.library.quantities[name].default
            assert default is not None
            self.variables[name] = repr(default.base[1])
        for block in self.made.blocks:
            self._block(block)
        result = self._from_base(self._applying(self.variables[self.made.target]), self.made.target)
        body = "\n    ".join([*self.lines, f"return {result}"])
        space: dict[str, Any] = {"__builtins__": {}, **self._functions(), **self.helpers}
        text = f"def compiled({', '.join(arguments)}):\n    {body}\n"
        exec(compile(text, "<derive>", "exec"), space)
        inner = space["compiled"]
        if self.kind == "numpy":
            return self._on_arrays(inner)
        return self._on_floats(inner)

    def _on_floats(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        names = self.names
        careful: list[Callable[..., Any]] = []  # arrays carry an undefined part along as NaN, where floats raise

        def run(**numbers: float) -> float:
            try:
                return float(inner(*[numbers[name] for name in names]))
            except (ValueError, ZeroDivisionError, OverflowError, TypeError):
                if not careful:
                    careful.append(_Writer(self.library, self.made, names, "numpy").function())
                return float(careful[0](**numbers))

        return run

    def _on_arrays(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        import numpy

        names = self.names

        def run(**numbers: Any) -> Any:
            with numpy.errstate(all="ignore"):
                arrays = [numpy.asarray(numbers[name], dtype=float) for name in names]
                shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
                result = numpy.broadcast_to(inner(*arrays), shape)
                return numpy.where(numpy.isfinite(result), result, numpy.nan)

        return run

    def _functions(self) -> dict[str, Any]:
        if self.kind == "numpy":
            import numpy

            return {"np": numpy, "nan": math.nan, "pi": math.pi}
        return {"m": math, "max": max, "min": min, "abs": abs, "nan": math.nan, "pi": math.pi, "power": _power}

    def _line(self, text: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    # Units

    def _to_base(self, text: str, name: str) -> str:
        unit = self.library.quantities[name].unit
        shifted = f" + {float(unit.offset)!r}" if unit.offset else ""
        return f"{text} * {float(unit.size)!r}{shifted}"

    def _from_base(self, text: str, name: str) -> str:
        unit = self.library.quantities[name].unit
        return (
            f"({text} - {float(unit.offset)!r}) / {float(unit.size)!r}"
            if unit.offset
            else f"{text} / {float(unit.size)!r}"
        )

    # Blocks

    def _block(self, block: Block) -> None:
        name = block.unknowns[0]
        equation = self.library.relations[block.relations[0]].written
        candidates = isolate(equation, name) if len(block.unknowns) == 1 else None
        if not candidates or any(candidate.winds for candidate in candidates):
            self._by_numbers(block)
            return
        written = [self._expression(candidate.form) for candidate in candidates]
        plain = isinstance(equation.lhs, Name) and equation.lhs.name == name and len(candidates) == 1
        if plain and self.library.quantities[name].domain.text == "real":
            self.variables[name] = written[0]
            return
        if plain or (len(candidates) == 1 and not candidates[0].conditions):
            self.variables[name] = self._within(written[0], name)
            return
        chosen = "nan"
        for candidate in written:
            inside = self._within(candidate, name)
            self.variables[name] = inside
            self.written = {node: v for node, v in self.written.items() if name not in names_in(node)}
            holds = self._holds(equation)
            if has_choice(equation, name):
                inside = self._unless_level(equation, name, inside)
            chosen = self._line(self._pick(holds, self._unless_other(inside, chosen), chosen))
        self.variables[name] = chosen
        self.written = {node: v for node, v in self.written.items() if name not in names_in(node)}

    def _applying(self, text: str) -> str:
        """The result, or NaN where a condition of a relation in use is false."""
        used = [self.library.relations[name] for block in self.made.blocks for name in block.relations]
        conditions = [condition for relation in used for condition in relation.conditions]
        for name in names_in(*conditions):
            default = self.library.quantities[name].default
            if default is not None:
                self.variables.setdefault(name, repr(default.base[1]))
        tests = [self._condition(c) for c in conditions if all(name in self.variables for name in names_in(c))]
        return self._line(self._pick(self._all(tests), text, "nan")) if tests else text

    def _within(self, text: str, name: str) -> str:
        """A value, or NaN outside the domain."""
        domain = self.library.quantities[name].domain
        tests = []
        if math.isfinite(domain.low):
            tests.append(f"({text} {'>' if domain.open_low else '>='} {domain.low!r})")
        if math.isfinite(domain.high):
            tests.append(f"({text} <= {domain.high!r})")
        if not tests:
            return text
        return self._line(self._pick(self._all(tests), text, "nan"))

    def _holds(self, equation: Equation) -> str:
        left, right = self._expression(equation.lhs), self._expression(equation.rhs)
        size = "np.abs" if self.kind == "numpy" else "abs"
        return f"({size}({left} - {right}) <= {_TINY!r} * ({size}({left}) + {size}({right})))"

    def _unless_level(self, equation: Equation, name: str, inside: str) -> str:
        """A value, or NaN where the relation holds beside it too, so that it is only bounded."""
        tests = []
        for share in (0.75, 1.25):
            self.variables[name] = self._line(f"{inside} * {share}")
            self.written = {node: v for node, v in self.written.items() if name not in names_in(node)}
            tests.append(self._holds(equation))
        self.written = {node: v for node, v in self.written.items() if name not in names_in(node)}
        either = f"({tests[0]} | {tests[1]})" if self.kind == "numpy" else f"({tests[0]} or {tests[1]})"
        return self._line(self._pick(either, "nan", inside))

    def _unless_other(self, candidate: str, chosen: str) -> str:
        """A candidate, or NaN where another one was chosen already."""
        if chosen == "nan":
            return candidate
        size = "np.abs" if self.kind == "numpy" else "abs"
        same = f"({size}({candidate} - {chosen}) <= {_TINY!r} * {size}({candidate}))"
        alone = f"({chosen} != {chosen})"
        either = f"({alone} | {same})" if self.kind == "numpy" else f"({alone} or {same})"
        return self._pick(either, candidate, "nan")

    def _pick(self, test: str, yes: str, no: str) -> str:
        return f"np.where({test}, {yes}, {no})" if self.kind == "numpy" else f"({yes} if {test} else {no})"

    def _all(self, tests: Sequence[str]) -> str:
        return f"({' & '.join(tests)})" if self.kind == "numpy" else f"({' and '.join(tests)})"

    def _by_numbers(self, block: Block) -> None:
        """A block without a closed form: a call to the solver, for each point."""
        relations = [self.library.relations[name] for name in block.relations]
        needed = {n for r in relations for n in names_in(r.written.lhs, r.written.rhs)} - set(block.unknowns)
        inputs = sorted(needed)
        solver = _solver(self.library, block, inputs, self.kind)
        helper = f"h{len(self.helpers)}"
        self.helpers[helper] = solver
        result = self._line(f"{helper}({', '.join(self.variables[name] for name in inputs)})")
        for i, name in enumerate(block.unknowns):
            self.variables[name] = self._line(f"{result}[{i}]")

    # Expressions

    def _expression(self, node: Node) -> str:
        if isinstance(node, Name):
            return self.variables[node.name]
        if isinstance(node, Number):
            return repr(float(node.value))
        if node not in self.written:
            self.written[node] = self._line(self._applied(node))
        return self.written[node]

    def _applied(self, node: Apply) -> str:
        if node.op == "pi":
            return "pi"
        if node.op == "piecewise":
            return self._choice(node)
        if node.op in _SIGNS or node.op in ("and", "or", "not", "true"):
            return self._condition(node)
        args = [self._expression(arg) for arg in node.args]
        match node.op:
            case "add":
                return " + ".join(args)
            case "mul":
                return " * ".join(args)
            case "neg":
                return f"-{args[0]}"
            case "inv":
                return f"1.0 / {args[0]}"
            case "pow":
                return f"np.power({args[0]}, {args[1]})" if self.kind == "numpy" else f"power({args[0]}, {args[1]})"
            case "max" | "min" if self.kind == "numpy":
                nested = args[0]
                for arg in args[1:]:
                    nested = f"np.{_NUMPY[node.op]}({nested}, {arg})"
                return nested
            case op if self.kind == "numpy":
                return f"np.{_NUMPY.get(op, op)}({', '.join(args)})"
            case "max" | "min" | "abs":
                return f"{node.op}({', '.join(args)})"
            case op:
                return f"m.{op}({', '.join(args)})"

    def _choice(self, node: Apply) -> str:
        text = self._expression(node.args[-1]) if len(node.args) % 2 else "nan"
        if self.kind == "numpy":
            for i in range((len(node.args) // 2) * 2 - 2, -1, -2):
                text = f"np.where({self._condition(node.args[i + 1])}, {self._expression(node.args[i])}, {text})"
            return text
        arm = self._lazily(node.args[-1]) if len(node.args) % 2 else "nan"
        for i in range((len(node.args) // 2) * 2 - 2, -1, -2):
            arm = f"({self._lazily(node.args[i])} if {self._condition(node.args[i + 1])} else {arm})"
        return arm

    def _lazily(self, node: Node) -> str:
        """An arm that must not be worked out unless it is chosen, since it may be undefined elsewhere."""
        if not isinstance(node, Apply):
            return self._expression(node)
        inner = _Writer(self.library, self.made, self.names, self.kind)
        inner.variables = self.variables
        return f"({inner.inline(node)})"

    def inline(self, node: Node) -> str:
        """An expression in one piece, without lines of its own."""
        if not isinstance(node, Apply):
            return self._expression(node)
        self.written = {}
        self._line = lambda text: f"({text})"  # type: ignore[method-assign]
        return self._applied(node)

    def _condition(self, node: Node) -> str:
        assert isinstance(node, Apply)
        if node.op == "true":
            return "True"
        if node.op in _SIGNS:
            left, right = (self._expression(arg) for arg in node.args)
            if node.op == "ne" and self.kind == "numpy":  # NaN differs from all, and is no answer
                return f"(({left} < {right}) | ({left} > {right}))"
            return f"({left} {_SIGNS[node.op]} {right})"
        parts = [self._condition(arg) for arg in node.args]
        if node.op == "not":
            return f"np.logical_not({parts[0]})" if self.kind == "numpy" else f"(not {parts[0]})"
        joint = {"and": " & ", "or": " | "}[node.op] if self.kind == "numpy" else f" {node.op} "
        return f"({joint.join(parts)})"


def _power(base: float, exponent: float) -> float:
    result = base**exponent
    return result if isinstance(result, float) else math.nan


def _solver(library: Library, block: Block, inputs: Sequence[str], kind: str) -> Callable[..., Any]:
    """The block's only admissible solution at each point, or NaN."""
    from derive.blocks import solve_block

    equations = [library.relations[name].written for name in block.relations]
    domains = {name: library.quantities[name].domain for name in block.unknowns}

    def at(*numbers: float) -> tuple[float, ...]:
        known = dict(zip(inputs, map(float, numbers), strict=True))
        if any(number != number for number in known.values()):
            return (math.nan,) * len(block.unknowns)
        solutions = solve_block(equations, block.unknowns, known, domains).solutions
        if len(solutions) != 1 or solutions[0].spans:
            return (math.nan,) * len(block.unknowns)
        return tuple(solutions[0].values[name] for name in block.unknowns)

    if kind != "numpy":
        return at
    import numpy

    return numpy.vectorize(at, otypes=[float] * len(block.unknowns)) if len(block.unknowns) > 1 else _single(at)


def _single(at: Callable[..., tuple[float, ...]]) -> Callable[..., Any]:
    import numpy

    inner = numpy.vectorize(lambda *numbers: at(*numbers)[0], otypes=[float])
    return lambda *numbers: (inner(*numbers),)
