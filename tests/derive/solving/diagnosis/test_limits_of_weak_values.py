"""A limit that a profile's value or a default breaks is told, also where the answer does not need that value.

The oracle is plain arithmetic: each quantity is worked out forwards, and the limit holds or does not.
"""

from __future__ import annotations

import random

import pytest

from tests.derive.statements import bare
from tests.ordinary import every

FORMS = ("d = {k}*a", "d = a + {k}")
BESIDE = ("e = {k}*w", "e = a*w", "e = w + {k}", "e = a + w", "e = w/a")
LIMITS = ("e <= {k}*d", "d <= {k}*e", "d >= e + {k}", "e >= {k}*d")


def holds(text, numbers):
    """Whether a text of Python holds at some numbers."""
    return eval(text, {}, numbers)


@every("seed", range(240), ordinary=8)
def test_a_limit_that_a_weak_value_breaks_beside_the_answer_is_told(seed):
    draw = random.Random(f"weak {seed}")
    relations = [draw.choice(texts).format(k=draw.choice(["0.5", "1.5", "3"])) for texts in (FORMS, BESIDE, LIMITS)]
    a, w = draw.choice([1.0, 4.0, 9.0]), draw.choice([0.1, 2.6, 70.0])
    numbers = {"a": a, "w": w}
    for text in relations[:2]:
        name, _, value = text.partition(" = ")
        numbers[name] = eval(value, {}, numbers)
    stated = {"values": {"w": str(w)}} if draw.random() < 0.5 else {"profiles": {"p": {"w": str(w)}}}
    library = bare("a d e w", *relations, **stated)
    profiles = ["p"] if "profiles" in stated else []
    answer = library.solve("d", *profiles, a=a)
    is_met = holds(relations[2], numbers)
    assert [check.name for check in answer.failed] == ([] if is_met else ["r3"])
    assert library.sweep("d", *profiles, a=[a, a]).holds.tolist() == [is_met, is_met]


@pytest.mark.parametrize("length", ["320.6", "319.4"])
def test_the_rounding_of_other_weak_values_breaks_no_limit_of_a_stated_one(length):
    stated = {"length": length, "each": "10", "pieces": "32", "places": "32"}
    relations = ["pieces = length/each", "pieces <= places", "t = 2*x"]
    shelf = bare("length each pieces places t x", *relations, profiles={"shelf": stated})
    assert shelf.solve("t", "shelf", x="2").failed == ()
    broken = shelf.solve("t", "shelf", x="2", length="350", each="10").failed
    assert [(check.name, check.numbers["pieces"]) for check in broken] == [("r2", 35)]  # typed values lead to these


def test_a_stated_value_yields_to_what_givens_lead_to_against_the_direction_of_a_relation():
    stated = {"pieces": "32", "places": "32"}
    relations = ["length = pieces*each", "pieces <= places", "t = 2*x"]
    shelf = bare("length each pieces places t x", *relations, profiles={"shelf": stated})
    failed = {
        check.name: check.numbers["pieces"] for check in shelf.solve("t", "shelf", x=2, length=350, each=10).failed
    }
    assert failed["r2"] == 35
