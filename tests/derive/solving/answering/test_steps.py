"""The steps of an answer: what is solved together is shown together."""

from __future__ import annotations

import pytest

from tests.derive.statements import bare

PIPE = bare(
    "drop velocity reynolds friction d nu",
    "reynolds = velocity*d/nu",
    "friction = 0.3164/reynolds**0.25",
    "drop = friction*velocity**2",
)


def test_relations_that_fix_their_unknowns_together_are_one_step():
    answer = PIPE.solve("velocity", drop=2, d=1, nu=0.001)
    (step,) = answer.steps
    assert {part.relation for part in step.together} == {"r1", "r2", "r3"}
    assert {part.quantity for part in step.together} == {"velocity", "reynolds", "friction"}
    v = 1000 ** (1 / 7) * (2 / 0.3164) ** (4 / 7)
    assert {part.quantity: float(part.value) for part in step.together}["velocity"] == pytest.approx(v, rel=1e-4)


@pytest.mark.parametrize("face", ["text", "markdown", "latex"])
def test_every_form_states_all_relations_before_their_values(face):
    answer = PIPE.solve("velocity", drop=2, d=1, nu=0.001)
    page = getattr(answer, face)(digits=5)
    assert page.count("together") == 1
    (friction,) = (part for part in answer.steps[0].together if part.quantity == "friction")
    assert page.rindex(friction.rounded(5).value) > page.rindex("0.3164")


def test_a_relation_by_itself_is_a_step_of_its_own():
    answer = PIPE.solve("reynolds", velocity=2, d=1, nu=0.001)
    (step,) = answer.steps
    assert step.together == ()
