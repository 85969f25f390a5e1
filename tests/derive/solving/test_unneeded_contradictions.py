"""Equations that the target does not need, and that contradict each other, are told; those that agree are not.

Exact elimination of all quantities is the oracle (`linear_cases`).
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import derive
from derive import InconsistentError
from tests.derive.linear_cases import Cases, Form, Way, decimal, minus, written
from tests.derive.statements import bare, number
from tests.ordinary import every

GAPS = (Fraction(0), Fraction(1, 100), Fraction(-3))


def drawn_form(draw: random.Random, names: list[str]) -> Form:
    chosen = draw.sample(names, draw.randint(1, len(names)))
    return {name: Fraction(draw.choice((-20, -10, -5, 3, 10, 43)), 10) for name in chosen}


def state(cases: Cases, form: Form, gap: Fraction, held: dict[str, Fraction] | None) -> None:
    """State that a form has its number, but for a gap: as a constant, or as a given among those that are `held`."""
    number = sum((factor * cases.numbers[name] for name, factor in form.items()), gap)
    side = {"": number}
    if held is not None:
        name = f"c{len(held)}"
        cases.names.append(name)
        held[name] = number
        side = {name: Fraction(1)}
    cases.relations.append((f"{written(form)} = {written(side)}", ()))
    cases.ways.append((Way((minus(form, side),), ()),))


def beside_the_target(draw: random.Random, *, by_givens: bool) -> tuple[Cases, dict[str, Fraction]]:
    """A target that one relation fixes, and dependent relations for two or three others, whose constants may clash."""
    cases = Cases()
    for name in ("x", "u", "v", "w")[: draw.randint(3, 4)]:
        cases.names.append(name)
        cases.numbers[name] = Fraction(draw.randint(-90, 90), 10)
    others = cases.names[1:]
    held: dict[str, Fraction] | None = {} if by_givens else None
    state(cases, {"x": Fraction(-2)}, Fraction(0), None)
    forms = [{**drawn_form(draw, others), **drawn_form(draw, ["x"])} for _ in others[1:]]
    total: Form = {}
    for form in forms:
        state(cases, form, Fraction(0), held)
        share = Fraction(draw.choice((-15, -5, 5, 20)), 10)
        total = minus(total, {name: share * factor for name, factor in form.items()})
    if total:
        state(cases, total, draw.choice(GAPS), held)
    return cases, held or {}


def assert_told(cases: Cases, held: dict[str, Fraction]) -> None:
    """The target has its number where any value of it fits all relations, and there is a contradiction elsewhere."""
    library = derive.load(cases.text)
    given = {name: decimal(number) for name, number in held.items()}
    if cases.values("x", {name: (number, number) for name, number in held.items()}):
        assert library.solve("x", **given).base == pytest.approx(float(cases.numbers["x"]), abs=1e-9)
    else:
        with pytest.raises(InconsistentError):
            library.solve("x", **given)


@every("seed", range(120), ordinary=4)
@pytest.mark.parametrize("by_givens", [False, True])
def test_equations_that_contradict_each_other_beside_the_target_are_told(seed: int, by_givens: bool) -> None:
    assert_told(*beside_the_target(random.Random(f"beside {seed}"), by_givens=by_givens))


def of_a_sum(draw: random.Random, *, vanishes: bool = False) -> tuple[Cases, dict[str, Fraction]]:
    """A target that one relation fixes, and three relations for one sum of two others, so that none fixes either.

    Where the sum vanishes, only rounding is left of what the relations say of it.
    """
    cases = Cases()
    for name in ("x", "u", "w"):
        cases.names.append(name)
        cases.numbers[name] = Fraction(draw.randint(-90, 90), 10)
    share = Fraction(draw.choice((-20, -5, 10, 15)), 10)
    if vanishes:
        cases.numbers["u"] = -share * cases.numbers["w"]
    held: dict[str, Fraction] | None = {} if draw.random() < 0.5 else None
    state(cases, {"x": Fraction(-2)}, Fraction(0), None)
    for gap in (Fraction(0), Fraction(0), draw.choice(GAPS)):
        factor = Fraction(draw.choice((-20, -10, -5, 3, 10, 43)), 10)
        rest = drawn_form(draw, ["x"]) if draw.random() < 0.7 else {}
        state(cases, {"u": factor, "w": factor * share, **rest}, gap, held)
    return cases, held or {}


@every("seed", range(120), ordinary=8)
def test_relations_for_a_sum_contradict_each_other_though_none_fixes_its_terms(seed: int) -> None:
    assert_told(*of_a_sum(random.Random(f"sum {seed}")))


@every("seed", range(120), ordinary=8)
def test_relations_for_a_sum_that_vanishes_contradict_each_other_only_where_they_do(seed: int) -> None:
    assert_told(*of_a_sum(random.Random(f"vanishing {seed}"), vanishes=True))


@every("seed", range(60), ordinary=3)
def test_what_a_zero_leaves_open_is_held_against_the_other_relations_for_it(seed: int) -> None:
    """`p = q*z` at zeros of p and q fixes no z, whatever counting says; two others do."""
    draw = random.Random(f"zeros {seed}")
    z, factor, shift = (Fraction(draw.choice((-1, 1)) * draw.randint(1, 60), 10) for _ in range(3))
    gap = draw.choice(GAPS)
    relations = ["p = q*z", f"a = {decimal(factor)}*z", f"b = {decimal(shift)} + z + q", "t = 2*q"]
    draw.shuffle(relations)
    library = bare("p q z a b t", *relations, domains=dict.fromkeys("pqzabt", "real"))
    given = {"p": 0, "q": 0, "a": decimal(factor * z), "b": decimal(shift + z + gap)}
    if gap:
        with pytest.raises(InconsistentError):
            library.solve("t", **given)
    else:
        assert library.solve("t", **given).base == 0


ROUNDED = {
    "floor(x)": math.floor,
    "ceil(x)": math.ceil,
    "max(x, w)": lambda x: max(x, Fraction(3)),
    "min(x, w)": lambda x: min(x, Fraction(3)),
    "abs(x)": abs,
    "x if x > w else w + 1": lambda x: x if x > 3 else Fraction(4),
}


@pytest.mark.parametrize("seed", range(40))
def test_what_has_several_values_backwards_tests_what_another_relation_makes_one_number(seed: int) -> None:
    """`y = max(x, w)` leaves an interval to x where w is y; `u = 2*x` makes it a number, whichever is stated first."""
    draw = random.Random(seed)
    form, step = draw.choice([*ROUNDED.items()])
    slope, x = Fraction(draw.randint(1, 40), 10), Fraction(draw.randint(-60, 60), 10)
    right = Fraction(step(x))
    y = right if draw.random() < 0.5 else right + Fraction(draw.choice([-20, -10, 10, 20]), 10)
    relations = [f"y = {form}", f"u = {decimal(slope)}*x", "z = 2*w"]
    draw.shuffle(relations)
    names = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in "uwxyz")
    stated = "".join(f'r{i} = {{ equation = "{one}" }}\n' for i, one in enumerate(relations))
    library = derive.load(f"[quantities]\n{names}[relations]\n{stated}")
    given = {"w": "3", "y": decimal(y), "u": decimal(slope * x)}
    if y == right:
        assert library.solve("z", **given).base == 6
    else:
        with pytest.raises(derive.InconsistentError):
            library.solve("z", **given)


@every("seed", range(60), ordinary=12)
def test_what_rounds_to_no_such_number_is_told_beside_any_target(seed: int) -> None:
    """`y = a*floor(b*x + c) + d` holds for some x where (y - d)/a is whole, and for none elsewhere."""
    draw = random.Random(f"rounded {seed}")
    factor, share = (Fraction(draw.choice((-20, -5, 3, 10, 25)), 10) for _ in range(2))
    constant, lift = (Fraction(draw.randint(-30, 30), 10) for _ in range(2))
    count = Fraction(draw.randint(-20, 20)) + draw.choice((Fraction(0), Fraction(1, 2), Fraction(1, 100)))
    number = factor * count + lift
    argument = f"({decimal(share)})*x + ({decimal(constant)})"
    rounded = f"({decimal(factor)})*{draw.choice(('floor', 'ceil'))}({argument}) + ({decimal(lift)})"
    library = derive.load(f"""[quantities]
