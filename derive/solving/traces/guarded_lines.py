"""The guarded lines of a trace: Python that computes a solved question again, and guards that end it.

Nothing here is compiled for a user; that is `kernels`. These lines answer one question again with other numbers, as
exactly as the solver: in rationals wherever the relations are rational. A relation that is solved for its unknown in
one way only, whatever the numbers, is one line. Any other block is a call of the solver, with what it needs.

A guard is a line with a test of what was decided as the question was solved: that a number lies in its domain, that a
condition has its truth, that the sides of a relation agree. Where a test fails, the guard raises `GuardFailed`: the
solver might go another way there, and what the lines compute is not the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, count
from typing import Any, NamedTuple

from flint import fmpq

from derive.errors import DeriveError
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Equation, Name, Node, Number, cases, has_operation, names_in, operations
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds
from derive.numerics.algebra.isolation import Candidate, isolate
from derive.numerics.algebra.like_terms import occurrences
from derive.planning.plan import Block
from derive.solving.blocks.closed_forms import divisors_beside, lost_divisors
from derive.solving.blocks.substitution import expressed
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.checks import checked
from derive.solving.traces.range_motions import NotTraceable, RangeMotions
from derive.time_limits import query
from derive.tolerances import TIGHT
from quantities.rational import Rational, exact_of

_MOST_EXPONENT = 64  # limit on whole exponents
_MOST_WIDTH = 1000  # limit on numbers that are multiplied or added up in one line
_MOST_BITS = 1000  # limit on bits of a numerator or a denominator, which the next lines may make longer
_LEAST, _MOST = fmpq(1, 10**300), fmpq(10**300)
"""Between these, a number is a double, and has all its digits."""
_RATIONAL_STEPS = frozenset({"add", "mul", "neg", "inv"})
_IN_PARTS = frozenset(name for name, entry in TABLE.items() if not entry.is_everywhere)
"""The functions that are defined in a part of the numbers only."""
_VARIABLES = re.compile(r"\bv[0-9]+\b")


class GuardFailed(Exception):  # noqa: N818  # no error: the solver is asked
    """The numbers of a question are not of the kind for which the guarded lines of its trace were written."""


def as_rational(number: float) -> Any:
    """The exact rational that a double rounds, as guarded lines take it; the double itself if no rational is known."""
    exact = exact_of(number)
    return number if exact is None else fmpq(exact.numerator, exact.denominator)


def as_float(number: Any) -> float:
    """The double nearest to a number that guarded lines have computed."""
    return number if isinstance(number, float) else Rational(Fraction(int(number.p), int(number.q)))


class _Test(NamedTuple):
    """A test of a guard as text, and whether it holds all over the ranges if it does so at their ends."""

    text: str
    is_decided_at_ends: bool


class _ExactCase(NamedTuple):
    """One form that an unknown of the guarded lines may have, as a tree and as text, with tests of when it holds."""

    form: Node
    text: str
    tests: tuple[_Test, ...]
    divisors: tuple[Node, ...]


class _OneUnknown(NamedTuple):
    """A block for guarded lines, reduced to one unknown: the candidates for it, and the forms of the others in it."""

    name: str
    candidates: tuple[Candidate, ...]
    forms: Mapping[str, Node]
    conditions: tuple[Node, ...]  # of these forms


class GuardedLines:
    """Writes guarded lines; each has a variable of its own, and equal expressions share one."""

    def __init__(self, library: RelationSet, hints: Mapping[str, float]) -> None:
        """Begin without guarded lines, in a namespace with the names that their text may use."""
        self.library = library
        self.hints = hints
        self.text: list[str] = []
        self.namespace: dict[str, Any] = {
            "fmpq": fmpq,
            "GuardFailed": GuardFailed,
            "as_rational": as_rational,
            "LEAST": _LEAST,
            "MOST": _MOST,
        }
        self.motions = RangeMotions(library)
        self._shared: dict[Any, tuple[str, ...]] = {}  # variables, by the constant, line or block that they stand for
        self._numbers: dict[str, Any] = {}  # of variables, as the question was asked
        self._counter = count()

    def argument(self, name: str, number: Any, *, is_ranged: bool, is_weak: bool = False) -> str:
        """A variable of the guarded lines for a given, whose number as the question was asked is recorded."""
        variable = self._variable(number)
        if is_ranged:
            self.motions.add_range(variable, name, is_weak=is_weak)
        return variable

    def constant(self, number: float) -> str:
        """A variable of the guarded lines for a number that is the same whenever they are run."""
        return self._constant(as_rational(number))

    def recorded_number(self, variable: str) -> float:
        """The number that a variable of the guarded lines had as the question was asked."""
        return as_float(self._numbers[variable])

    def is_used(self, variable: str) -> bool:
        """Whether one of the guarded lines has a variable in it."""
        return any(variable in _VARIABLES.findall(line) for line in self.text)

    def write_blocks(self, blocks: Iterable[Block], scope: dict[str, str]) -> None:
        """Write the guarded lines that solve some blocks, and put the variables of their unknowns into the scope."""
        for block in blocks:
            members = self.library.held_by(block.relations)
            needs = [name for name in members if name not in block.unknowns and name in scope]
            key = (block, tuple(scope[name] for name in needs))
            if key not in self._shared:
                exact = self._isolated(block, scope) or self._solved_by_cases(block, scope)
                self._shared[key] = exact or self._solver_call(block, needs, scope)
            scope.update(zip(block.unknowns, self._shared[key], strict=True))

    def guard_condition(self, condition: Node, truth: bool | None, scope: Mapping[str, str]) -> None:
        """Write a guard of the truth that a condition on known numbers had; None if it was undefined."""
        names = names_in(condition)
        text = self._exact_text(condition, scope) if truth is not None else None
        if text is None:
            text = self._call_text(lambda values: holds(condition, values), names, scope)
            self._guard(f"({text}) is {truth}")
        else:
            self._guard(text if truth else f"not {text}")

    def guard_relation(self, relation: str, scope: Mapping[str, str]) -> None:
        """Write a guard that a relation between known numbers holds, to the last digits."""
        tested = self.library.relations[relation]
        written = tested.written
        sides = [self._exact_text(side, scope) for side in (written.lhs, written.rhs)]
        if None in sides:
            names = names_in(written.lhs, written.rhs)
            self._guard(self._call_text(lambda values: checked(tested, values, {}, {}).passed, names, scope))
        elif written.op == "=":
            left, right = (self._line(str(side)) for side in sides)
            slack = self._constant(as_rational(Rational(Fraction(TIGHT))))
            self._guard(f"{left} == {right} or abs({left} - {right}) <= {slack}*(abs({left}) + abs({right}))")
        else:
            self._guard(f"{sides[0]} {written.op} {sides[1]}")

    def guard_number(self, name: str, number: float, scope: Mapping[str, str]) -> None:
        """Write a guard that a known quantity has a number, to the last digits."""
        self._guard(self._call_text(lambda values: math.isclose(values[name], number, rel_tol=TIGHT), [name], scope))

    def compiled(self, arguments: Sequence[str], result: str) -> Callable[..., Any]:
        """The guarded lines as a Python function of some arguments, which returns the number of a variable."""
        lines = [f"def run({', '.join(arguments)}):", *(f"    {line}" for line in self.text), f"    return {result}"]
        exec(compile("\n".join(lines), "<derive>", "exec"), self.namespace)
        run: Callable[..., Any] = self.namespace["run"]
        return run

    def _isolated(self, block: Block, scope: Mapping[str, str]) -> tuple[str, ...]:
        """The variable of an unknown that one guarded line gives exactly, in one way only; none if no line does."""
        if len(block.unknowns) > 1 or len(block.relations) > 1:
            return ()
        (unknown,), (relation,) = block.unknowns, block.relations
        written = self.library.relations[relation].written
        form = _only_form(written, unknown)
        text = None if form is None else self._exact_text(form, scope)
        if text is None:
            return ()
        assert form is not None
        variable = self._unknown(unknown, form, text, scope)
        divisors = divisors_beside(self.library, [written], [form])
        if Name(unknown) not in written.sides:
            divisors += lost_divisors(self.library, isolate(written, unknown) or ())
        self._guard_divisors(divisors, {**scope, unknown: variable})
        return (variable,)

    def _solved_by_cases(self, block: Block, scope: Mapping[str, str]) -> tuple[str, ...]:
        """Write guarded lines that solve a block by its one case that holds; variables, or none without that case.

        All unknowns but one are expressed in that one, in one way. An equation then gives it, case by case: `t = max(a,
        b/x)` has `b/t` where `a < t`. At other numbers the same case has to hold, and no other. No comparison may be a
        tie: an arm without the unknown might then leave it a whole interval.
        """
        equations = [self.library.relations[name].written for name in block.relations]
        if any(_may_be_undefined(equation, block.unknowns) for equation in equations):
            return ()
        reduced = _in_one_unknown([self._without_choice(equation, scope) for equation in equations], block.unknowns)
        if reduced is None:
            return ()
        trial = {**scope, **dict.fromkeys(block.unknowns, "v")}
        divisors = divisors_beside(self.library, equations, reduced.forms.values())
        if any(self._exact_text(form, trial) is None for form in (*reduced.forms.values(), *divisors)):
            return ()
        case = self._guarded_case(reduced, scope)
        if case is None:
            return ()
        variables = {reduced.name: self._unknown(reduced.name, case.form, case.text, scope)}
        for name, form in reduced.forms.items():
            text = self._exact_text(form, {**scope, **variables})
            assert text is not None
            variables[name] = self._unknown(name, form, text, {**scope, **variables})
        for condition in reduced.conditions:
            self.guard_condition(condition, True, {**scope, **variables})
        self._guard_divisors((*divisors, *case.divisors), {**scope, **variables})
        return tuple(variables[name] for name in block.unknowns)

    def _guard_divisors(self, divisors: Iterable[Node], scope: Mapping[str, str]) -> None:
        """Guard the lines against divisors that are zero: `a = x/b` has no x where b is, and `a*x = a*b` has any."""
        for divisor in divisors:
            text = self._exact_text(divisor, scope)
            if text is None:
                raise NotTraceable
            self._guard(f"{text} != 0")

    def _guarded_case(self, reduced: _OneUnknown, scope: Mapping[str, str]) -> _ExactCase | None:
        """The only candidate whose tests hold as the question was asked, with guards of them; None without one."""
        try:
            tried = [self._exact_case(candidate, reduced.name, scope) for candidate in reduced.candidates]
            cases = [case for case in tried if case is not None]
            failed = [[test for test in case.tests if not self._evaluated(test.text)] for case in cases]
        except NotTraceable:
            return None
        holding = [case for case, tests in zip(cases, failed, strict=True) if not tests]
        if len(cases) < len(tried) or len(holding) != 1:
            return None
        for test in holding[0].tests:
            self._guard(test.text, is_steady=not test.is_decided_at_ends)
        for test in (tests[0] for tests in failed if tests):  # one that fails is enough to exclude its case
            self._guard(f"not ({test.text})", is_steady=not test.is_decided_at_ends)
        return holding[0]

    def _exact_case(self, candidate: Candidate, name: str, scope: Mapping[str, str]) -> _ExactCase | None:
        """A candidate as the text of a guarded line, with tests for its guards; None if it is not rational."""
        text = self._exact_text(candidate.form, scope)
        if text is None:
            return None
        number = self._line(text)
        self._add_motion(number, candidate.form, scope)
        scope_with_unknown = {**scope, name: number}
        tests = []
        for condition in chain.from_iterable(map(_conjuncts, map(_strict, candidate.conditions))):
            compared = self._exact_text(condition, scope_with_unknown)
            if compared is None:
                return None
            tests.append(_Test(compared, self.motions.is_decided_at_ends(condition, scope_with_unknown)))
        is_extreme = self.motions.of(candidate.form, scope).is_extreme_at_ends
        tests += [_Test(inside, is_extreme) for inside in self._tests_of_domain(number, name)]
        return _ExactCase(candidate.form, text, tuple(tests), tuple(lost_divisors(self.library, [candidate])))

    def _without_choice(self, equation: Equation, scope: Mapping[str, str]) -> Equation:
        """An equation for guarded lines with the arm that known numbers choose in the place of each choice."""
        if not has_operation(*equation.sides, among=("piecewise",)):
            return equation
        left = self._with_chosen_arms(equation.lhs, scope)
        return Equation(left, equation.op, self._with_chosen_arms(equation.rhs, scope))

    def _with_chosen_arms(self, node: Node, scope: Mapping[str, str]) -> Node:
        """An expression for guarded lines with the arms that known numbers choose, and with guards of the choice."""
        if not isinstance(node, Apply):
            return node
        if node.op != "piecewise":
            return Apply(node.op, tuple(self._with_chosen_arms(arg, scope) for arg in node.args), node.at)
        for arm, condition in cases(node):
            if condition is None:
                return self._with_chosen_arms(arm, scope)
            text = self._exact_text(condition, scope) if scope.keys() >= {*names_in(condition)} else None
            if text is None:
                return node
            if self._evaluated(text):
                self._guard(text)
                return self._with_chosen_arms(arm, scope)
            self._guard(f"not {text}")
        return node

    def _unknown(self, unknown: str, form: Node, text: str, scope: Mapping[str, str]) -> str:
        """Write the guarded line for a block's unknown, with guards of its domain and size, and return its variable."""
        variable = self._line(text)
        self._add_motion(variable, form, scope)
        self._guard(f"{variable}.height_bits() <= {_MOST_BITS}", is_steady=False)
        domain = self.library.declared[unknown].domain
        if domain.low == 0 and domain.open_low:
            self._guard(f"LEAST < {variable} < {self._end(domain.high) or 'MOST'}", is_steady=False)
            return variable
        self._guard(f"LEAST < abs({variable}) < MOST or {variable} == 0", is_steady=False)
        for inside in self._tests_of_domain(variable, unknown):
            self._guard(inside, is_steady=False)
        return variable

    def _tests_of_domain(self, variable: str, name: str) -> Iterator[str]:
        """The tests that guard the domain of a quantity, as text on its variable."""
        domain = self.library.declared[name].domain
        if low := self._end(domain.low):
            comparison = ">" if domain.open_low else ">="
            yield f"{variable} {comparison} {low}"
        if high := self._end(domain.high):
            yield f"{variable} <= {high}"

    def _end(self, end: float) -> str:
        """A constant of the guarded lines for the end of a domain; empty if that end is infinite."""
        if abs(end) == float("inf"):
            return ""
        exact = exact_of(end)
        return self._constant(as_rational(Rational(Fraction(end) if exact is None else exact)))

    def _solver_call(self, block: Block, needs: Sequence[str], scope: Mapping[str, str]) -> tuple[str, ...]:
        """The variables of a block's unknowns, which a guarded line asks the solver for."""

        def solved(values: Mapping[str, float]) -> tuple[float, ...]:
            with query():
                states, _ = block_states(self.library, block, State(values, hints=self.hints))
            if len(states) != 1 or states[0].spans or states[0].notes:
                raise GuardFailed
            return tuple(states[0].values[name] for name in block.unknowns)

        if any(not self.library.relations[relation].is_equation for relation in block.relations):
            raise NotTraceable
        result = self._call_text(solved, needs, scope)
        self.motions.require_steady(_VARIABLES.findall(result))
        numbers = [as_rational(number) for number in self._evaluated(result)]
        if self._is_constant(result):
            return tuple(map(self._constant, numbers))
        variables = tuple(map(self._variable, numbers))
        types = ", ".join("float" if isinstance(number, float) else "fmpq" for number in numbers)
        self.text.append(f"{', '.join(variables)}, = found = tuple(map(as_rational, {result}))")
        self.text.append(f"if tuple(map(type, found)) != ({types},): raise GuardFailed")
        return variables

    def _call_text(
        self, function: Callable[[Mapping[str, float]], Any], names: Sequence[str], scope: Mapping[str, str]
    ) -> str:
        """The text of a call in a guarded line, which hands the doubles of some names to a function."""

        def call(*numbers: Any) -> Any:
            return function({name: as_float(number) for name, number in zip(names, numbers, strict=True)})

        called = f"call{next(self._counter)}"
        self.namespace[called] = call
        return f"{called}({', '.join(scope[name] for name in names)})"

    def _line(self, text: str) -> str:
        """A variable for an exact expression, by a new guarded line or an equal one before."""
        if self._is_constant(text):
            return self._constant(self._evaluated(text))
        variables = self._shared.get(text)
        if variables is None:
            variable = self._variable(self._evaluated(text))
            self.text.append(f"{variable} = {text}")
            variables = self._shared[text] = (variable,)
        return variables[0]

    def _guard(self, test: str, *, is_steady: bool = True) -> None:
        """Write a guard with a test that holds as the question was asked; a steady one holds all over the ranges."""
        if not self._evaluated(test):
            raise NotTraceable
        if is_steady:
            self.motions.require_steady(_VARIABLES.findall(test))
        line = f"if not ({test}): raise GuardFailed"
        if not self._is_constant(test) and line not in self.text:
            self.text.append(line)

    def _add_motion(self, variable: str, form: Node, scope: Mapping[str, str]) -> None:
        """Note how ranges move the variable of a guarded line by the form that it computes, if it is no constant."""
        if variable not in self.namespace:
            self.motions.add(variable, form, scope)

    def _is_constant(self, text: str) -> bool:
        """Whether the text of a guarded line has no variables but constants, so that its value never changes."""
        return all(variable in self.namespace for variable in _VARIABLES.findall(text))

    def _evaluated(self, text: str) -> Any:
        """The value that the text of a guarded line has at the numbers with which the question was asked."""
        try:
            return eval(text, {**self.namespace, **self._numbers})
        except (GuardFailed, ArithmeticError, DeriveError):
            raise NotTraceable from None

    def _variable(self, number: Any) -> str:
        """A new variable of the guarded lines, which had this number as the question was asked."""
        variable = f"v{next(self._counter)}"
        self._numbers[variable] = number
        return variable

    def _constant(self, number: Any) -> str:
        key = ("constant", number.__class__, str(number))
        if key not in self._shared:
            variable = self._variable(number)
            self.namespace[variable] = number
            self._shared[key] = (variable,)
        return self._shared[key][0]

    def _exact_text(self, node: Node, scope: Mapping[str, str]) -> str | None:
        """The text of an expression for a guarded line; None if it is not rational, is too long, or holds a double."""
        width = _WIDTH.attempt(node, lambda _: 1)
        if width is None or width > _MOST_WIDTH:
            return None

        def variable_of(name: str) -> str:
            if isinstance(self._numbers.get(scope[name]), float):
                raise NoElement
            return scope[name]

        rational = Arithmetic(number=self._literal, operations=_TEXTS, forms={"pow": _power, "piecewise": _choice_text})
        return rational.attempt(node, variable_of)

    def _literal(self, number: Number) -> str:
        return self._constant(as_rational(Rational(Fraction(number.value))))


