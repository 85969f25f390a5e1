"""What a page shows is what the engine answers, wherever its sliders stand and whatever it solves for."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest

import derive
from derive.library import Library
from derive.pages.page import page
from tests.derive.pages.settings import Setting, difference, drawn
from tests.derive.pages.shop import shop, shop_page
from tests.derive.pages.shown import Shown, data_of

SHELF = Path(__file__).parents[3] / "reports" / "pages"
PAGES = ("cliff", "prices", "roofline", "training")


def differences(tab: Shown, library: Library, path: Path, count: int, seed: int) -> tuple[list[str], Counter[str]]:
    """What differs at random settings, with how to get there; and how many have a number."""
    data, draw = data_of(path.read_text(encoding="utf-8")), random.Random(seed)
    settings = [drawn(library, data, draw) for _ in range(count)]
    shown = tab.opened(path).at_each([setting.address for setting in settings])
    assert tab.complaints == []
    found, counted = [], Counter[str]()
    for setting, one in zip(settings, shown, strict=True):
        counted["none" if math.isnan(one["number"]) else "a number"] += 1
        if said := difference(library, setting, one):
            found.append(f"{path.name}#{setting.address}: {said}")
    return found, counted


def _written(folder: Path, text: str) -> Path:
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.thorough
def test_a_small_page_answers_as_the_engine_does(tab, tmp_path):
    found, counted = differences(tab, shop(), _written(tmp_path, shop_page()), 50, seed=1)
    assert found == []
    assert counted["a number"] > 20


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name == "roofline" else ()) for name in PAGES]
)
def test_the_pages_of_the_reports_answer_as_the_engine_does(tab, name):
    found, counted = differences(tab, derive.llm, SHELF / f"{name}.html", 25, seed=2)
    assert found == []
    assert counted["a number"] > 10


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_the_pages_answer_so_at_a_thousand_settings(tab, name):
    found, _ = differences(tab, derive.llm, SHELF / f"{name}.html", 1000, seed=3)
    assert found == []


@pytest.mark.thorough
def test_a_difference_would_be_seen(tab, tmp_path):
    wrong = derive.load(_changed("rent*chips*step/batch", "rent*chips*step/batch*1.0000001"))
    found, _ = differences(tab, wrong, _written(tmp_path, shop_page()), 20, seed=4)
    assert found


def _changed(old: str, new: str) -> str:
    from tests.derive.pages.shop import TEXT

    assert old in TEXT
    return TEXT.replace(old, new)


@pytest.mark.thorough
def test_a_page_says_what_it_searched_and_what_it_cannot(tab, tmp_path):
    tab.opened(_written(tmp_path, shop_page()))
    found, none = tab.at_each(["~held=step&~solve=batch&step=0.02", "~solve=chips&cost=1e-09&batch=100"])
    assert found["number"] == pytest.approx(shop().solve("batch", step="20 ms").value.magnitude, rel=1e-9)
    assert any("that it is the only value is not proved" in note for note in found["notes"])
    assert none["why"] or not math.isnan(none["number"])
    flat = tab.at_each(["~solve=work&cost=2e-05&batch=3.3333333333333335"])[0]
    assert math.isnan(flat["number"])
    assert flat["why"] != ""


@pytest.mark.thorough
def test_a_count_that_is_searched_is_a_whole_number_or_lies_between_two(tab, tmp_path):
    tab.opened(_written(tmp_path, shop_page()))
    exact = shop().solve("worth", batch="100 sequence", chips="9 chip", rent="3 USD/h/chip").value.magnitude
    hit, between = tab.at_each(
        [f"~held=worth&~solve=chips&batch=100&worth={number!r}" for number in (exact, exact * 1.01)]
    )
    assert hit["number"] == 9
    assert math.isnan(between["number"])
    assert "at 9 chip and" in between["why"]
    assert "at 10 chip" in between["why"]


@pytest.mark.thorough
def test_what_rounding_would_decide_is_no_number(tab, tmp_path):
    tab.opened(_written(tmp_path, shop_page()))
    (shown,) = tab.at_each(["~held=step&~solve=work&step=1.0000000000000002&per=0.01&batch=100"])
    assert math.isnan(shown["number"])
    assert shown["why"] != ""


@pytest.mark.thorough
def test_every_quantity_of_the_closed_set_can_be_asked_for_and_back(tab, tmp_path):
    (variant,) = data_of(shop_page())["variants"]
    assert variant["plans"].keys() == {"cost", *variant["known"]}
    refused = {name: plan for name, plan in variant["plans"].items() if isinstance(plan, str)}
    assert refused == {"room": "room is not determined by what is given."}  # the cost has nothing to do with it
    tab.opened(_written(tmp_path, shop_page()))
    start = tab.now["number"]
    for name in sorted(variant["plans"].keys() - refused.keys() - {"cost"}):
        tab.tab.select_option("#unknown", name)
        assert tab.now["solve"] == name
        tab.tab.select_option("#unknown", "cost")
        assert tab.now["number"] == pytest.approx(start, rel=1e-9), name


@pytest.mark.thorough
def test_a_page_of_a_question_without_profiles_and_givens_stands(tab, tmp_path):
    library = derive.load("""[quantities]
        x = { unit = "m", value = "2 m" }
        y = { unit = "m**2" }
        [relations]
        square = { equation = "y = x**2" }""")
    path = _written(tmp_path, page(library, "y", (), {}))
    found, _ = differences(tab, library, path, 20, seed=5)
    assert found == []


def test_a_setting_is_an_address():
    setting = Setting("batch", {"chips": 8.0}, {"chips": 8.0}, ("small",))
    assert setting.address == "~solve=batch&~with0=small&chips=8.0"