x = {{ unit = "1", domain = "real" }}
y = {{ unit = "1", domain = "real" }}
z = {{ unit = "1", domain = "real" }}
u = {{ unit = "1", domain = "real" }}
[relations]
rounded = {{ equation = "y = {rounded}" }}
asked = {{ equation = "z = 2*u" }}""")
    given = {"u": "3", "y": decimal(number)}
    if count.denominator == 1:
        assert library.solve("z", **given).unused == ("y",)
    else:
        with pytest.raises(InconsistentError, match="rounded"):
            library.solve("z", **given)


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("far", [(4.96394356, -0.04767897), (5.30719968, -0.03561443), (5.08230645, -0.03842871)])
def test_a_block_beside_the_answer_of_which_a_search_may_miss_solutions_contradicts_nothing(far):
    """The numbers far away fit all relations; nearer ones, which a search finds first, fit those of t and q alone."""
    u, v = far
    given = {
        "p": u * math.exp(v) + v * math.exp(u) + math.sin(u * v),
        "q": math.sin(u * v) + u**3 * v + u * math.exp(u * v),
        "k": u * math.cosh(v) + v * u**2 * math.exp(u),
    }
    relations = (
        "t = 2*p",
        "u*exp(v) + v*exp(u) + sin(u*v) = t/2",
        "sin(u*v) + u**3*v + u*exp(u*v) = q",
        "u*cosh(v) + v*u**2*exp(u) = k",
    )
    domains = dict.fromkeys("tpqkv", "real") | {"u": "positive"}
    assert number(bare("t p q k u v", *relations, domains=domains).solve("t", **given)) == 2 * given["p"]


UNDEFINED = {
    "sqrt(a)": -2.0,
    "log(a)": -1.0,
    "asin(a/2)": 5.0,
    "acosh(a)": 0.5,
    "1/(a - 3)": 3.0,
    "sqrt(a)*b - a": -0.5,
}


@pytest.mark.parametrize(("form", "a"), UNDEFINED.items())
def test_what_is_undefined_contradicts_nothing_where_only_another_case_needs_it(form: str, a: float) -> None:
    """Whether the case is told by what is given or by what follows from it."""
    for compared in ("y", "b"):
        library = bare(
            "a b c x y z",
            f"x = {form}",
            "y = b",
            {"equation": "z = b + 1", "when": [f"{compared} > c"]},
            {"equation": "z = 2*x", "when": [f"{compared} <= c", "a < 20"]},
            {"equation": "z = a - x", "when": [f"{compared} <= c", "x > 4"]},
            domains=dict.fromkeys("abcxyz", "real"),
        )
        given = {"a": a, "b": 1.5, "c": -1}
        assert number(library.solve("z", **given)) == 2.5
        assert library.compile("z", ["a", "b", "c"])(**given) == 2.5
        with pytest.raises(derive.DeriveError):
            library.solve("z", **{**given, "c": 4})


def gone_factor(draw: random.Random) -> tuple[str, dict[str, str]]:
    """A factor of givens that is zero at some numbers of them, in decimals whose doubles may differ by a rest."""
    a, d = (Fraction(draw.randint(1, 40), 10) for _ in range(2))
    factors = (
        (f"(a - {decimal(a)})", {"a": a, "d": d}),
        ("(a - d)", {"a": a, "d": a}),
        (f"(a + d - {decimal(a + d)})", {"a": a, "d": d}),
        (f"(a**2 - {decimal(a)}*a)", {"a": a, "d": d}),
        (f"(d - a*{decimal(d)}/{decimal(a)})", {"a": a, "d": d}),
        ("a", {"a": Fraction(0), "d": d}),
    )
    factor, numbers = draw.choice(factors)
    return factor, {name: decimal(number) for name, number in numbers.items()}


@every("seed", range(60), ordinary=12, thorough=20)
def test_what_a_zero_factor_leaves_of_a_relation_contradicts_the_others_whatever_was_asked_before(seed):
    draw = random.Random(seed)
    factor, at_zero = gone_factor(draw)
    level, share = (Fraction(draw.randint(2, 30), 10) for _ in range(2))
    rest = draw.choice(("{0}*b + {0}*c", "{0}*b*c", "{0}*(b + exp(c))", "b*{0}**2 - {0}*c"))
    texts = (f"y = {decimal(level)} + {rest.format(factor)}", f"z = {decimal(share)}*y")
    library = bare("a b c d y z", *texts, domains=dict.fromkeys("abcdyz", "real"))
    agreeing, clashing = decimal(level * share), decimal(level * share + 1)
    for a in ("17", "18", "19"):  # a trace is recorded where the factor is not zero
        assert number(library.solve("y", **{**at_zero, "a": a, "z": clashing})) == pytest.approx(
            float((level * share + 1) / share)
        )
    for _ in range(3):
        assert number(library.solve("y", **at_zero, z=agreeing)) == pytest.approx(float(level))
        for target in ("y", "b", "c"):
            with pytest.raises(InconsistentError):
                library.solve_all(target, **at_zero, z=clashing)
            with pytest.raises(InconsistentError):
                library.solve(target, **at_zero, z=clashing)  # which may answer by a trace
    around = {**at_zero, "a": f"{decimal(Fraction(at_zero['a']) - 1)}..{decimal(Fraction(at_zero['a']) + 1)}"}
    library.solve("y", **around, z=clashing)  # elsewhere in the range the factor is not zero


@pytest.mark.parametrize("condition", ["5 < w", "w >= 20", "w < 20"])
@pytest.mark.parametrize("way", ["w = max(5, u)", "w = u + 5", "u = w/2"])
@pytest.mark.parametrize("v", [4.4, 215])
def test_a_relation_contradicts_others_where_its_case_follows(way: str, condition: str, v: float) -> None:
    """`v = 3*u - 40` and `v = 0.5*u - 3` agree at u = 14.8 alone; the second applies where w says so."""
    cases = {"equation": "v = 0.5*u - 3", "when": [condition]}
    library = bare("u v w z", way, "v = 3*u - 40", cases, "z = 2*v")
    u = (v + 40) / 3
    w = {"w = max(5, u)": max(5, u), "w = u + 5": u + 5, "u = w/2": 2 * u}[way]
    applies = {"5 < w": w > 5, "w >= 20": w >= 20, "w < 20": w < 20}[condition]
    compiled = library.compile("z", given=["v"])(v=v)
    if v == 4.4 or not applies:
        assert library.solve("z", v=v).base == pytest.approx(2 * v)
        assert compiled == pytest.approx(2 * v)
        return
    for asked in "zuw":
        with pytest.raises(InconsistentError, match="r3"):
            library.solve(asked, v=v)
    assert math.isnan(compiled)