def _only_form(equation: Equation, unknown: str) -> Node | None:
    """The only form by which a guarded line may give an unknown, whatever the numbers; None if there is no such form.

    Where it divides by zero, the unknown may be anything, and there is no number.
    """
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if side == Name(unknown) and not occurrences(other, unknown):
            return other
    if occurrences(equation.lhs, unknown) + occurrences(equation.rhs, unknown) != 1:
        return None
    node = equation.lhs if occurrences(equation.lhs, unknown) else equation.rhs
    while isinstance(node, Apply):
        if node.op not in _RATIONAL_STEPS:
            return None
        (node,) = (arg for arg in node.args if occurrences(arg, unknown))
    candidates = isolate(equation, unknown) or ()
    return candidates[0].form if len(candidates) == 1 else None


def _in_one_unknown(equations: Sequence[Equation], unknowns: Sequence[str]) -> _OneUnknown | None:
    """Reduce a block for guarded lines to one unknown, if one way leads to the others; None if several do."""
    for name in unknowns:
        branches = expressed(equations, unknowns, name)
        if len(branches) != 1 or branches[0].lost or branches[0].powers:
            continue
        (branch,) = branches
        (equation,) = branch.left
        if has_operation(*equation.sides, among=("piecewise",)):
            continue  # an arm without the unknown would have to be excluded as well
        candidates = isolate(equation, name) or ()
        needed = {*names_in(*(candidate.form for candidate in candidates))}
        needed |= {*names_in(*chain.from_iterable(candidate.conditions for candidate in candidates))} - {name}
        is_plain = not any(candidate.winds or candidate.powers for candidate in candidates)
        if candidates and is_plain and needed.isdisjoint(unknowns):
            return _OneUnknown(name, candidates, branch.forms, branch.conditions)
    return None


