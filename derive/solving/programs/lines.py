"""Lines of Python for the numbers of a plan, in exact rationals wherever its relations are rational.

A relation that is solved for its unknown in one way only, whatever the numbers, is one line. Any other block is a call
of the solver, with the numbers that it needs. A line that must not be passed raises `Elsewhere`: a number leaves its
domain, a condition changes its truth, the two sides of a test come apart. What such lines say is then not the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, count
from typing import Any, NamedTuple

from flint import fmpq

from derive.errors import DeriveError
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Equation, Name, Node, Number, cases, names_in, operations
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds
from derive.numerics.algebra.isolation import Candidate, isolate
from derive.numerics.algebra.like_terms import added, negated, occurrences
from derive.planning.plan import Block
from derive.solving.blocks.substitution import expressed
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.checks import checked
from derive.time_limits import query
from derive.tolerances import TIGHT
from quantities.rational import Rational, exact_of

_STEEPEST = 64  # limit on whole exponents
_WIDEST = 1000  # numbers that are multiplied or added up in one line
_LONGEST = 1000  # bits of a numerator or a denominator, which the next lines may make longer
_LEAST, _MOST = fmpq(1, 10**300), fmpq(10**300)
"""Between these, a number is a double, and has all its digits."""
_ONE_WAY = frozenset({"add", "mul", "neg", "inv", "pow", "max", "min", "floor", "ceil"})
_ORDERS = frozenset({"lt", "le", "gt", "ge"})
_RATIONAL_STEPS = frozenset({"add", "mul", "neg", "inv"})
_VARIABLES = re.compile(r"\bv[0-9]+\b")


class Elsewhere(Exception):  # noqa: N818  # no error: the solver is asked
    """The numbers are not of the kind for which the lines were written."""


class Unwritten(Exception):  # noqa: N818  # no error: there is no program
    """A plan, or what was decided beside it, cannot be written as lines."""


def as_rational(number: float) -> Any:
    """The exact rational that a double rounds, for a program's lines; the double itself if no rational is known."""
    exact = exact_of(number)
    return number if exact is None else fmpq(exact.numerator, exact.denominator)


def as_float(number: Any) -> float:
    """The double nearest to a number that a program has computed."""
    return number if isinstance(number, float) else Rational(Fraction(int(number.p), int(number.q)))


class _Test(NamedTuple):
    """A comparison in a program as text, and whether it holds all over the ranges if it does so at their ends."""

    text: str
    is_decided_at_ends: bool


class _Motion(NamedTuple):
    """How ranges move a number of a program: its degree as a polynomial in each, and whether it may turn.

    The degree is infinite where the number is no polynomial. It may turn if some ranges may move it back and forth.
    """

    degrees: Mapping[str, float]
    may_turn: bool = False

    @property
    def is_extreme_at_ends(self) -> bool:
        """Whether a program's number is extreme where ranges end: it never turns, or is linear in each range."""
        return not self.may_turn or max(self.degrees.values(), default=0) <= 1


class _ExactCase(NamedTuple):
    """One of the forms that an unknown may have in a program, as a tree and as text, with tests of when it holds."""

    form: Node
    text: str
    tests: tuple[_Test, ...]


class _InOneUnknown(NamedTuple):
    """Simultaneous equations in one of their unknowns: its candidates, and the others expressed in it."""

    name: str
    candidates: tuple[Candidate, ...]
    forms: Mapping[str, Node]


