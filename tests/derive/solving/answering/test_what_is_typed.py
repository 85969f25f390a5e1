"""All that is typed is held against all that follows from it, whatever is asked.

The oracle is plain arithmetic with exact rationals: relations that are linear in each of their quantities are solved
for the only one that is open, until none is left, and what is known altogether then holds or does not. The long run:

    DERIVE_SEEDS=0..20000 pytest -m long --override-ini addopts= -v tests/derive/solving/answering/test_what_is_typed.py
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pytest

import derive
from derive import AmbiguousError, InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.library import Library
from tests.ordinary import every

SHORT, BATCH = 150, 50
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..20000").split(".."))

FORMS = {
    "{y} = {k}*{a}": "{y} - {k}*{a}",
    "{y} = {a} + {b}": "{y} - {a} - {b}",
    "{y} = {a} - {k}*{b}": "{y} - {a} + {k}*{b}",
    "{y} = {a}*{b}": "{y} - {a}*{b}",
    "{y} = {a}/{b}": "{y}*{b} - {a}",
    "{y} = ({a} + {b})*{c}": "{y} - ({a} + {b})*{c}",
}
"""Of each form of a relation, the expression that is zero where it holds; linear in each quantity."""


@dataclass(frozen=True)
class Case:
    """A question: relations by name, each with its expression and, of an estimate or a limit, its kind."""

    library: Library
    zeros: Mapping[str, str]
    values: Mapping[str, str]  # of estimates and limits, the expression of the right side
    kinds: Mapping[str, str]
    target: str
    given: Mapping[str, str]
    is_wrong: bool


def case(seed: int, *, is_small: bool = False) -> Case:
    """Quantities that follow from others, of which some are typed, as a rule one of them wrong; small ones cancel."""
    draw = random.Random(f"{'small' if is_small else 'typed'} {seed}")
    names = [f"q{i}" for i in range(draw.randint(4, 9))]
    roots = draw.randint(1, 3)
    most, divisors = (3, [1, 2]) if is_small else (40, [1, 2, 4, 5])
    at = {name: Fraction(draw.choice([-1, 1]) * draw.randint(1, most), draw.choice(divisors)) for name in names[:roots]}
    if draw.random() < (0.9 if is_small else 0.1):
        at[names[0]] = Fraction(0)
    stated, zeros, values, kinds = [], {}, {}, {}
    known = names[:roots]
    for name in names[roots:]:
        for _ in range(20):
            form, zero = draw.choice([*FORMS.items()])
            parts = {"y": name, "k": draw.choice(["2", "0.5", "3"])}
            parts |= dict(zip("abc", draw.sample(known, min(3, len(known))), strict=False))
            if any(f"{{{part}}}" in form and part not in parts for part in "abc"):
                continue
            try:
                at[name] = eval(
                    form.format(**parts).split(" = ")[1].replace("0.5", "Fraction(1, 2)"), {"Fraction": Fraction}, at
                )
            except ZeroDivisionError:
                continue
            break
        else:
            at[name], form, zero = 2 * at[known[0]], "{y} = {k}*{a}", "{y} - {k}*{a}"
            parts = {"y": name, "k": "2", "a": known[0]}
        relation = f"r{name}"
        stated.append(f'{relation} = {{ equation = "{form.format(**parts)}" }}')
        zeros[relation] = zero.format(**parts).replace("0.5", "Fraction(1, 2)")
        known.append(name)
    for i in range(draw.randint(0, 2)):
        name, other = draw.sample(names, 2)
        if not at[other]:
            continue
        ratio = float(f"{float(at[name] / at[other]):.3g}")
        if abs(Fraction(str(ratio)) * at[other] - at[name]) > abs(at[name]) / 50 or not ratio:
            continue
        kind = draw.choice(["approximate", "limit"])
        right = f"{ratio!r}*{other}" if kind == "approximate" else f"{ratio!r}*{other} + {math.ceil(abs(at[name])) + 1}"
        op, extra = ("=", ', approximate = "5 %"') if kind == "approximate" else ("<=", "")
        stated.append(f'e{i} = {{ equation = "{name} {op} {right}"{extra} }}')
        zeros[f"e{i}"], values[f"e{i}"], kinds[f"e{i}"] = f"{name} - ({_exact(right)})", _exact(right), kind
    draw.shuffle(stated)
    declared = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in names)
    library = derive.load(f"[quantities]\n{declared}[relations]\n" + "\n".join(stated))
    short = [name for name in names if at[name] == Fraction(f"{float(at[name]):.10g}")]
    typed = draw.sample(short, draw.randint(1, len(short)))
    given = {name: f"{float(at[name]):.10g}" for name in typed}
    is_wrong = draw.random() < 0.6
    if is_wrong:
        wrong = draw.choice(typed)
        given[wrong] = f"{float(at[wrong]) * 1.5 + 1:.10g}"
    return Case(library, zeros, values, kinds, draw.choice(names), given, is_wrong)


def _exact(text: str) -> str:
    """An expression in which decimals are rationals."""
    return " ".join(
        f"Fraction('{part}')" if part.replace(".", "").replace("-", "").isdigit() else part
        for part in text.replace("*", " * ").split()
    )


def follows(asked: Case) -> tuple[dict[str, Fraction], set[str], set[str]]:
    """What follows from the givens, one quantity after the other; the exact relations that do not hold then, and the
    estimates."""
    known = {name: Fraction(text) for name, text in asked.given.items()}
    names = {
        relation: [name for name in asked.library.quantities if name in _words(zero)]
        for relation, zero in asked.zeros.items()
    }

    def value(text: str, at: Mapping[str, Fraction]) -> Fraction:
        return Fraction(eval(text, {"Fraction": Fraction}, dict(at)))

    is_growing = True
    while is_growing:
        is_growing = False
        for relation, zero in asked.zeros.items():
            unknown = [name for name in names[relation] if name not in known]
            if len(unknown) != 1 or relation in asked.kinds:
                continue
            at_zero, at_one = (value(zero, {**known, unknown[0]: Fraction(x)}) for x in (0, 1))
            if at_one != at_zero:
                known[unknown[0]] = -at_zero / (at_one - at_zero)
                is_growing = True
    broken, rough = set(), set()
    for relation, zero in asked.zeros.items():
        if not known.keys() >= {*names[relation]}:
            continue
        gap, kind = value(zero, known), asked.kinds.get(relation, "")
        if kind == "approximate":
            if abs(gap) > abs(value(asked.values[relation], known)) / 20:
                rough.add(relation)
        elif gap > 0 if kind == "limit" else gap:
            broken.add(relation)
    return known, broken, rough


def _words(text: str) -> set[str]:
    return {*"".join(c if c.isalnum() else " " for c in text).split()}


def wrong(seed: int, *, is_small: bool = False) -> str:
    """What the reply to a question has wrong; nothing, if nothing is."""
    asked = case(seed, is_small=is_small)
    known, broken, rough = follows(asked)
    question = f"case({seed}, is_small={is_small}): {asked.target} from {dict(asked.given)}"
    try:
        answer = asked.library.solve(asked.target, **asked.given)
    except InconsistentError as error:
        # what is simultaneous may contradict a wrong one, and the oracle does not solve that
        return "" if broken or asked.is_wrong else f"{question}: {error}, although nothing is broken"
    except (UnderdeterminedError, AmbiguousError, NoSolutionError):
        return (
            f"{question}: refused, and {float(known[asked.target])} follows"
            if asked.target in known and not broken
            else ""
        )
    except LimitError:
        return ""
    if broken:
        return f"{question}: {answer.value}, although {sorted(broken)} do not hold"
    if asked.target in known and not math.isclose(
        answer.value.magnitude, known[asked.target], rel_tol=1e-9, abs_tol=1e-12
    ):
        return f"{question}: {answer.value} is not {float(known[asked.target])}"
    quiet = rough - {check.name for check in answer.failed}
    return f"{question}: nothing is said of {sorted(quiet)}" if quiet else ""


def astray(seed: int, *, is_small: bool = False) -> str:
    """Which other verb has a number where what is typed contradicts itself, or none where it does not."""
    asked = case(seed, is_small=is_small)
    known, broken, _ = follows(asked)
    right = known.get(asked.target)
    given = {name: float(text) for name, text in asked.given.items()}
    if asked.target in given or right is None or (asked.is_wrong and not broken):
        return ""
    numbers = {"compile": asked.library.compile(asked.target, list(given))(**given)}
    along = next(iter(given))
    try:
        table = asked.library.sweep(asked.target, **{**given, along: [given[along], given[along]]})
    except InconsistentError:
        numbers["sweep"] = math.nan
    else:
        numbers["sweep"] = float(table.columns[asked.target][0])
    expected = math.nan if broken else float(right)
    apart = [
        verb
        for verb, number in numbers.items()
        if not ((math.isnan(number) and broken) or math.isclose(number, expected, rel_tol=1e-8, abs_tol=1e-12))
    ]
    question = f"case({seed}, is_small={is_small}): {asked.target} from {asked.given}"
    return f"{question} is {expected}: {numbers}" if apart else ""


@every("start", range(0, SHORT // 3, BATCH // 3), ordinary=3)
def test_no_verb_has_a_number_where_what_is_typed_contradicts_itself(start):
    assert not [failure for seed in range(start, start + BATCH // 3) if (failure := astray(seed))]


def test_zeros_that_one_of_two_ways_divides_by_leave_the_other():
    assert not astray(504)  # q0 = q4/q3 is 0/0, and q1 = q3/3 leads on


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH), ordinary=6)
def test_what_is_typed_is_held_against_what_follows(start):
    assert not [failure for seed in range(start, start + BATCH) if (failure := wrong(seed))]


@every("start", range(0, 2000, BATCH), ordinary=40, thorough=5)
def test_what_is_typed_is_held_against_what_follows_where_much_is_zero(start):
    assert not [failure for seed in range(start, start + BATCH) if (failure := wrong(seed, is_small=True))]


@pytest.mark.parametrize("seed", [971, 1500, 1557])
def test_a_product_that_is_zero_gives_no_factor_that_another_relation_gives(seed):
    assert not wrong(seed, is_small=True)
    assert not astray(seed, is_small=True)


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_what_is_typed_is_held_against_what_follows_in_the_long_run(start):
    assert not [failure for seed in range(start, min(start + BATCH, LAST)) if (failure := wrong(seed))]


CHAIN = """[quantities]
x = { unit = "1" }
a = { unit = "1" }
b = { unit = "1" }
c = { unit = "1" }
k = { unit = "1", value = "3" }
[relations]
double = { equation = "a = 2*x" }
times = { equation = "b = k*a" }
limit = { equation = "b <= 5" }
sum = { equation = "c = b + x" }
"""


def test_givens_contradict_each_other_through_what_the_target_does_not_need():
    chain = derive.load(CHAIN).without("limit")
    assert chain.solve("c", x=1, b=6, k=3).base == 7.0
    with pytest.raises(InconsistentError, match="times"):
        chain.solve("c", x=1, b=60, k=3)


def test_a_limit_is_broken_through_what_follows_from_a_target_that_is_given():
    chain = derive.load(CHAIN)
    assert [check.name for check in chain.solve("x", x=1).failed] == ["limit"]
    assert not chain.solve("x", x="0.5").failed
    with pytest.raises(InconsistentError, match="limit"):
        chain.solve("x", x=1, k=3)


def test_an_exact_relation_comes_before_an_estimate_in_either_direction():
    both = derive.load("""[quantities]
    x = { unit = "1" }
    y = { unit = "1" }
    z = { unit = "1" }
    [relations]
    rough = { equation = "y = 0.5*x", approximate = "5 %" }
    sum = { equation = "z = x + y" }
    """)
    answer = both.solve("y", x=2, z="3.01")
    assert answer.base == pytest.approx(1.01)
    assert [check.passed for check in answer.checks] == [True]


@pytest.mark.parametrize("seed", [1006996, 1011398])
def test_an_estimate_is_no_part_of_a_contradiction(seed):
    """No value of `q1` is left for `q7 = q2/q1` where an estimate made `q2` zero."""
    assert not wrong(seed)


@pytest.mark.parametrize("domain", ["real", "positive"])
@pytest.mark.parametrize("seed", range(12))
def test_an_estimate_that_closes_a_ring_of_relations_fixes_nothing(seed, domain):
    """Each quantity is a multiple of the one before, or a power, and an estimate ties the last to the first again."""
    draw = random.Random(f"ring {seed}")
    count = draw.randint(3, 5)
    factors = [draw.choice([2, 3, 5, Fraction(1, 2), Fraction(3, 2)]) for _ in range(count - 1)]
    equations = [f"q{i + 1} = {float(factor)}*q{i}" for i, factor in enumerate(factors)]
    whole = math.prod(factors)
    if draw.random() < 0.3:  # the same ring through a square
        equations += [f"s = q{count - 1}**2", "r = s/q0"]
        last, whole = "r", whole**2
    else:
        last = f"q{count - 1}"
    off = draw.choice([-20, -4, -1, 1, 4, 20])
    closing = float(f"{float((1 + Fraction(off, 100)) / whole):.5g}")
    names = [*(f"q{i}" for i in range(count)), *("sr" if last == "r" else "")]
    stated = [f'r{i} = {{ equation = "{equation}" }}' for i, equation in enumerate(equations)]
    stated.insert(
        draw.randint(0, len(stated)), f'rough = {{ equation = "q0 = {closing}*{last}", approximate = "10 %" }}'
    )
    library = derive.load(
        "[quantities]\n"
        + "".join(f'{name} = {{ unit = "1", domain = "{domain}" }}\n' for name in names)
        + "[relations]\n"
        + "\n".join(stated)
    )
    answer = library.solve("q1", q0=7)
    assert answer.base == pytest.approx(7 * float(factors[0]))
    assert [check.name for check in answer.failed] == (["rough"] if abs(off) == 20 else [])
    if abs(off) < 20:
        with pytest.raises(UnderdeterminedError):
            library.solve("q1")
        assert math.isnan(library.compile("q1")())
        with pytest.raises((NoSolutionError, UnderdeterminedError)):
            library.formula("q1")