def _may_be_undefined(equation: Equation, unknowns: Sequence[str]) -> bool:
    """Whether a function of known numbers may be undefined, which guarded lines do not see where it cancels.

    `sqrt(a)**2` is a, and has no value where a is negative.
    """
    parts = operations(*equation.sides, among=_IN_PARTS)
    powers = (part for part in operations(*equation.sides, among=("pow",)) if not _is_everywhere(part))
    names_of_each = map(names_in, chain(parts, powers))
    return any(names and names.isdisjoint(unknowns) for names in map(frozenset, names_of_each))


def _is_everywhere(power: Apply) -> bool:
    """Whether a power has a value for any base, so that guarded lines may leave it out: its exponent is whole."""
    exponent = power.args[1]
    return isinstance(exponent, Number) and exponent.value >= 0 and exponent.value.denominator == 1


def _strict(condition: Node) -> Node:
    """A condition for a guarded line without the ties of its comparisons: `x <= 2` becomes `x < 2`."""
    if isinstance(condition, Apply) and condition.op in ("and", "or"):
        return Apply(condition.op, tuple(map(_strict, condition.args)))
    if isinstance(condition, Apply) and condition.op in ("le", "ge"):
        return Apply("lt" if condition.op == "le" else "gt", condition.args)
    return condition


