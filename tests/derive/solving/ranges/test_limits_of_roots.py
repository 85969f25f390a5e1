"""Limits on what has several roots, or no value at an end: the target's bounds are those of all admissible points."""

from __future__ import annotations

import random

import pytest

from derive import InconsistentError
from tests.derive.statements import bare, span
from tests.ordinary import every

FORMS = {
    "abs(x)": abs,
    "x**2": lambda x: x * x,
    "(x - 1)**2": lambda x: (x - 1) ** 2,
    "2*x": lambda x: 2 * x,
    "max(x, -x/2)": lambda x: max(x, -x / 2),
}


@every("seed", range(200), ordinary=16, thorough=6)
def test_limits_on_a_root_leave_what_some_admissible_root_leads_to(seed):
    draw = random.Random(f"limits of roots {seed}")
    low, high = draw.randint(-9, 0), draw.randint(1, 9)
    least, most = draw.choice([-20.0, 0.5, 2, 4.05, 12]), draw.randint(low, high) - 0.25
    form = draw.choice(list(FORMS))
    points = [low + (high - low) * step / 40_000 for step in range(40_001)]
    values = [value for x in points if x <= most and (value := FORMS[form](x)) >= least]
    domains = {"a": "real", "x": f"{low}..{high}"}
    library = bare("a x", f"a = {form}", f"a >= {least}", f"x <= {most}", domains=domains)
    if not values:
        with pytest.raises(InconsistentError):
            library.solve_all("a")
        return
    (answer,) = library.solve_all("a")
    step = 0.01
    start, end = answer.bounds or (answer.base, answer.base)
    assert start <= min(values) + 1e-9
    assert end >= max(values) - 1e-9
    assert start >= min(values) - step
    assert end <= max(values) + step


@pytest.mark.parametrize("limit", ["x/x >= p", "1/x >= p", "x**2/x >= p", "x*(1/x) >= p"])
@pytest.mark.parametrize("p", ["-1", "0"])
def test_a_limit_that_is_undefined_at_an_end_excludes_nothing_beside_it(limit, p):
    library = bare("p x", "x <= 2", limit, domains={"p": "real", "x": "positive"})
    (answer,) = library.solve_all("x", p=p)
    assert span(answer) == (0, 2)


def test_a_limit_of_typed_numbers_alone_is_met_whatever_steps_are_in_it():
    library = bare("p x", "x <= p", "x + p <= -floor(p)", domains={"p": "real", "x": "1..4"})
    with pytest.raises(InconsistentError):
        library.solve_all("x", p="2")
    wider = bare("p x", "x <= p", "x + p <= -floor(p)", domains={"p": "real", "x": "-9..4"})
    (answer,) = wider.solve_all("x", p="2")
    assert span(answer) == pytest.approx((-9, -4), rel=1e-6)