class Lines:
    """Lines that are being written; each names a number by a variable, and equal blocks of equal numbers share one."""

    def __init__(self, library: RelationSet, hints: Mapping[str, float]) -> None:
        """Start a program without lines, and with the names that its text may use."""
        self.library = library
        self.hints = hints
        self.text: list[str] = []
        self.space: dict[str, Any] = {
            "fmpq": fmpq,
            "Elsewhere": Elsewhere,
            "as_rational": as_rational,
            "LEAST": _LEAST,
            "MOST": _MOST,
        }
        self._shared: dict[Any, tuple[str, ...]] = {}
        self._doubles: set[str] = set()  # the variables whose numbers are doubles
        self._demanded: set[str] = set()
        self._now: dict[str, Any] = {}  # the numbers of variables that are not constants, as the question was asked
        self._motions: dict[str, _Motion] = {}  # of the variables that ranges move
        self._weak: set[str] = set()  # the names of ranges that nobody typed: in their middle a question has its number
        self._is_steady = True  # whether no test comes out otherwise elsewhere in those
        self._names = count()

    def argument(self, name: str, number: Any, *, is_ranged: bool, is_weak: bool = False) -> str:
        """A variable of the program for a given, with its number as the question is asked; of a range, the middle."""
        variable = self._variable(number)
        if is_ranged:
            self._motions[variable] = _Motion({name: 1})
        if is_weak:
            self._weak.add(name)
        return variable

    def constant(self, number: float) -> str:
        """A variable of the program for a number that is the same whenever the program is run."""
        return self._constant(as_rational(number))

    def number(self, variable: str) -> float:
        """The number of a program's variable, as the question was asked."""
        return as_float(self._now[variable])

    def is_extreme_at_ends(self, variable: str) -> bool:
        """Whether ranges move a variable of the program, and its extremes lie where the ranges end."""
        motion = self._motions.get(variable)
        return self._is_steady and motion is not None and motion.is_extreme_at_ends

    def is_used(self, variable: str) -> bool:
        """Whether a line of the program has a variable in it."""
        return any(variable in _VARIABLES.findall(line) for line in self.text)

    def block(self, block: Block, scope: dict[str, str]) -> None:
        """Write the program's lines for a block, and put the variables of its unknowns into the scope."""
        members = dict.fromkeys(chain.from_iterable(self.library.members[name] for name in block.relations))
        needs = [name for name in members if name not in block.unknowns and name in scope]
        key = (block, tuple(scope[name] for name in needs))
        if key not in self._shared:
            exact = self._one_line(block, scope) or self._lines_by_cases(block, scope)
            self._shared[key] = exact or self._solver_call(block, needs, scope)
        scope.update(zip(block.unknowns, self._shared[key], strict=True))

    def demand_condition(self, condition: Node, truth: bool | None, scope: Mapping[str, str]) -> None:
        """Write a line that demands of a condition on known numbers to come out as it did.

        It came out true, false, or None where it is undefined.
        """
        names = names_in(condition)
        text = self._exact_text(condition, scope) if truth is not None else None
        if text is None:
            text = self._call_text(lambda values: holds(condition, values), names, scope)
            self._demand(f"({text}) is {truth}")
        else:
            self._demand(text if truth else f"not {text}")

    def demand_test(self, relation: str, scope: Mapping[str, str]) -> None:
        """Write a line that demands of a relation to hold between known numbers, to the last digits."""
        tested = self.library.relations[relation]
        written = tested.written
        sides = [self._exact_text(side, scope) for side in (written.lhs, written.rhs)]
        if None in sides:
            names = names_in(written.lhs, written.rhs)
            self._demand(self._call_text(lambda values: checked(tested, values, {}, {}).passed, names, scope))
        elif written.op == "=":
            left, right = (self._line(str(side)) for side in sides)
            slack = self._constant(as_rational(Rational(Fraction(TIGHT))))
            self._demand(f"{left} == {right} or abs({left} - {right}) <= {slack}*(abs({left}) + abs({right}))")
        else:
            self._demand(f"{sides[0]} {written.op} {sides[1]}")

    def function(self, arguments: Sequence[str], result: str) -> Callable[..., Any]:
        """Compile the lines to the program's function of some arguments, which returns a variable."""
        lines = [f"def run({', '.join(arguments)}):", *(f"    {line}" for line in self.text), f"    return {result}"]
        exec(compile("\n".join(lines), "<derive>", "exec"), self.space)
        run: Callable[..., Any] = self.space["run"]
        return run

    def _one_line(self, block: Block, scope: Mapping[str, str]) -> tuple[str, ...]:
        """The variable of an unknown that one line gives exactly, in one way only; none if there is no such line."""
        if len(block.unknowns) > 1 or len(block.relations) > 1:
            return ()
        (unknown,), (relation,) = block.unknowns, block.relations
        form = _only_form(self.library.relations[relation].written, unknown)
        text = None if form is None else self._exact_text(form, scope)
        if text is None:
            return ()
        assert form is not None
        return (self._number_of(unknown, form, text, scope),)

    def _lines_by_cases(self, block: Block, scope: Mapping[str, str]) -> tuple[str, ...]:
        """The variables of unknowns whose lines are exact in the one case that holds now; none if that is not so.

        All unknowns but one are expressed in that one, in one way. An equation then gives it, case by case: `t = max(a,
        b/x)` has `b/t` where `a < t`. At other numbers the same case has to hold, and no other. No comparison may be a
        tie: an arm without the unknown might then leave it a whole interval.
        """
        equations = [self.library.relations[name].written for name in block.relations]
        reduced = _in_one_unknown([self._without_choices(equation, scope) for equation in equations], block.unknowns)
        if reduced is None:
            return ()
        trial = {**scope, **dict.fromkeys(block.unknowns, "v")}
        if any(self._exact_text(form, trial) is None for form in reduced.forms.values()):
            return ()
        try:
            tried = [self._case(candidate, reduced.name, scope) for candidate in reduced.candidates]
            cases = [case for case in tried if case is not None]
            failed = [[test for test in case.tests if not self._evaluated(test.text)] for case in cases]
        except Unwritten:
            return ()
        holding = [case for case, tests in zip(cases, failed, strict=True) if not tests]
        if len(cases) < len(tried) or len(holding) != 1:
            return ()
        (case,) = holding
        for test in case.tests:
            self._demand(test.text, is_steady=not test.is_decided_at_ends)
        for test in (tests[0] for tests in failed if tests):  # one that fails is enough to exclude its case
            self._demand(f"not ({test.text})", is_steady=not test.is_decided_at_ends)
        variables = {reduced.name: self._number_of(reduced.name, case.form, case.text, scope)}
        for name, form in reduced.forms.items():
            text = self._exact_text(form, {**scope, **variables})
            assert text is not None
            variables[name] = self._number_of(name, form, text, {**scope, **variables})
        return tuple(variables[name] for name in block.unknowns)

    def _case(self, candidate: Candidate, name: str, scope: Mapping[str, str]) -> _ExactCase | None:
        """A candidate for an unknown as the text of a line, with its tests; None if it is not rational."""
        text = self._exact_text(candidate.form, scope)
        if text is None:
            return None
        number = self._line(text)
        self._note_motion(number, candidate.form, scope)
        scope_with_unknown = {**scope, name: number}
        tests = []
        for condition in chain.from_iterable(map(_conjuncts, map(_strict, candidate.conditions))):
            compared = self._exact_text(condition, scope_with_unknown)
            if compared is None:
                return None
            tests.append(_Test(compared, self._is_decided_at_ends(condition, scope_with_unknown)))
        is_extreme = self._motion(candidate.form, scope).is_extreme_at_ends
        tests += [_Test(inside, is_extreme) for inside in self._tests_of_domain(number, name)]
        return _ExactCase(candidate.form, text, tuple(tests))

    def _without_choices(self, equation: Equation, scope: Mapping[str, str]) -> Equation:
        """An equation for the lines of a program, with the arm that known numbers choose for each choice."""
        if not _has_choice(equation):
            return equation
        sides = (self._chosen(side, scope) for side in (equation.lhs, equation.rhs))
        return Equation(next(sides), equation.op, next(sides))

    def _chosen(self, node: Node, scope: Mapping[str, str]) -> Node:
        """An expression for a program's lines with the arms that known numbers choose, which lines demand again."""
        if not isinstance(node, Apply):
            return node
        if node.op != "piecewise":
            return Apply(node.op, tuple(self._chosen(arg, scope) for arg in node.args), node.at)
        for arm, condition in cases(node):
            if condition is None:
                return self._chosen(arm, scope)
            text = self._exact_text(condition, scope) if scope.keys() >= {*names_in(condition)} else None
            if text is None:
                return node
            if self._evaluated(text):
                self._demand(text)
                return self._chosen(arm, scope)
            self._demand(f"not {text}")
        return node

    def _number_of(self, unknown: str, form: Node, text: str, scope: Mapping[str, str]) -> str:
        """A variable for an unknown's exact expression, with lines that demand its domain and a bearable size."""
        variable = self._line(text)
        self._note_motion(variable, form, scope)
        self._demand(f"{variable}.height_bits() <= {_LONGEST}", is_steady=False)
        domain = self.library.declared[unknown].domain
        if domain.low == 0 and domain.open_low:
            self._demand(f"LEAST < {variable} < {self._end(domain.high) or 'MOST'}", is_steady=False)
            return variable
        self._demand(f"LEAST < abs({variable}) < MOST or {variable} == 0", is_steady=False)
        for inside in self._tests_of_domain(variable, unknown):
            self._demand(inside, is_steady=False)
        return variable

    def _tests_of_domain(self, variable: str, name: str) -> Iterator[str]:
        """The tests in a program that a number has to pass to lie in the domain of a quantity."""
        domain = self.library.declared[name].domain
        if low := self._end(domain.low):
            comparison = ">" if domain.open_low else ">="
            yield f"{variable} {comparison} {low}"
        if high := self._end(domain.high):
            yield f"{variable} <= {high}"

    def _end(self, end: float) -> str:
        """A constant of the program for the end of a domain; empty if that end is infinite."""
        if abs(end) == float("inf"):
            return ""
        exact = exact_of(end)
        return self._constant(as_rational(Rational(Fraction(end) if exact is None else exact)))

    def _solver_call(self, block: Block, needs: Sequence[str], scope: Mapping[str, str]) -> tuple[str, ...]:
        """The variables of a block's unknowns, which a line of the program has the solver find."""

        def solved(values: Mapping[str, float]) -> tuple[float, ...]:
            with query():
                states, _ = block_states(self.library, block, State(values, hints=self.hints))
            if len(states) != 1 or states[0].spans or states[0].notes:
                raise Elsewhere
            return tuple(states[0].values[name] for name in block.unknowns)

        if any(not self.library.relations[relation].is_equation for relation in block.relations):
            raise Unwritten
        result = self._call_text(solved, needs, scope)
        self._keep_steady(result)
        now = [as_rational(number) for number in self._evaluated(result)]
        if self._is_constant(result):
            return tuple(map(self._constant, now))
        variables = tuple(map(self._variable, now))
        types = ", ".join("float" if isinstance(number, float) else "fmpq" for number in now)
        self.text.append(f"{', '.join(variables)}, = found = tuple(map(as_rational, {result}))")
        self.text.append(f"if tuple(map(type, found)) != ({types},): raise Elsewhere")
        return variables

    def _call_text(
        self, function: Callable[[Mapping[str, float]], Any], names: Sequence[str], scope: Mapping[str, str]
    ) -> str:
        """The text of a call in a line of the program, with the doubles of some names."""

        def call(*numbers: Any) -> Any:
            return function({name: as_float(number) for name, number in zip(names, numbers, strict=True)})

        called = f"call{next(self._names)}"
        self.space[called] = call
        return f"{called}({', '.join(scope[name] for name in names)})"

    def _line(self, text: str) -> str:
        """A variable for an exact expression, by a new line of the program or an equal one before."""
        if self._is_constant(text):
            return self._constant(self._evaluated(text))
        variables = self._shared.get(text)
        if variables is None:
            variable = self._variable(self._evaluated(text))
            self.text.append(f"{variable} = {text}")
            variables = self._shared[text] = (variable,)
        return variables[0]

    def _demand(self, text: str, *, is_steady: bool = True) -> None:
        """Write a line with a test that numbers have to pass; a steady test comes out alike all over the ranges."""
        if not self._evaluated(text):
            raise Unwritten
        if is_steady:
            self._keep_steady(text)
        if not self._is_constant(text) and text not in self._demanded:
            self._demanded.add(text)
            self.text.append(f"if not ({text}): raise Elsewhere")

    def _keep_steady(self, text: str) -> None:
        """Make sure that ranges move no number in a line: if typed ones do, there is no program; else no bounds."""
        motions = [self._motions[variable] for variable in _VARIABLES.findall(text) if variable in self._motions]
        if any(not self._weak.issuperset(motion.degrees) for motion in motions):
            raise Unwritten
        if motions:
            self._is_steady = False

    def _note_motion(self, variable: str, form: Node, scope: Mapping[str, str]) -> None:
        """Note how ranges move a variable of the program, if they do."""
        motion = self._motion(form, scope)
        if motion.degrees and variable not in self.space:
            self._motions[variable] = motion

    def _motion(self, form: Node, scope: Mapping[str, str]) -> _Motion:
        """How ranges move an expression in a program: its degree in each of them, and whether it may turn."""
        moving = {name: self._motions[scope[name]] for name in names_in(form) if scope[name] in self._motions}
        ranges = [*chain.from_iterable(motion.degrees for motion in moving.values())]
        may_turn = (
            len(ranges) > len(set(ranges))
            or any(motion.may_turn for motion in moving.values())
            or not all(self._moves_one_way(form, name) for name in moving)
        )
        return _Motion(self._degrees_of(form, scope), may_turn)

    def _degrees_of(self, form: Node, scope: Mapping[str, str]) -> Mapping[str, float]:
        """The degree of a program's expression as a polynomial in each range that moves it, or infinity."""
        if isinstance(form, Name):
            motion = self._motions.get(scope[form.name])
            return {} if motion is None else motion.degrees
        if isinstance(form, Number):
            return {}
        degrees: dict[str, float] = {}
        for arg in form.args:
            for name, degree in self._degrees_of(arg, scope).items():
                before = degrees.get(name, 0)
                degrees[name] = before + degree if form.op == "mul" else max(before, degree)
        return degrees if form.op in ("add", "mul", "neg") else dict.fromkeys(degrees, math.inf)

    def _is_decided_at_ends(self, condition: Node, scope: Mapping[str, str]) -> bool:
        """Whether a program's comparison comes out alike all over the ranges if it does so where they end."""
        if not isinstance(condition, Apply) or condition.op not in _ORDERS:
            return False
        left, right = condition.args
        return self._motion(added(left, negated(right)), scope).is_extreme_at_ends

    def _moves_one_way(self, form: Node, name: str) -> bool:
        """Whether an expression in a program never turns as one of its names moves, which stands in one place."""
        if occurrences(form, name) != 1:
            return False
        while isinstance(form, Apply):
            if form.op in ("inv", "pow") and not self._is_positive(form.args[0]):
                return False
            if form.op not in _ONE_WAY or (form.op == "pow" and occurrences(form.args[1], name)):
                return False
            (form,) = (arg for arg in form.args if occurrences(arg, name))
        return True

    def _is_positive(self, node: Node) -> bool:
        """Whether an expression in a program is certainly positive: composed of positive quantities and numbers."""
        if isinstance(node, Name):
            domain = self.library.declared[node.name].domain
            return domain.low > 0 or (domain.low == 0 and domain.open_low)
        if isinstance(node, Number):
            return node.value > 0
        return node.op in ("mul", "inv", "pow", "add") and all(map(self._is_positive, node.args))

    def _is_constant(self, text: str) -> bool:
        """Whether a line's text has no variables but those of constants, so that it is the same at all numbers."""
        return all(variable in self.space for variable in _VARIABLES.findall(text))

    def _evaluated(self, text: str) -> Any:
        """The value of a line's text at the numbers with which the question was asked."""
        try:
            return eval(text, {**self.space, **self._now})
        except (Elsewhere, ArithmeticError, DeriveError):
            raise Unwritten from None

    def _variable(self, now: Any) -> str:
        """A new variable of the program, which has this number as the question is asked."""
        variable = f"v{next(self._names)}"
        self._now[variable] = now
        if isinstance(now, float):
            self._doubles.add(variable)
        return variable

    def _constant(self, number: Any) -> str:
        key = ("constant", number.__class__, str(number))
        if key not in self._shared:
            variable = self._variable(number)
            self.space[variable] = number
            self._shared[key] = (variable,)
        return self._shared[key][0]

    def _exact_text(self, node: Node, scope: Mapping[str, str]) -> str | None:
        """An expression as text for a program's line; None if it is not rational, is too long, or holds a double."""
        width = _WIDTH.attempt(node, lambda _: 1)
        if width is None or width > _WIDEST:
            return None

        def variable_of(name: str) -> str:
            if scope[name] in self._doubles:
                raise NoElement
            return scope[name]

        rational = Arithmetic(number=self._literal, operations=_TEXTS, forms={"pow": _power, "piecewise": _choice_text})
        return rational.attempt(node, variable_of)

    def _literal(self, number: Number) -> str:
        return self._constant(as_rational(Rational(Fraction(number.value))))


