"""What is typed determines the target since something cancels: a weak value, which counting needs, is not used."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy
import pytest
import sympy

from derive import UnderdeterminedError
from tests.derive.statements import bare, number
from tests.ordinary import every

KINDS = ("values", "fallbacks", "profiles")


def drawn(seed: int) -> tuple[list[str], float, float]:
    """Relations in which a cancels, so that e alone gives c; the e, and the c."""
    draw = random.Random(seed)
    first, second, third, e = (draw.randint(1, 9) for _ in range(4))
    if draw.random() < 0.5:
        relations = [f"c = {first}*b", f"s = {second}*b - a", f"e = c + s + {third}*c + a"]
        return relations, float(e), first * e / (first + second + third * first)
    relations = [f"c = {first}*b", f"s = {second}*b/a", f"e = {third}*c*s*a"]
    return relations, float(e), (first * e / (second * third)) ** 0.5


@pytest.mark.thorough
@every("seed", range(300), ordinary=9, thorough=80)
def test_what_is_typed_comes_before_a_weak_value_that_counting_needs(seed: int) -> None:
    relations, e, expected = drawn(seed)
    kind, stated = KINDS[seed % len(KINDS)], {"b": "39"}
    weak: dict[str, Any] = {kind: {"p": stated} if kind == "profiles" else stated}
    profiles = ["p"] if kind == "profiles" else []
    library = bare("a b c s e", *relations, domains={"s": "real"}, **weak)
    answer = library.solve("c", *profiles, e=str(e))
    assert number(answer) == pytest.approx(expected)
    assert answer.unused == ()
    assert [check.name for check in answer.failed] == (["b"] if profiles else [])
    assert library.compile("c", given=["e"], profiles=profiles)(e=e) == pytest.approx(expected)
    assert library.sweep("c", *profiles, e=numpy.array([e])).columns["c"].tolist() == pytest.approx([expected])


def test_a_default_answers_where_nothing_typed_leads_to_the_target() -> None:
    library = bare("a b c s e", "c = b", "s = b - 2*a", "e = c + s + a", domains={"s": "real"}, values={"b": "39"})
    assert number(library.solve("c", e="2")) == 39
    assert library.compile("c", given=["e"])(e=2.0) == 39


def test_the_formula_is_in_what_is_given() -> None:
    library = bare("a b c s e", "c = b", "s = b - a", "e = c + s + a", domains={"s": "real"}, values={"b": "39"})
    assert str(library.formula("c", given=["e"])) == "e/2"


@every("seed", range(300), ordinary=6, thorough=80)
def test_weak_values_that_what_is_typed_determines_are_no_part_of_simultaneous_equations(seed: int) -> None:
    draw = random.Random(seed)
    first, second, factor = (draw.randint(1, 9) for _ in range(3))
    c, b, stated = draw.randint(1, 20), draw.randint(1, 20), draw.randint(1, 40)
    relations = [f"c = {first}*a + {second}*b", f"d = {factor * first}*a + {factor * second}*b"]
    values, profiles = {"b": str(b)}, {"p": {"d": str(stated)}}
    library = bare("a b c d", *relations, domains=dict.fromkeys("abcd", "real"), values=values, profiles=profiles)
    answer = library.solve("a", "p", c=str(c))
    expected = pytest.approx((c - second * b) / first)
    assert number(answer) == expected
    assert [check.name for check in answer.failed] == ([] if stated == factor * c else ["d"])
    assert library.compile("a", given=["c"], profiles=["p"])(c=float(c)) == expected


@pytest.mark.parametrize("g", ["2", "18"])
def test_a_weak_value_that_what_is_typed_determines_fixes_nothing_else(g: str) -> None:
    library = bare("c d f g", "g = c/d", "d = c/f", values={"g": g})
    with pytest.raises(UnderdeterminedError) as error:
        library.solve("c", f="18")
    assert error.value.missing == (("d",),)
    assert number(library.solve("g", f="18")) == 18


def test_a_relation_that_does_not_apply_displaces_no_weak_value() -> None:
    """Up to k = 1, c says nothing of the sum of a and b: the default of d does."""
    first = {"equation": "c = a + b", "when": ["k > 1"]}
    domains = dict.fromkeys("abcd", "real")
    library = bare("a b c d k", first, "d = 2*a + 2*b", domains=domains, values={"d": "50"})
    with pytest.raises(UnderdeterminedError) as error:
        library.solve("a", c=10, k="0.5")
    assert error.value.missing == (("b",),)
    assert number(library.solve("a", c=10, k="0.5", b=1)) == 24


@pytest.mark.parametrize("rough", [0, 2])
def test_an_estimate_displaces_no_weak_value(rough: int) -> None:
    relations: list[Any] = ["c = b", "s = b - a", "e = c + s + a"]
    relations[rough] = {"equation": relations[rough], "approximate": "10 %"}
    library = bare("a b c s e", *relations, domains={"s": "real"}, values={"b": "39"})
    assert number(library.solve("c", e="2")) == 39


@pytest.mark.parametrize("kind", ["values", "profiles"])
def test_a_weak_value_that_cancels_may_lead_from_what_is_typed_to_the_target(kind: str) -> None:
    """The plan with a uses e, and so goes past nothing that is typed; b is what is refuted."""
    weak: dict[str, Any] = {"values": {"b": "39"}, "profiles": {"p": {}}}
    weak[kind] = {**weak[kind], "a": "1"} if kind == "values" else {"p": {"a": "1"}}
    library = bare("a b c s e", "c = b", "s = b - a", "e = c + s + a", domains={"s": "real"}, **weak)
    answer = library.solve("c", "p", e="2")
    assert number(answer) == 1
    assert "a" in answer.given
    assert [check.name for check in answer.failed] == ["b"]


@every("seed", range(60), ordinary=12, thorough=1)
def test_a_weak_value_on_the_way_yields_to_what_is_typed(seed: int) -> None:
    """What is typed fixes c, whatever b and a are, and the target is c times or plus something that is only weak."""
    draw = random.Random(seed)
    b, h, e, share = draw.randint(30, 60), draw.randint(2, 9), draw.randint(1, 20), draw.randint(1, 4)
    c = e / (1 + share)
    form, right = draw.choice([("g = c*h", c * h), ("g = c + h", c + h), ("g = h/c", h / c)])
    chain = ["c = b", f"s = {share}*b - a", "e = c + s + a", form]
    relations, values = draw.sample([*chain, "y = 3*z"], 5), {"b": str(b), "h": str(h)}
    answer = bare("a b c s e g h y z", *relations, domains={"s": "real"}, values=values).solve("g", e=e, z=1)
    assert number(answer) == pytest.approx(right)
    assert answer.unused == ("z",)


@every("seed", range(200), ordinary=40, thorough=1)
def test_weak_values_change_nothing_that_linear_relations_and_what_is_typed_determine(seed: int) -> None:
    """Exact elimination says what is typed alone determines, whatever defaults and profiles state of the others."""
    draw = random.Random(seed)
    names = list("abcdfgh")[: draw.randint(4, 7)]
    planted = {name: Fraction(draw.randint(-9, 9)) for name in names}
    rows = []
    for _ in range(draw.randint(2, len(names) - 1)):
        members = draw.sample(names, draw.randint(2, min(4, len(names))))
        rows.append({name: Fraction(draw.choice((-3, -2, -1, 1, 1, 2, 3))) for name in members})
    totals = [sum(factor * planted[name] for name, factor in row.items()) for row in rows]
    typed = draw.sample(names, draw.randint(1, len(names) - 3))
    determined = [name for name in determined_by(rows, names, typed) if name not in typed]
    if not determined:
        return
    target = draw.choice(determined)
    weak = {name: str(draw.randint(-9, 9)) for name in names if name not in typed and draw.random() < 0.6}
    equations = [
        f"{' + '.join(f'({factor})*{name}' for name, factor in row.items())} = {total}"
        for row, total in zip(rows, totals, strict=True)
    ]
    profiles = {"p": dict(list(weak.items())[::2])}
    values = dict(list(weak.items())[1::2])
    library = bare(" ".join(names), *equations, domains=dict.fromkeys(names, "real"), values=values, profiles=profiles)
    answer = library.solve(target, "p", **{name: str(planted[name]) for name in typed})
    assert number(answer) == pytest.approx(float(planted[target]), abs=1e-9)


NEARLY_MISSED: list[tuple[list[str], dict[str, str], dict[str, str], str, float]] = [
    (  # the typed a is used beside the d that it determines, since f + g cancels
        ["c = -3*g - 3*a - 3*f", "a = 12 - 3*d - 3*b", "c = d - 3*a + 18", "-2*f - d - 2*g = 12"],
        {"a": "6"},
        {"d": "-8", "f": "-1"},
        "b",
        2,
    ),
    (  # a + 2*b cancels only where both relations hold
        ["a = -2*b - g + 5", "-2*f + 2*d - 2*c = -30", "c = f + 3*g - 11", "a = -2*f - 3*g - 2*b + 19"],
        {"f": "2"},
        {"c": "-9", "d": "-5", "g": "-7"},
        "d",
        -7,
    ),
    (  # three relations determine a, whatever is typed
        ["g = 2*c - 2*a + 22", "2*d + b + 2*a = -13", "f = 3*a + 2*g - c - 37", "c = f + a - g + 9"],
        {"b": "-5"},
        {"a": "4", "c": "8", "d": "-9", "g": "4"},
        "d",
        -7,
    ),
    (  # what is typed leads to no relation of the target
        ["h = f + c - d + 24", "f = 2*c - 2*d + 6", "g + a + b + f = -15", "f = a - 7", "h = a + 10"],
        {"b": "-4"},
        {"a": "-4", "d": "3", "f": "6", "g": "-6", "h": "-9"},
        "f",
        -8,
    ),
    (  # three relations say the same of h + 3*a, and a is needed
        ["b = c + f + 11", "h = 2*d - 3*a + f + 28", "h = c - 3*a - 2*g + 37", "h + 3*a - c + 3*f = 3"],
        {"c": "-3", "b": "2", "g": "8", "d": "-2"},
        {"a": "-5"},
        "h",
        33,
    ),
]


@pytest.mark.parametrize(("relations", "typed", "values", "target", "expected"), NEARLY_MISSED)
def test_what_typed_values_determine_is_told_by_slopes_where_all_relations_hold(
    relations: list[str], typed: dict[str, str], values: dict[str, str], target: str, expected: float
) -> None:
    domains = dict.fromkeys("abcdefgh", "real")
    assert (
        number(bare("a b c d e f g h", *relations, domains=domains, values=values).solve(target, **typed)) == expected
    )


def determined_by(rows: list[dict[str, Fraction]], names: list[str], known: list[str]) -> list[str]:
    """The names that linear equations with these factors determine once some are known, by their null space."""
    open_names = [name for name in names if name not in known]
    matrix = sympy.Matrix([[row.get(name, 0) for name in open_names] for row in rows])
    null_space = matrix.nullspace()
    return [name for i, name in enumerate(open_names) if all(vector[i] == 0 for vector in null_space)]
