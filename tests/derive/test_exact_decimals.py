"""What is typed is a decimal: sums, quotients, roundings and conditions of decimals come out as in rationals.

Doubles would say that 2.7/0.45 is a little more than 6. The oracle is Python's `Fraction`, on the same text.
"""

from __future__ import annotations

import math
import operator
import os
import random
import re
from decimal import Decimal
from fractions import Fraction

import hypothesis
import mpmath
import pytest
from hypothesis import strategies as st

import derive
from derive import DomainError, ExpressionError, InconsistentError, NoSolutionError
from quantities.value import read_value
from tests.derive.statements import bare, number
from tests.derive.terminal import ask
from tests.ordinary import every

MANY = int(os.environ.get("DERIVE_EXACT", "2000"))
DIGITS = st.integers(1, 40).flatmap(lambda digits: st.integers(10 ** (digits - 1), 10**digits - 1))
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def decimal(number: Fraction) -> str:
    """A number as a decimal; empty if it has none of up to forty-five places."""
    places = next((n for n in range(46) if (number * 10**n).denominator == 1), None)
    if places is None or abs(number) > 10**45:
        return ""
    digits = f"{abs(int(number * 10**places)):0{places + 1}d}"
    whole = f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}" if places else digits
    return f"-{whole}" if number < 0 else whole


def in_fractions(text: str, numbers: dict[str, Fraction]) -> Fraction:
    """An expression of Python, whose literals are fractions."""
    written = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)", r"Fraction('\1')", text)
    space = {"Fraction": Fraction, "ceil": math.ceil, "floor": math.floor, "max": max, "min": min, "abs": abs}
    return Fraction(eval(written, space, numbers))


def step(draw: random.Random, numbers: dict[str, Fraction]) -> str:
    """A random expression of some of the numbers; its conditions and roundings often stand at a tie."""
    one, other = (draw.choice([*numbers]) for _ in range(2))
    here = decimal(numbers[one]) or "1.5"
    tie = f"({here})" if here.startswith("-") else here
    factor = draw.choice(("3", "0.1", "0.7", "12", "2.4"))
    return draw.choice(
        (
            f"{one}*{other}",
            f"{one} - {other}",
            f"{one} + {factor}",
            f"{one}/{other}",
            f"{factor}*{one}",
            f"ceil({one}/{other})",
            f"floor({factor}*{one})",
            f"floor({one}/{tie})",
            f"ceil({factor}*{one}/{other})",
            f"{one} if {one} <= {tie} else {other}",
            f"{other} if {one} > {tie} else {factor}",
            f"{one} if {factor}*{one} >= {factor}*{tie} else -{other}",
            f"max({one}, {other})",
            f"abs({one} - {tie})",
        )
    )


def chain(seed: int, digits: int = 3) -> tuple[dict[str, Fraction], dict[str, str], dict[str, Fraction]]:
    """Typed numbers, expressions that follow from each other, and what they come to."""
    draw = random.Random(f"decimals {seed}" if digits == 3 else f"decimals {seed} of {digits} digits")
    fewest = max(0, digits - 6)
    typed = {name: Fraction(draw.randint(1, 10**digits - 1), 10 ** draw.randint(fewest, digits)) for name in "abc"}
    if draw.random() < 0.5:
        typed["c"] = typed["a"] * draw.randint(1, 30)
    if digits > 3 and draw.random() < 0.5:  # the last digit tells them apart
        typed["b"] = typed["a"] + Fraction(draw.choice((-1, 1)), typed["a"].denominator * 10 ** draw.randint(0, 2))
    numbers, written = dict(typed), {}
    for name in ("p", "q", "r", "s"):
        for _ in range(20):
            text = step(draw, numbers)
            try:
                found = in_fractions(text, numbers)
            except ZeroDivisionError:
                continue
            if found.denominator < 10 ** (12 + 4 * digits) and abs(found) < 10**9:
                written[name], numbers[name] = text, found
                break
    return typed, written, numbers


def stated(written: dict[str, str], numbers: dict[str, Fraction]) -> derive.Library:
    relations = (f"{name} = {text}" for name, text in written.items())
    return bare(" ".join(numbers), *relations, domains=dict.fromkeys(numbers, "real"))


def check(seeds: range, digits: int = 3) -> None:
    for seed in seeds:
        typed, written, numbers = chain(seed, digits)
        held = stated(written, numbers)
        given = {name: decimal(number) for name, number in typed.items()}
        for name in written:
            answer = held.solve(name, **given)
            assert answer.base == float(numbers[name]), (seed, name, written, given)


