"""An estimate (`approximate`) agrees within a share of its value, whoever tests it.

The oracle is the definition in exact rationals. The long run asks as many as one has patience for:

    DERIVE_SEEDS=0..20000 pytest -m long --override-ini addopts= -v \
        tests/derive/solving/execution/test_estimates_checked.py
"""

from __future__ import annotations

import os
import random
from fractions import Fraction

import pytest

import derive
from tests.derive.statements import bare
from tests.ordinary import every

SHORT, BATCH = 60, 20
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..20000").split(".."))

FORMS = ["2*x", "x*w", "x + w", "x - w", "x*x - 3*w", "-x"]


def case(seed: int) -> tuple[str, int, dict[str, Fraction], bool]:
    """An estimate, its share in per cent, numbers of all in it, and whether it holds."""
    draw = random.Random(f"estimate {seed}")
    form = draw.choice(FORMS)
    share = draw.choice([1, 3, 10, 25])
    at = {name: Fraction(draw.randint(-40, 80), 8) for name in "xw"}
    whole = eval(form, {}, at)
    aside = (
        whole
        * draw.choice([-1, 1])
        * Fraction(share, 100)
        * draw.choice([0, Fraction(98, 100), 1, Fraction(102, 100), 2])
    )
    text = draw.choice([f"y = {form}", f"{form} = y"])
    at["y"] = whole + aside
    if draw.random() < 0.3:
        text, at["y"] = draw.choice([f"y <= {form}", f"y >= {form}"]), whole + aside
    over = at["y"] - whole
    excess = {"=": abs(over), "<=": over, ">=": -over}[next(op for op in ("<=", ">=", "=") if op in text)]
    return text, share, at, excess <= abs(whole) * Fraction(share, 100)


def apart(seed: int) -> str:
    """Which verb judges an estimate otherwise than its definition does; nothing, if none does."""
    text, share, numbers, holds = case(seed)
    quantities = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in "ywxz")
    stated = f'estimate = {{ equation = "{text}", approximate = "{share} %" }}'
    library = derive.load(f'[quantities]\n{quantities}[relations]\n{stated}\ntwice = {{ equation = "z = 2*x" }}\n')
    given = {name: float(x) for name, x in numbers.items() if name in text}
    verdicts = {"solve": not library.solve("z", **given).failed}
    table = library.sweep("z", **{**given, "y": [given["y"], given["y"]]})
    verdicts["sweep"] = bool(table.holds[0])
    wrong = [verb for verb, verdict in verdicts.items() if verdict != holds]
    return f"case({seed}): {text} within {share} % at {given}, not {wrong}" if wrong else ""


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH))
def test_an_estimate_agrees_within_a_share_of_its_value(start):
    assert not [failure for seed in range(start, start + BATCH) if (failure := apart(seed))]


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_an_estimate_agrees_within_a_share_of_its_value_in_the_long_run(start):
    assert not [failure for seed in range(start, min(start + BATCH, LAST)) if (failure := apart(seed))]


@every("seed", range(80), ordinary=8)
def test_an_estimate_beside_a_range_agrees_within_its_share_of_any_number_in_the_range(seed):
    draw = random.Random(seed)
    low, share, factor = draw.randint(2, 9), draw.randint(2, 20), draw.choice(["2", "0.5", "3"])
    high = low + draw.randint(1, 5)
    estimate = {"equation": f"y = {factor}*a", "approximate": f"{share} %"}
    library = bare("a y t b", estimate, "t = y + b")
    least, most = (
        Fraction(factor) * end for end in (low * (1 - Fraction(share, 100)), high * (1 + Fraction(share, 100)))
    )
    y = draw.uniform(0.8 * float(least), 1.2 * float(most))
    answer = library.solve("t", a=f"{low}..{high}", y=y, b=1)
    assert bool(answer.failed) == (not least <= y <= most)


@pytest.mark.parametrize(
    ("op", "y", "holds"), [("<=", 24.1, True), ("<=", 24.3, False), (">=", 16.3, True), (">=", 16.1, False)]
)
def test_a_rough_limit_beside_what_a_profile_states_as_a_range_holds_within_its_share_of_either_end(op, y, holds):
    """Twice a is 18 to 22, and 10 % of that more or less is 16.2 to 24.2."""
    limit = {"equation": f"y {op} 2*a", "approximate": "10 %"}
    library = bare("a y t b", limit, "t = y + b", "b = 3*a", profiles={"own": {"a": "9..11"}})
    answer = library.solve("t", "own", y=y)
    assert bool(answer.failed) != holds
