"""Every optimum that is told as proved has a certificate, which is confirmed; one that was changed is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest

import derive
from derive import InconsistentError, LimitError, VerificationError
from derive.certificates.proof import Lagrangian, Narrowing
from derive.expressions.tree import Apply, Number
from tests.derive.optimization.test_planted_optima import drawn
from tests.derive.statements import bare
from tests.ordinary import every

FENCE = derive.load(
    """
    [quantities]
    width  = { unit = "m" }
    length = { unit = "m" }
    area   = { unit = "m**2" }
    fence  = { unit = "m" }
    [relations]
    area  = { equation = "area = width*length" }
    fence = { equation = "fence = 2*width + 2*length" }
    """
)
COUNTED = derive.load(
    """
    [quantities]
    n     = { unit = "1", domain = "whole" }
    room  = { unit = "1" }
    cost  = { unit = "1" }
    [relations]
    cost = { equation = "cost = 10/n + n" }
    room = { equation = "room = 7*n" }
    """
)


def fenced() -> derive.Optimum:
    return FENCE.most("area", such_that=["fence <= 40 m"], width="1..30 m", length="1..30 m")


def counted() -> derive.Optimum:
    return COUNTED.least("cost", such_that=["room <= 18"], n="1..10")


def listed() -> derive.Optimum:
    return COUNTED.least("cost", n=["2", "3", "4"])


def assert_refused(found: derive.Optimum, **changes) -> None:
    assert found.proof is not None
    proof = replace(found.proof, **changes)
    with pytest.raises(VerificationError):
        derive.verify(replace(found, _proof=lambda: proof))


@pytest.mark.parametrize("asked", [fenced, counted, listed])
def test_an_optimum_has_a_proof(asked):
    found = asked()
    assert found.proved
    assert derive.verify(found)
    assert derive.verify(found.answer)


def test_a_proof_of_an_optimum_survives_pickling():
    found = fenced()
    other = pickle.loads(pickle.dumps(found))
    assert other.proof == found.proof
    assert derive.verify(other)


@pytest.mark.parametrize("asked", [fenced, counted])
def test_a_bound_that_was_changed_is_refused(asked):
    found = asked()
    ((bound,),) = found.proof.bounds

    def assert_bound_refused(**changes):
        assert_refused(found, bounds=((replace(bound, **changes),),))

    assert_refused(found, bounds=())
    assert_refused(found, bounds=((),))
    assert_bound_refused(floor=bound.floor + 1e-3 * abs(bound.floor))
    assert_bound_refused(floor=bound.floor - 1e-3 * abs(bound.floor))
    assert_bound_refused(limits=())
    assert_bound_refused(goal=Apply("add", (bound.goal, Number(Fraction(1)))))
    assert_bound_refused(tree=bound.tree[:-1])
    assert_bound_refused(tree=(None,))
    assert_bound_refused(tree=(Lagrangian(),))
    assert_refused(found, sign=-found.proof.sign)
    assert_refused(found, distance=abs(found.answer.base))


def test_the_proof_of_another_value_is_refused():
    found = fenced()
    with pytest.raises(VerificationError):
        derive.verify(replace(found, answer=counted().answer, _proof=lambda: found.proof))


def test_the_proof_of_another_choice_or_sense_is_refused():
    found = fenced()
    changed = {name: 1.5 * number for name, number in found.chosen.items()}
    other = {"least": "most", "most": "least"}[found.sense]
    for false in (replace(found, chosen=changed), replace(found, sense=other)):
        with pytest.raises(derive.VerificationError):
            derive.verify(false)


def test_a_choice_whose_own_best_is_another_than_its_bounds_have_is_refused():
    found = listed()
    for place, choice in enumerate(found.choices):
        choices = (*found.choices[:place], replace(choice, best=choice.best + 0.01), *found.choices[place + 1 :])
        with pytest.raises(derive.VerificationError):
            derive.verify(replace(found, choices=choices))


def test_a_distance_from_a_value_that_is_not_zero_is_refused_as_that_of_zero():
    found = fenced()
    wide = replace(found.proof, distance=abs(found.answer.base) / 2)
    with pytest.raises(derive.VerificationError):
        derive.verify(replace(found, gap_is_absolute=True, _proof=lambda: wide))


def forged(found: derive.Optimum, value: float, **at: float) -> derive.Optimum:
    """An optimum that claims another value at another point, with bounds that hold of the goal alone."""
    sign, at = found.proof.sign, {**found.chosen, **at}
    ranged = {name: number for name, number in at.items() if name in found.ranged}
    tree, floor = (Lagrangian(),), sign * value - 1e-12
    bounds = tuple(tuple(replace(bound, floor=floor, tree=tree) for bound in case) for case in found.proof.bounds)
    return replace(
        found,
        answer=replace(found.answer, base=value),
        chosen=at,
        choices=tuple(replace(choice, best=value, at=ranged) for choice in found.choices),
        _proof=lambda: replace(found.proof, bounds=bounds, distance=1e-12),
    )


FORBIDDEN = {
    "a limit": (("t = a + b", "a + 2*b >= 4"), {"a": "1..3", "b": "1..5"}, {"a": 1.0, "b": 1.0}, 2.0),
    "a range": (("t = a", "a + b >= 1.3"), {"a": "1..3", "b": "0.3..4.3"}, {"a": 1.0, "b": 4.353}, 1.0),
    "a count": (("t = a", "a + n >= 2"), {"a": "1..3", "n": "1..9"}, {"a": 1.0, "n": 5.06}, 1.0),
    "an entry": (("t = a", "a + b >= 1.5"), {"a": "1..3", "b": ["0.5"]}, {"a": 1.0, "b": 0.515}, 1.0),
    "a tie": (("t = b", "c = a + b"), {"a": "0..3", "b": "1..3", "c": "4"}, {"a": 2.0, "b": 1.0}, 1.0),
}


@pytest.mark.parametrize("broken", FORBIDDEN)
def test_a_point_that_is_not_admissible_is_refused_though_the_goal_has_its_value_there(broken):
    (goal, other), given, at, value = FORBIDDEN[broken]
    domains = {"n": "whole", **dict.fromkeys("abct", "real")}
    found = bare("a b c n t", goal, other, domains=domains).least("t", **given)
    assert found.proved
    assert derive.verify(found)
    with pytest.raises(VerificationError):
        derive.verify(forged(found, value, **at))


def test_a_value_of_zero_is_no_reason_for_a_wide_distance():
    """At a = b = 2 the difference is zero, and its least value is -4."""
    found = bare("a b t", "t = a - b", domains={"t": "real"}).least("t", a="1..3", b="1..5")
    ((bound,),) = found.proof.bounds
    claimed = forged(found, 0.0, a=2.0, b=2.0)
    for distance in (10.0, 1e-6):
        wide = replace(found.proof, bounds=((replace(bound, floor=-distance),),), distance=distance)
        with pytest.raises(VerificationError):
            derive.verify(replace(claimed, gap_is_absolute=True, _proof=lambda wide=wide: wide))


def test_a_negative_price_of_a_limit_proves_nothing():
    found = fenced()
    ((bound,),) = found.proof.bounds
    priced = [node for node in bound.tree if isinstance(node, Lagrangian) and any(node.prices)]
    assert priced
    tree = tuple(
        Lagrangian(tuple(-price for price in node.prices)) if isinstance(node, Lagrangian) else node
        for node in bound.tree
    )
    assert_refused(found, bounds=((replace(bound, tree=tree),),))


def test_a_place_that_narrowing_leaves_is_looked_at():
    found = fenced()
    ((bound,),) = found.proof.bounds
    assert_refused(found, bounds=((replace(bound, tree=(Narrowing(), None)),),))
    assert_refused(found, bounds=((replace(bound, tree=(Narrowing(),)),),))


def test_an_optimum_without_a_certificate_is_not_told_as_proved():
    found = replace(fenced(), _proof=lambda: None)
    assert not found.proved
    assert not derive.verify(found)
    assert "not proved" in found.text()


@every("seed", range(40), ordinary=8)
def test_every_proof_of_a_planted_optimum_is_confirmed(seed):
    goal, ranges, _, _ = drawn(seed)
    some = bare(" ".join(("f", *ranges)), f"f = {goal}", domains=dict.fromkeys(("f", *ranges), "real"))
    try:
        found = some.least("f", **ranges)
    except (LimitError, InconsistentError):
        return
    assert derive.verify(found) == (found.proof is not None)