@pytest.mark.thorough
def test_chains_of_decimals_are_worked_out_as_in_fractions() -> None:
    check(range(150))


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("digits", [4, 8, 12, *range(20, 41, 4)])  # at sixteen or seventeen it may be a printed double
def test_chains_of_long_decimals_are_worked_out_as_in_fractions(digits: int) -> None:
    check(range(12), digits)


@pytest.mark.long
@pytest.mark.parametrize("start", range(150, 150 + MANY, 50))
def test_chains_of_decimals_are_worked_out_as_in_fractions_in_the_long_run(start: int) -> None:
    check(range(start, start + 50))


def test_a_literal_and_the_same_decimal_typed_are_one_number() -> None:
    for text in ("0.1", "2.4", "8.15", "1e-3", "123.456"):
        held = bare("x y z", f"y = 3*x - 3*{text}", f"z = ceil(x/{text})", domains=dict.fromkeys("xyz", "real"))
        assert (held.solve("y", x=text).base, held.solve("z", x=text).base) == (0, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_compiled_roundings_are_those_of_decimals(backend: str) -> None:
    for seed in range(40):
        typed, written, numbers = chain(seed)
        held = stated(written, numbers)
        for name in written:
            run = held.compile(name, [*typed], backend=backend)
            found = run(**{one: float(x) for one, x in typed.items()})
            assert found == pytest.approx(float(numbers[name]), rel=1e-9), (seed, name, written)


def test_numbers_of_a_program_are_the_decimals_that_it_shows() -> None:
    held = derive.load(
        '[quantities]\na = { unit = "m" }\nb = { unit = "m" }\nn = { unit = "1" }\n'
        '[relations]\nn = { equation = "n = ceil(a/b)" }'
    )
    for a, b in (("2.7 m", "0.45 m"), ("270 cm", "0.45 m"), ("2.7 m", "45 cm"), ("0.0027 km", "450 mm")):
        assert held.solve("n", a=a, b=b).base == 6


def terms_of(draw: random.Random) -> tuple[dict[str, Fraction], Fraction]:
    """The coefficients of a name that stands in several places, of which every other set cancels, and the rest."""
    coefficients = [Fraction(draw.randint(-60, 60), 10 ** draw.randint(0, 2)) for _ in range(draw.randint(1, 3))]
    last = -sum(coefficients) if draw.random() < 0.5 else Fraction(draw.randint(-60, 60), 10)
    rest = Fraction(0) if draw.random() < 0.3 else Fraction(draw.randint(1, 90), 10)
    return {f"a{i}": number for i, number in enumerate([*coefficients, last])}, rest


@every("seed", range(40), ordinary=8)
def test_a_name_cancels_just_where_its_coefficients_do(seed: int) -> None:
    coefficients, rest = terms_of(random.Random(seed))
    names = " ".join(coefficients)
    apart, together = " + ".join(f"{name}*x" for name in coefficients), f"({' + '.join(coefficients)})*x"
    some = bare(
        f"x y w {names}",
        f"y = {apart if seed % 2 else together}",
        f"w = 2*{' + '.join(coefficients)}",
        domains=dict.fromkeys(["x", "y", "w", *coefficients], "real"),
    )
    given = {name: str(float(number)) for name, number in coefficients.items()} | {"y": str(float(rest))}
    slope = sum(coefficients.values())
    if slope:
        assert number(some.solve("x", **given)) == pytest.approx(float(rest / slope), rel=1e-15)
        assert some.solve("w", **given).failed == ()
    elif rest:
        for target in ("x", "w"):
            with pytest.raises((NoSolutionError, InconsistentError)):
                some.solve(target, **given)
    else:
        (anything,) = some.solve_all("x", **given)
        assert anything.bounds == (-math.inf, math.inf)
        assert some.solve("w", **given).failed == ()


@pytest.mark.parametrize("tie", ["y = b*x - a*x", "y - b*x = -a*x", "y = (x + 1)*b - x*a - b"])
@pytest.mark.parametrize("both", ["0.7", "2", "1e6"])
def test_a_name_that_cancels_beside_something_else_has_no_value_whatever_is_asked(tie: str, both: str) -> None:
    some = bare("a b x y w", tie, "w = a + b + y", domains=dict.fromkeys("abxyw", "real"))
    given = {"a": both, "b": both, "y": "5"}
    for target in ("x", "w"):
        with pytest.raises((NoSolutionError, InconsistentError)):
            some.solve(target, **given)


def test_a_computed_number_leads_to_the_end_of_a_domain_and_a_typed_one_beside_it_does_not() -> None:
    some = bare("t x c d", "t = (3 + x)*c/d", domains={"x": "0..1"})
    given = {"c": "7", "d": "3"}
    assert number(some.solve("x", t=28 / 3, **given)) == 1
    assert number(some.solve("x", t="9.33333333333333", **given)) < 1
    with pytest.raises(NoSolutionError):
        some.solve("x", t="9.33333333333334", **given)


BESIDE_A_LIMIT = (  # relations that reach y = b + a nowhere, and ones that reach it at one x
    ("y = b + a*tanh(x/k)", None),
    ("y = b + a*(1 - exp(-k*x))", None),
    ("y = b + a*(1 - 2**(-x/k))", None),
    ("y = b + a*x/(x + k)", None),
    ("y = b + a - k/x", None),
    ("y = b + a*(x/k)**2/(1 + x**2/k**2)", None),
    ("y = b + a*cos(x/k)", 0),
    ("y = b + a*cosh(k*x)", 0),
    ("y = b + a - k*x**2", 0),
    ("y = b + a + k*sqrt(x)", 0),
)


@pytest.mark.thorough
@every("seed", range(40), ordinary=20, thorough=12)
def test_a_limit_that_a_function_never_reaches_has_no_place_and_one_that_it_reaches_has(seed: int) -> None:
    draw = random.Random(f"limits {seed}")
    typed = {name: Fraction(draw.randint(1, 999), 10 ** draw.randint(0, 2)) for name in "abk"}
    said = {name: decimal(number) for name, number in typed.items()}
    top = decimal(typed["a"] + typed["b"])
    for relation, place in BESIDE_A_LIMIT:
        literal = re.sub(r"\b[abk]\b", lambda name: said[name[0]], relation)
        for text, given in ((relation, said), (literal, {})):
            held = bare(" ".join(["y", "x", *given]), text, domains={"x": "real"})
            if place is None:
                with pytest.raises(NoSolutionError):
                    held.solve("x", y=top, **given)
            else:
                assert number(held.solve("x", y=top, **given)) == place, (text, top, given)


@every("seed", range(40), ordinary=10)
def test_a_rounding_beyond_the_domain_of_a_function_is_no_contradiction(seed: int) -> None:
    draw = random.Random(f"ends {seed}")
    low, more = (Fraction(draw.randint(1, 999), 10 ** draw.randint(0, 2)) for _ in range(2))
    given = {"a": decimal(low + more), "b": decimal(low), "c": decimal(more)}
    for form in ("acos((a - b)/c)", "sqrt(a - b - c)", "acosh((a - b)/c)"):
        held = bare("a b c z w", f"z = {form}", "w = z + c", domains=dict.fromkeys("zw", "real"))
        assert number(held.solve("w", **given)) == float(more)
        assert number(held.solve("w", z="0", **given)) == float(more)
        with pytest.raises(InconsistentError):
            held.solve("w", z="0.5", **given)


IN_DOUBLES = (29, 46, 66, 67)  # where doubles round to the next whole number


@every("seed", (*IN_DOUBLES, *range(60)), ordinary=10)
def test_a_limit_on_a_rounding_is_that_of_decimals(seed: int) -> None:
    """In doubles 2.7/0.45 rounds up to seven, and 100.8/8.4 down to eleven."""
    draw = random.Random(seed)
    step, whole = Fraction(draw.randint(11, 999), 100), draw.randint(3, 40)
    count = whole + draw.choice((-1, 0, 1))
    limit, holds = draw.choice(
        [
            ("n >= ceil(x/y)", count >= whole),
            ("n <= floor(x/y)", count <= whole),
            ("n >= 2*ceil(x/y) - n", count >= whole),
        ]
    )
    library = bare("n x y f", limit, "f = n + x")
    given = {"n": str(count), "x": decimal(whole * step), "y": decimal(step)}
    if not holds:
        with pytest.raises(InconsistentError):
            library.solve("n", **given)
        with pytest.raises(InconsistentError):
            library.least("f", **{**given, "n": [given["n"]]})
        return
    assert number(library.solve("n", **given)) == count
    least = library.least("f", **{**given, "n": [given["n"]]})
    assert least.value.magnitude == pytest.approx(float(count + whole * step))


@every("seed", range(60), ordinary=10)
def test_a_limit_whose_sides_are_equal_as_decimals_holds(seed: int) -> None:
    """In doubles a little is left of `0.1/0.6 - 1/6`, beside a side that is zero."""
    draw = random.Random(seed)
    a, b = Fraction(draw.randint(1, 99), 100), Fraction(draw.randint(1, 99), 10)
    limit = draw.choice(("0 >= n*(x/y - {c})", "max(x/y - {c} - 5, 0) >= n*(x/y - {c})", "n*(x - {d}*y) <= x - {d}*y"))
    library = bare("f n x y", limit.format(c=decimal(b), d=decimal(b)), "f = n + x", domains={"f": "real"})
    given = {"n": "6", "x": decimal(a * b), "y": decimal(a)}
    assert number(library.solve("f", **given)) == pytest.approx(float(6 + a * b))
    best = library.least("f", **{**given, "n": ["6", "7"]})
    assert best.value.magnitude == pytest.approx(float(6 + a * b))


@every("seed", range(60), ordinary=8)
def test_a_best_choice_rounds_decimals(seed: int) -> None:
    draw = random.Random(seed)
    step, whole = Fraction(draw.randint(11, 999), 100), draw.randint(3, 40)
    rounding, sense = draw.choice(("ceil", "floor")), draw.choice(("least", "most"))
    library = bare("f n x y", f"f = {rounding}(x/y) + n", domains={"n": "whole", "f": "real"})
    best = getattr(library, sense)("f", n="1..3", x=decimal(whole * step), y=[decimal(step), decimal(2 * step)])
    halves = (math.ceil if rounding == "ceil" else math.floor)(Fraction(whole, 2))
    assert best.value.magnitude == (halves + 1 if sense == "least" else whole + 3)
    assert best.proved


@every("seed", range(60), ordinary=10)
def test_choices_of_decimals_have_the_values_of_fractions_and_are_verified(seed: int) -> None:
    draw = random.Random(seed)
    a, b = (Fraction(draw.randint(1, 99), 100) for _ in "ab")
    form = draw.choice(("x - y - {c}", "x - {d}/y + n", "n*y - x", "(x - y - {c})*n"))
    written = form.format(c=decimal(a), d=decimal(a * b))
    lists = {"x": [decimal(a), decimal(a + b), decimal(2 * a)], "y": [decimal(b), decimal(2 * b)]}
    library = bare("f n x y", f"f = {written}", domains={"f": "real", "n": "0..3, whole"})
    best = library.least("f", n="0..3", **lists)
    for choice in best.choices:
        listed = {name: Fraction(text) for name, text in choice.listed.items()}
        goals = [in_fractions(written, {**listed, "n": Fraction(n)}) for n in range(4)]
        assert choice.best == float(min(goals))
    assert best.proved
    assert derive.verify(best)


@pytest.mark.thorough
@every("seed", range(60), ordinary=15, thorough=28)
def test_a_whole_number_that_is_no_sum_of_decimals_is_not_rounded_to_the_next(seed: int) -> None:
    draw = random.Random(f"wholes {seed}")
    tenths, base, power = draw.randint(1, 99), draw.randint(2, 9), draw.randint(1, 9)
    square, cube = decimal(Fraction(tenths, 10) ** 2), decimal(Fraction(tenths, 10) ** 3)
    cases = (  # the whole number, what comes to it, and what is typed
        (tenths, "10*sqrt(x)", {"x": square}),
        (tenths, "sqrt(x)/0.1", {"x": square}),
        (tenths, "x**(1/3)/0.1", {"x": cube}),
        (power, "log(x)/log(k)", {"x": str(base**power), "k": str(base)}),
        (base, "exp(log(x))", {"x": str(base)}),
    )
    for whole, text, given in cases:
        names = " ".join([*given, "n", "u", "s", "c"])
        for steps in ((f"n = {{}}({text})",), (f"s = {text}", "n = {}(s)"), (f"s = ({text})/7", "n = {}(7*s)")):
            for rounding in ("floor", "ceil"):
                held = bare(names, *(one.format(rounding) for one in steps), f"u = 3*n + {tenths}")
                assert number(held.solve("u", **given)) == 3 * whole + tenths, (steps, rounding, given)
        for sign, arm in ((">=", 1), (">", 2), ("<=", 1), ("<", 2)):
            for steps in ((f"c = 1 if {text} {sign} u else 2",), (f"s = ({text})/7", f"c = 1 if 7*s {sign} u else 2")):
                held = bare(names, *steps)
                assert number(held.solve("c", u=str(whole), **given)) == arm, (steps, given)


@pytest.mark.thorough
@every("seed", range(40), ordinary=10, thorough=28)
def test_a_compiled_condition_at_equality_takes_the_arm_that_solve_takes(seed: int) -> None:
    draw = random.Random(f"edges {seed}")
    a, b = (Fraction(draw.randint(1, 999), 10 ** draw.randint(0, 2)) for _ in range(2))
    sides = (  # two expressions that are equal at what is typed
        ("3*a", "k", 3 * a),
        ("a*b", "k", a * b),
        ("a + b", "k", a + b),
        ("k/b", "a", a * b),
        ("k - b", "a", a + b),
        ("k - b", "2*a", 2 * a + b),
        ("k/3", "a - b", 3 * (a - b)),
    )
    for left, right, k in sides:
        typed = {name: x for name, x in (("a", a), ("b", b), ("k", k)) if re.search(name, left + right)}
        given = {name: decimal(x) for name, x in typed.items()}
        for sign, arm in ((">=", 1), (">", 2), ("<=", 1), ("<", 2)):
            in_arms = bare("a b k c", f"c = 1 if {left} {sign} {right} else 2", domains={"k": "real"})
            denied = {">=": "<", ">": "<=", "<=": ">", "<": ">="}[sign]
            in_cases = bare(
                "a b k c",
                {"equation": "c = 1", "when": [f"{left} {sign} {right}"]},
                {"equation": "c = 2", "when": [f"{left} {denied} {right}"]},
                domains={"k": "real"},
            )
            for held in (in_arms, in_cases):
                assert number(held.solve("c", **given)) == arm, (left, sign, right, given)
                run = held.compile("c", [*given])
                assert run(**{name: float(x) for name, x in typed.items()}) == arm, (left, sign, right, given)


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_a_side_beyond_doubles_compares_in_compiled_conditions_as_an_infinite_one(sign: str, backend: str) -> None:
    is_less = sign in ("<", "<=")
    for right, is_large in (("exp(y) - exp(x)", True), ("2*x - exp(y)", False), ("x**2*exp(y)", True)):
        held = bare("x y c", f"c = 1 if exp(x) {sign} {right} else 2")
        run = held.compile("c", ["x", "y"], backend=backend)
        assert run(x=1.5, y=800.0) == (1 if is_less is is_large else 2), (right, sign)


# Every door through which a long decimal comes in

LONG, BESIDE, SHORT = "2.70000000000000000001", "2.70000000000000000002", "2.7"
GAPS = """[quantities]
a = {{ unit = "m", domain = "real"{default} }}
b = {{ unit = "m", value = "2.7 m" }}
y = {{ unit = "m", domain = "real" }}
[relations.gap]
equation = "y = {rest}"
[profiles.long]
a = "{long} m"
"""


def gap_library(rest: str = "a - b", default: str = "") -> derive.Library:
    return derive.load(GAPS.format(rest=rest, default=default, long=LONG))


@pytest.mark.parametrize(
    ("held", "profiles", "given"),
    [
        (gap_library(), (), {"a": f"{LONG} m"}),
        (gap_library(), (), {"a": "270.000000000000000001 cm"}),
        (gap_library(), (), {"a": derive.units.Quantity(Decimal(LONG), "m")}),
        (gap_library(), (), {"a": derive.units.Quantity(Fraction(LONG), "m")}),
        (gap_library(), ("long",), {}),
        (gap_library(default=f', value = "{LONG} m"'), (), {}),
        (gap_library(rest=f"{LONG}*a - b"), (), {"a": "1 m"}),
    ],
    ids=["text", "other unit", "decimal", "fraction", "profile", "default", "literal"],
)
def test_a_long_decimal_keeps_its_digits_through_every_door(held, profiles, given) -> None:
    for _ in range(4):  # asked again, a program answers
        assert held.solve("y", *profiles, **given).base == 1e-20


def test_a_long_decimal_keeps_its_digits_on_the_command_line(tmp_path) -> None:
    file = tmp_path / "gap.toml"
    file.write_text(GAPS.format(rest="a - b", default="", long=LONG))
    said = ask("solve", "y", f"a={LONG} m", "--library", str(file), "--steps")
    assert said.status == 0
    assert "y = 1e-20 m" in said.out
    assert f"a = {LONG} m" in said.out


def test_an_answer_shows_a_long_decimal_as_it_was_typed() -> None:
    answer = gap_library().solve("y", a=f"{LONG} m")
    assert all(LONG in text for text in (answer.text(), answer.markdown(), answer.latex(), str(answer.given["a"])))


def test_a_large_whole_number_of_python_is_exact() -> None:
    held = bare("n y", "y = n - 9007199254740992", domains=dict.fromkeys("ny", "real"))
    assert held.solve("y", n=2**53 + 1).base == 1


def test_an_end_of_a_domain_is_told_from_what_lies_a_last_digit_beyond() -> None:
    held = derive.load(f"""[quantities]
a = {{ unit = "m", domain = "1..{LONG} m" }}
y = {{ unit = "m" }}
[relations]
r = {{ equation = "y = 2*a" }}""")
    for text in (SHORT, LONG):
        assert held.solve("y", a=f"{text} m").base == 5.4
    for text in (BESIDE, "0.99999999999999999999"):
        with pytest.raises(DomainError):
            held.solve("y", a=f"{text} m")
    assert held.solve("a", y="5.40000000000000000002 m").base == float(LONG)
    with pytest.raises(NoSolutionError):
        held.solve("a", y="5.40000000000000000003 m")


def test_a_count_is_whole_to_its_last_digit() -> None:
    held = derive.load("""[quantities]
n = { unit = "1", domain = "whole" }
y = { unit = "1" }
[relations]
r = { equation = "y = 2*n" }""")
    assert held.solve("y", n="3.000000000000000000").base == 6
    with pytest.raises(DomainError):
        held.solve("y", n="3.00000000000000000001")


@hypothesis.given(DIGITS, st.integers(0, 40), st.sampled_from([*COMPARE]), st.sampled_from([-1, 0, 1]))
def test_two_decimals_compare_by_their_last_digit(whole: int, places: int, sign: str, step: int) -> None:
    one, other = (Fraction(number, 10**places) for number in (whole, whole + step))
    typed = [read_value(decimal(number)).number for number in (one, other)]
    assert COMPARE[sign](*typed) == COMPARE[sign](one, other)
    held = bare("a b y", f"y = 1 if a {sign} b else 2", domains=dict.fromkeys("aby", "real"))
    answer = held.solve("y", a=decimal(one), b=decimal(other))
    assert answer.base == (1 if COMPARE[sign](one, other) else 2)


@hypothesis.given(DIGITS, DIGITS, st.integers(30, 40))
def test_what_is_not_rational_keeps_what_long_decimals_differ_by(whole: int, step: int, places: int) -> None:
    one, other = Fraction(whole, 10**places), Fraction(whole + step, 10**places)
    held = bare("a b y z", "y = log(b/a)", "z**2 = b - a", domains={"a": "real", "b": "real", "y": "real"})
    given = {"a": decimal(one), "b": decimal(other)}
    with mpmath.workdps(100):
        quotient = mpmath.mpf(other.numerator) * one.denominator / (mpmath.mpf(other.denominator) * one.numerator)
        logarithm, root = float(mpmath.log(quotient)), float(mpmath.sqrt(mpmath.mpf(step) / 10**places))
    assert held.solve("y", **given).base == pytest.approx(logarithm, rel=1e-14)
    assert held.solve("z", **given).base == pytest.approx(root, rel=1e-14)


@pytest.mark.parametrize("text", ["1" * 401, "1e400", "1e-400", "1e99999999999", "3e-99999999999"])
def test_a_number_that_is_too_long_or_too_far_from_one_is_refused_in_words(text: str) -> None:
    held = bare("a y", "y = 2*a")
    with pytest.raises((ExpressionError, DomainError), match=r"too (many|large|small)|exceeds"):
        held.solve("y", a=text)


@pytest.mark.parametrize("text", ["0e99999999999", "0.000e-99999999999", "-0"])
def test_a_zero_is_zero_whatever_its_exponent(text: str) -> None:
    held = bare("a y", "y = 2*a", domains=dict.fromkeys("ay", "real"))
    assert held.solve("y", a=text).base == 0
