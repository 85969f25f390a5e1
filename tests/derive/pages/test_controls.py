"""The controls of a page: sliders, fields, units, choices, history, address; by mouse and keyboard, wide and narrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from derive.pages.page import page as make_page
from derive.relation_files.loading import load
from tests.derive.pages.shop import shop, shop_page
from tests.derive.pages.shown import Shown
from tests.ordinary import one_in

_IN_PAGE = Path(__file__).with_name("in_page.js").read_text(encoding="utf-8")
_CONTRASTS, _UNNAMED = f"({_IN_PAGE}).contrasts()", f"({_IN_PAGE}).unnamed()"
REPORTS = Path(__file__).parents[3] / "reports" / "pages"
_COVERED = f"({_IN_PAGE}).covered()"
_UNFOLD = "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"


_ODD = (
    *("nonsense=3", "batch=many", "constructor.name=1", "~with0=none", "~with7=small"),
    *("~solve=toString", "%E0%A4%A=1", "__proto__=1"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("shop") / "page.html"
    file.write_text(shop_page(), encoding="utf-8")
    return file


@pytest.fixture
def page(tab, path) -> Shown:
    tab.opened(path).tab.evaluate(_UNFOLD)
    return tab


def _cost(**given: str) -> float:
    asked = {"batch": "32 sequence", "chips": "8 chip", **given}
    return shop().solve("cost", "small", **asked).value.magnitude


def test_a_page_opens_in_the_middle_of_its_ranges(page):
    assert page.now["number"] == pytest.approx(_cost(batch=f"{1000**0.5!r} sequence"), rel=1e-9)
    assert page.complaints == []


@pytest.mark.thorough
def test_a_field_takes_a_number_in_its_unit(page):
    page.tab.fill("#given-batch", "32")
    page.tab.fill("#given-limit", "2")
    # the page answers a moment after each field: the batch moves the number, and the limit fails
    page.tab.wait_for_function("document.getElementById('number').dataset.value.startsWith('0.000002')")
    page.tab.wait_for_function("document.querySelector('#failed li')")
    assert page.now["number"] == pytest.approx(_cost(), rel=1e-9)
    assert page.now["failed"] == ["late"]
    page.tab.select_option("[data-name=limit] select.unit", "s")
    assert page.tab.input_value("#given-limit") == "0.002"
    page.tab.fill("#given-limit", "1")
    page.tab.wait_for_function("!document.querySelector('#failed li')")


@pytest.mark.thorough
def test_a_temperature_has_an_offset_and_its_units(page):
    page.tab.select_option("[data-name=room] select.unit", "degF")
    assert float(page.tab.input_value("#given-room")) == pytest.approx(69.8)
    page.tab.fill("#given-room", "32")
    page.tab.press("#given-room", "Enter")
    assert _moved(page, "room") == pytest.approx(0, abs=1e-9)


def _moved(page: Shown, name: str) -> float:
    parts = dict(part.split("=") for part in page.now["address"].split("&"))
    return float(parts[name])


SIZES = [(1280, 800), (1024, 700), (1920, 1080), (1280, 500)]
SLIPS = {
    **dict.fromkeys(["many", "NaN", "Infinity", "--3", "k"], "no number"),
    **dict.fromkeys(["1,5", "1,500", "1 500", "1'500"], "two ways"),
    **dict.fromkeys(["0x10", "3 ft", "3 sequences", "8 GB", "5 %"], "no unit that batch has here"),
    "1e400": "too large",
}


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("text", one_in(2, SLIPS, SLIPS, thorough=2))
def test_what_is_not_understood_stays_in_its_field_with_a_word_below_it(page, text):
    """Typed key by key, so that its beginning is a number by itself; then mended."""
    before = page.now
    page.tab.focus("#given-batch")
    page.tab.keyboard.press("ControlOrMeta+a")
    page.tab.keyboard.type(text)
    page.tab.press("#given-batch", "Tab")
    assert page.tab.get_attribute("#given-batch", "aria-invalid") == "true"
    assert page.tab.input_value("#given-batch") == text
    assert SLIPS[text] in page.tab.inner_text("#given-batch-slip")
    assert page.now == before
    page.tab.fill("#given-batch", "7")
    page.tab.press("#given-batch", "Tab")
    assert page.tab.get_attribute("#given-batch", "aria-invalid") is None
    assert page.tab.is_hidden("#given-batch-slip")
    assert _moved(page, "batch") == 7


@pytest.mark.thorough
def test_what_is_wrong_in_a_field_leaves_with_the_number_that_takes_its_place(page):
    for way in ("slider", "undo", "empty"):
        page.tab.fill("#given-batch", "9")
        page.tab.press("#given-batch", "Tab")
        page.tab.fill("#given-batch", "many")
        page.tab.press("#given-batch", "Tab")
        assert page.tab.is_visible("#given-batch-slip")
        if way == "slider":
            page.tab.focus("[data-name=batch] input[type=range]")
            page.tab.keyboard.press("ArrowRight")
        elif way == "undo":
            page.tab.click("#undo")
        else:
            page.tab.fill("#given-batch", " ")
            page.tab.press("#given-batch", "Tab")
        page.tab.wait_for_function("document.getElementById('given-batch-slip').hidden")
        assert page.tab.input_value("#given-batch").replace(".", "").isdigit()


@pytest.mark.ordinary(5)
@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("batch", "5 sequence", 5),
        ("batch", "2k", 2000),
        ("batch", "1.5 k", 1500),
        ("batch", "\u22122", -2),
        ("limit", "3 s", 3),
        ("limit", "3ms", 0.003),
        ("limit", "250 µs", 0.00025),
        ("limit", "2 min", 120),
        ("room", "50 degF", 10),
        ("chips", "16 chip", 16),
    ],
)
def test_a_field_understands_a_unit_and_a_multiple(page, name, text, number):
    page.tab.fill(f"#given-{name}", text)
    page.tab.press(f"#given-{name}", "Tab")
    assert page.tab.get_attribute(f"#given-{name}", "aria-invalid") is None
    assert _moved(page, name) == pytest.approx(number, rel=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("size", one_in(1, SIZES, map(str, SIZES), thorough=4))
def test_nothing_covers_any_text_wherever_the_page_is_scrolled_to(tab, path, size):
    """A point in the middle of each word that is in sight belongs to the element that the word is in."""
    width, height = size
    tab.opened(path, width=width, height=height).tab.evaluate(_UNFOLD)
    assert tab.tab.evaluate(_COVERED) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["roofline", "cliff", "prices", "training"])
def test_nothing_covers_any_text_on_the_pages_of_the_reports(tab, name):
    tab.opened(REPORTS / f"{name}.html", width=1280, height=800).tab.evaluate(_UNFOLD)
    assert tab.tab.evaluate(_COVERED) == []


@pytest.mark.thorough
def test_a_number_outside_its_domain_has_no_answer_and_a_reason(page):
    page.tab.fill("#given-chips", "2.5")
    page.tab.press("#given-chips", "Enter")
    assert "chips" in page.now["why"]
    page.tab.fill("#given-chips", "-3")
    page.tab.press("#given-chips", "Enter")
    assert "chips" in page.now["why"]


@pytest.mark.thorough
def test_the_keyboard_moves_a_slider_and_a_count_by_one(page):
    page.tab.focus("[data-name=chips] input[type=range]")
    page.tab.keyboard.press("ArrowRight")
    page.tab.wait_for_function("document.getElementById('given-chips').value === '9'")
    page.tab.keyboard.press("ArrowLeft")
    page.tab.wait_for_function("document.getElementById('given-chips').value === '8'")
    assert page.tab.get_attribute("[data-name=chips] input[type=range]", "aria-valuetext") == "8 chip"


@pytest.mark.thorough
def test_a_choice_is_searched_and_taken_by_keyboard(page):
    page.tab.focus("#choice-0")
    page.tab.keyboard.type("lar")
    page.tab.keyboard.press("Enter")
    expected = shop().solve("cost", "large", batch=f"{1000**0.5!r} sequence", chips="8 chip").value.magnitude
    assert page.now["number"] == pytest.approx(expected, rel=1e-9)
    assert page.tab.input_value("#choice-0") == "large"
    assert "~with0=large" in page.now["address"]


@pytest.mark.thorough
def test_what_was_done_is_undone_and_done_again(page):
    seen = [page.now["number"]]
    for chips in ("3", "5", "7"):
        page.tab.fill("#given-chips", chips)
        page.tab.press("#given-chips", "Enter")
        seen.append(page.now["number"])
    page.tab.select_option("#unknown", "rent")
    for number in reversed(seen):
        page.tab.click("#undo")
        assert page.now["number"] == number
    assert page.tab.is_disabled("#undo")
    for number in seen[1:]:
        page.tab.click("#redo")
        assert page.now["number"] == number
    page.tab.click("#redo")
    assert page.now["solve"] == "rent"
    assert page.tab.is_disabled("#redo")
    page.tab.focus("#undo")
    page.tab.keyboard.press("Control+z")
    assert page.now["solve"] == "cost"


@pytest.mark.thorough
def test_an_address_opens_the_page_as_it_was(path, page):
    page.tab.fill("#given-chips", "5")
    page.tab.press("#given-chips", "Enter")
    page.tab.select_option("#unknown", "rent")
    page.tab.select_option("#number-unit", "cent/h/chip")
    page.tab.click("[aria-label='watch worth no longer']")
    page.tab.select_option("#over", "chips")
    there, number = page.now, page.tab.inner_text("#number")
    page.opened(path, there["address"])
    assert page.now == there
    assert page.tab.inner_text("#number") == number
    assert page.tab.input_value("#over") == "chips"
    page.tab.reload()
    page.tab.wait_for_selector("html[data-ready]", state="attached")
    assert page.now == there


@pytest.mark.thorough
def test_an_address_that_is_not_understood_says_so_and_changes_nothing(page):
    before = page.now
    for odd in _ODD:
        (shown,) = page.at_each([odd])
        assert shown["number"] == before["number"], odd
        assert shown["solve"] == "cost"
    assert "not understood" in page.tab.inner_text("#notice")
    assert page.complaints == []


def test_a_quantity_may_have_the_name_of_an_object_of_javascript(page):
    (shown,) = page.at_each(["constructor=0.5"])
    assert shown["number"] == pytest.approx(_cost(batch=f"{1000**0.5!r} sequence", constructor="0.5"), rel=1e-9)


def test_the_page_asks_nothing_of_any_network(tab, path):
    asked: list[str] = []

    def note(request: Any) -> None:
        asked.append(request.url)

    tab.tab.on("request", note)
    tab.opened(path)
    tab.tab.remove_listener("request", note)
    assert asked == [path.as_uri()]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_has_a_label_and_enough_contrast(tab, path, scheme):
    page = tab.opened(path, scheme=scheme)
    page.tab.evaluate(_UNFOLD)
    for address in ("", "limit=0.001&~solve=batch", "chips=-1"):
        page.at_each([address])
        assert page.tab.evaluate(_UNNAMED) == []
        assert page.tab.evaluate(_CONTRASTS) == []
        assert page.tab.get_attribute("#spoken", "aria-live") == "polite"


@pytest.mark.thorough
def test_the_switch_turns_the_colours_over(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(ground)
    page.tab.click("#theme")
    assert page.tab.evaluate(ground) != light
    page.tab.click("#theme")
    assert page.tab.evaluate(ground) == light


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(tab, path, width):
    page = tab.opened(path, width=width)
    page.tab.evaluate(_UNFOLD)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.thorough
def test_the_answer_is_spoken_after_a_while(page):
    page.tab.wait_for_function("document.getElementById('spoken').textContent.startsWith('cost is ')")


def test_a_curve_shades_regimes_and_hatches_what_fails(page):
    page.at_each(["limit=0.02&~over=batch"])
    labels = page.tab.eval_on_selector_all("#curve-picture rect title", "all => all.map((one) => one.textContent)")
    assert labels == ["read", "work + batch*per", "late does not hold"]
    words = page.tab.get_attribute("#curve-picture svg", "aria-label")
    assert words.startswith("cost over batch: from ")


WAITING = """
[quantities]
work = { unit = "s" }
delay = { unit = "s" }
chips = { unit = "" }
wait = { unit = "s", domain = "nonnegative" }
step = { unit = "s" }
[relations]
wait = { equation = "wait = delay if chips > 4 else delay/2" }
step = { equation = "step = max(work, wait)" }
"""


@pytest.mark.thorough
def test_a_choice_by_a_given_alone_is_a_regime_only_along_that_given_or_where_it_is_sought(tab, tmp_path):
    library, path = load(WAITING), tmp_path / "page.html"
    text = make_page(library, "step", (), {"work": "2 s", "delay": "3 s", "chips": "1..16"})
    path.write_text(text, encoding="utf-8")
    shown = tab.opened(path, "chips=8")
    assert shown.now["regime"] == {"step": "wait"}
    labels = {}
    for name in ("chips", "delay"):
        shown.tab.select_option("#over", name)
        titles = shown.tab.eval_on_selector_all("#curve-picture rect title", "all => all.map((one) => one.textContent)")
        labels[name] = titles
    assert labels == {"chips": ["delay/2, work", "delay, wait"], "delay": ["work", "wait"]}
    assert "wait" not in shown.at_each(["~solve=work&step=5&chips=8"])[0]["regime"]


@pytest.mark.thorough
def test_a_printed_page_has_its_numbers_and_steps(page, tmp_path):
    page.tab.pdf(path=tmp_path / "page.pdf", format="A4")
    assert (tmp_path / "page.pdf").stat().st_size > 10_000


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("equation", ["y = exp(x)", "y = exp(-x)", "y = sinh(x)", "y = -exp(x)"])
def test_a_curve_over_all_numbers_that_there_are_is_drawn(tab, tmp_path, equation):
    library = load(f"""[quantities]
        x = {{ unit = "", domain = "real" }}
        y = {{ unit = "", domain = "real" }}
        [relations]
        grows = {{ equation = "{equation}" }}""")
    path = tmp_path / "page.html"
    path.write_text(make_page(library, "y", (), {"x": "-720..709"}), encoding="utf-8")
    shown = tab.opened(path)
    shown.tab.select_option("#over", "x")
    assert shown.tab.locator("#curve-picture path.line").count() == 1
    assert shown.complaints == []