def _only_form(equation: Equation, unknown: str) -> Node | None:
    """The only form of an unknown whatever the numbers, for an exact line of a program; None otherwise.

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


def _in_one_unknown(equations: Sequence[Equation], unknowns: Sequence[str]) -> _InOneUnknown | None:
    """A block's equations in one of their unknowns, if one way leads to the others, for exact lines; else None."""
    for name in unknowns:
        branches = expressed(equations, unknowns, name)
        if len(branches) != 1 or branches[0].lost or branches[0].powers:
            continue
        (branch,) = branches
        (equation,) = branch.left
        if _has_choice(equation):
            continue  # an arm without the unknown would have to be excluded as well
        candidates = isolate(equation, name) or ()
        needed = {*names_in(*(candidate.form for candidate in candidates))}
        needed |= {*names_in(*chain.from_iterable(candidate.conditions for candidate in candidates))} - {name}
        is_plain = not any(candidate.winds or candidate.powers for candidate in candidates)
        if candidates and is_plain and needed.isdisjoint(unknowns):
            return _InOneUnknown(name, candidates, branch.forms)
    return None


def _has_choice(equation: Equation) -> bool:
    return any(True for _ in operations(*equation.sides, among=("piecewise",)))


def _strict(condition: Node) -> Node:
    """A condition to be tested in a program, without the ties of its comparisons."""
    if isinstance(condition, Apply) and condition.op in ("and", "or"):
        return Apply(condition.op, tuple(map(_strict, condition.args)))
    if isinstance(condition, Apply) and condition.op in ("le", "ge"):
        return Apply("lt" if condition.op == "le" else "gt", condition.args)
    return condition


def _conjuncts(condition: Node) -> Iterator[Node]:
    """The conditions that have to hold together, each of which becomes a test in a program."""
    if isinstance(condition, Apply) and condition.op == "and":
        for part in condition.args:
            yield from _conjuncts(part)
    else:
        yield condition


def _power(node: Apply, part: Fold) -> str:
    return f"({part(node.args[0])}**{_whole_exponent(node)})"


def _whole_exponent(node: Apply) -> int:
    """The exponent of a power in a program's line, if it is whole and not too large; else there is no exact text."""
    exponent = node.args[1]
    if not isinstance(exponent, Number) or exponent.value.denominator != 1 or abs(exponent.value) > _STEEPEST:
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
    """A choice as conditional expressions in a program's line; it has no text unless its last arm is unconditional."""
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