def _conjuncts(condition: Node) -> Iterator[Node]:
    """The conditions that have to hold together, each of which becomes a guard of its own."""
    if isinstance(condition, Apply) and condition.op == "and":
        for part in condition.args:
            yield from _conjuncts(part)
    else:
        yield condition


def _power(node: Apply, part: Fold) -> str:
    return f"({part(node.args[0])}**{_whole_exponent(node)})"


def _whole_exponent(node: Apply) -> int:
    """The exponent of a power in a guarded line, if it is whole and not too large; else there is no exact text."""
    exponent = node.args[1]
    if not isinstance(exponent, Number) or exponent.value.denominator != 1 or abs(exponent.value) > _MOST_EXPONENT:
        raise NoElement
    return int(exponent.value)


_WIDTH: Arithmetic[int] = Arithmetic(
    number=lambda _: 1,
    operations={},
    forms={"pow": lambda node, part: part(node.args[0]) * abs(_whole_exponent(node))},
    otherwise=lambda node, part: sum(map(part, node.args)),
)
"""How many times as many bits as its longest number an expression may have: powers of powers multiply up."""


def _choice_text(node: Apply, part: Fold) -> str:
    """The text of a choice in a guarded line; it has none unless its last arm is unconditional."""
    arms = list(cases(node))
    if not arms or arms[-1][1] is not None:
        raise NoElement
    last, _ = arms[-1]
    text: str = part(last)
    for arm, condition in reversed(arms[:-1]):
        assert condition is not None
        text = f"({part(arm)} if {part(condition)} else {text})"
    return text


def _joined_by(sign: str) -> Callable[..., str]:
    return lambda *args: f"({f' {sign} '.join(args)})"


_TEXTS: dict[str, Callable[..., str]] = {
    "add": _joined_by("+"),
    "mul": _joined_by("*"),
    "neg": "(-{})".format,
    "inv": "(1/{})".format,
    "abs": "abs({})".format,
    "max": lambda *args: f"max({', '.join(args)})",
    "min": lambda *args: f"min({', '.join(args)})",
    "floor": "fmpq({}.floor())".format,
    "ceil": "fmpq({}.ceil())".format,
    "lt": _joined_by("<"),
    "le": _joined_by("<="),
    "gt": _joined_by(">"),
    "ge": _joined_by(">="),
    "eq": _joined_by("=="),
    "ne": _joined_by("!="),
    "true": lambda: "True",
    "and": _joined_by("and"),
    "or": _joined_by("or"),
    "not": "(not {})".format,
}
