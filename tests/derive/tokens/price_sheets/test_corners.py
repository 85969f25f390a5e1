"""Where a choice counts by few quantities, its extremes are proved and not looked for everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import derive
from derive.tokens.price_sheets import oracle
from derive.tokens.price_sheets.asker import Asker
from derive.tokens.price_sheets.concluding import conclude
from derive.tokens.price_sheets.conclusions import Conclusion
from derive.tokens.price_sheets.corners import at_corners
from derive.tokens.price_sheets.plausible import plausible
from derive.tokens.price_sheets.questions import QUESTIONS, TENSIONS, SheetQuestion
from derive.tokens.price_sheets.sheets import read_sheet
from derive.tokens.price_sheets.text import as_data
from quantities.profiles import Profile
from quantities.value import read_value
from tests.ordinary import every

AXES = plausible(derive.llm, ()).axes
COUNTED = [question for question in (*QUESTIONS, *(one.question for one in TENSIONS)) if question.counted_by]


class Counting(Asker):
    """An asker that counts."""

    asked: int = 0

    def ask(self, *asked: Any) -> Any:
        object.__setattr__(self, "asked", self.asked + 1)
        return super().ask(*asked)


def asker(*profiles: str | Profile, sheet: str = "gemini-2-5-pro-prices", **given: Any) -> Counting:
    found = read_sheet(sheet, given)
    return Counting(found, plausible(found.library, profiles))


def question(target: str) -> SheetQuestion:
    return next(one for one in COUNTED if one.target == target)


@pytest.mark.thorough
@every("asked", COUNTED, ids=lambda asked: asked.target, ordinary=3)
def test_the_extremes_are_those_of_all_choices(asked: SheetQuestion) -> None:
    tier = "nvme-gen5-30tb"  # which counts in none of them
    short, long = (conclude(asker(tier), one) for one in (asked, replace(asked, counted_by=())))
    assert isinstance(short, Conclusion)
    assert isinstance(long, Conclusion)
    assert short.bounds == pytest.approx(long.bounds, rel=1e-12)
    assert short.reference == long.reference
    if short.bounds != pytest.approx((short.bounds[0],) * 2, rel=1e-12):  # else the choice makes no difference
        assert (short.low_at, short.high_at) == (long.low_at, long.high_at)


def test_a_margin_is_asked_at_the_dearest_and_the_cheapest_arithmetic_only() -> None:
    one = asker()
    conclude(one, question("input_margin_limit"))
    costs, asked = len(AXES["chip"]) * len(AXES["size"]) - 1, one.asked
    assert costs < asked < costs + 6
    conclude(one, question("output_margin_limit"))  # the costs are known by now
    assert one.asked - asked < 6


def test_a_chip_that_says_more_is_asked() -> None:
    """One that states a margin of its own reaches beyond what its arithmetic costs."""
    stated = {"output_input_ratio": read_value("100")}
    chips = AXES["chip"]
    odd = Profile("odd", {**chips[0].values, **stated}, "")
    one = asker(*chips[1:], odd, "deepseek-v3")
    choices = list(one.choices)
    assert at_corners(one, question("implied_least_batch"), {}, choices) is None
    assert at_corners(asker(*chips, "deepseek-v3"), question("implied_least_batch"), {}, choices[:-7]) is not None


def test_a_box_that_is_wider_than_the_choices_proves_nothing() -> None:
    """No chip has the greatest bandwidth and the least peak at once, so no choice lies in that corner."""
    counted = ("peak_compute", "hbm_bandwidth", "active_parameters")
    wide = SheetQuestion("implied_kv_bytes_per_token", ("price_cliff",), counted_by=counted)
    one = asker("deepseek-v3", "nvme-gen5-30tb")
    assert at_corners(one, wide, {}, one.choices) is None


@pytest.mark.thorough
def test_sheets_say_side_by_side_what_they_say_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them made known is not told of another."""
    some = ("gpt-5-4-prices", "gpt-6-sol-prices", "claude-opus-4-8-prices", "claude-opus-5-prices")
    monkeypatch.setattr(oracle, "sheet_names", lambda: some)
    narrow = ("gb200:fp8", "mi300x:fp8", "deepseek-v3", "qwen3-235b-a22b", "nvme-gen5-30tb")
    for found in oracle.survey(*narrow):
        assert as_data(found) == as_data(oracle.infer(found.sheet, *narrow))
