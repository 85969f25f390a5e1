"""Compiled choices, some of whose arms are literals: one number beside the arrays of the others."""

from __future__ import annotations

import numpy

import derive

RELATION = """
[quantities]
x = { unit = "1", domain = "nonnegative" }
y = { unit = "1", domain = "real" }
q = { unit = "1", domain = "real" }
[relations.r]
equation = "y = min(max(x, 2), q, 7) + max(0.5*x, 3)"
"""


def test_arrays_of_arms() -> None:
    library = derive.load(RELATION)
    y = numpy.linspace(4, 14, 21)
    found = library.compile("x", given=["y", "q"])(y=y, q=numpy.array([[5.0], [9.0]]))
    for place, q in enumerate((5.0, 9.0)):
        for number, x in zip(y.tolist(), found[place].tolist(), strict=True):
            answers = _answers(library, y=str(number), q=str(q))
            is_single = len(answers) == 1 and answers[0].value is not None
            assert numpy.isclose(x, answers[0].value.magnitude) if is_single else numpy.isnan(x)


def _answers(library: derive.Library, **given: str) -> tuple[derive.Answer, ...]:
    try:
        return library.solve_all("x", **given)
    except derive.NoSolutionError:
        return ()


def test_a_condition_in_several_choices() -> None:
    library = derive.load(
        RELATION.replace(
            "min(max(x, 2), q, 7) + max(0.5*x, 3)",
            "abs((4.45 - (x if x <= -2.1 else -1.7)) + min((8.1 if x > 0.2 else x), (q if x > 0.2 else x)))",
        )
    )
    compiled = library.compile("x", given=["y", "q"])
    (answer,) = library.solve_all("x", y="6.25", q="8")
    assert numpy.isclose(compiled(y=6.25, q=8.0), answer.value.magnitude)
