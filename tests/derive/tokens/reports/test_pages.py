"""The pages of the reports: numbers by one rule, emphasis only where it was written, links that lead somewhere."""

from __future__ import annotations

import re
from functools import cache

import pytest
from markdown_it import MarkdownIt

from derive.presentation.document import Document, Formulas, LetterLegend, Text, bound
from derive.presentation.html import Html
from derive.presentation.markdown import HOST, Markdown
from derive.tokens.reports import report_files
from tests.derive.tokens.reports.shown import letters

SLOW = ("roofline", "layout", "walls", "menu", "practice", "prices")
NAMES = ["training", *(pytest.param(name, marks=pytest.mark.thorough) for name in SLOW)]
ORACLE = pytest.param("oracle", marks=pytest.mark.thorough)
NUMBER = re.compile(r"(?<![\w.\\-])\d+(?:\.\d+)?(?![\w.])")
MULTIPLES = r"(?:byte|FLOP|token|parameter|bit|USD|s|J|W)(?![A-Za-z])"


@cache
def told(name: str) -> str:
    """The page, without its sources and where the numbers of publications stand in it."""
    page = bound("", report_files.bound_reports(name), HOST)
    return re.sub(r"arXiv[ :]\d+\.\d+", "", page[: page.rindex("## Sources")])


def digits(number: str) -> int:
    """The significant digits of a number; a whole number is a count."""
    return len(number.replace(".", "").strip("0")) if "." in number else 1


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_no_number_has_more_than_five_digits_unless_it_is_a_count(name):
    assert [number for number in NUMBER.findall(told(name)) if digits(number) > 5] == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_no_count_is_a_million_or_more_and_written_out(name):
    assert [number for number in NUMBER.findall(told(name)) if len(number) > 9] == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_nothing_negative_is_added_and_no_power_of_ten_stands_before_a_unit_that_has_multiples(name):
    assert re.findall(r"[+-] -\s*[\d\\a-zA-Z]", told(name)) == []
    assert re.findall(rf"10\^\{{-?\d+\}}\\,\\mathrm\{{[kMGTPE]?{MULTIPLES}", told(name)) == []
    assert re.findall(rf"\de[+-]\d+ [kMGTPE]?{MULTIPLES}", told(name).replace("\\", "")) == []


class Marked(Markdown):
    """Markdown in which all that was stressed stands between brackets of its own."""

    def word(self, kind: str, text: str) -> str:
        return super().word(kind, f"⟦{text}⟧" if kind == "stress" else text)

    def step(self, number, name, reason, lines):
        return super().step(number, f"⟦{name}⟧", reason, lines)


def stressed(blocks, title="toy") -> list[str]:
    """What a reader of the Markdown sees stressed."""
    page = bound(title, [Document("toy", title, tuple(blocks))], Marked(HOST.inline, HOST.block))
    shown = MarkdownIt("commonmark").enable("table").render(page)
    return re.findall(r"<em>(.*?)</em>", shown, re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_stressed_but_what_the_report_stresses(name):
    assert [words for words in stressed(report_files.report(name).blocks) if not re.fullmatch(r"⟦[^⟦⟧]*⟧", words)] == []


@pytest.mark.parametrize("words", ["30 USD*h and 2 token*s", "kv_bytes_per_token and h*chip, and _x_", "a * b * c"])
def test_asterisks_of_units_and_underscores_of_names_survive(words):
    page = bound("", [Document("toy", "", (Text(words),))], HOST)
    shown = re.sub("<[^>]+>", "", MarkdownIt("commonmark").render(page))
    assert words in shown
    assert stressed([Text(words)]) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_letter_is_introduced_once_and_every_link_of_the_page_leads_somewhere(name):
    met = [
        one.name
        for block in report_files.report(name).blocks
        if isinstance(block, LetterLegend)
        for one in block.quantities
    ]
    assert len(met) == len(set(met)) > 0
    page = bound(
        "toy",
        report_files.bound_reports(name),
        Html({one.name: "<svg></svg>" for one in report_files.report(name).pictures}),
    )
    ids = re.findall(r' id="([^"]+)"', page)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert all(f"symbol-{one}" in ids for one in met)


TRANSLATED = (  # words of a translation, and of a log, that no page has
    "blackboard", "backwards", "dearer", "gives away", "give away", "for want of", "whoever", "on the mean",
    "in kind", "deny each other", "compute binds", "memory binds", "condition of lagrange",
    "at the batches that pay", "does it in the head", "(gap", "is assumed to apply", "used where no relation",
    "default of the quantity", "monotone in every range", "the engine", "time binds", "1 binds", "fits in memory fails",
)  # fmt: skip


@pytest.mark.parametrize("name", [*NAMES, ORACLE])
def test_a_page_is_plain_english_and_prints_no_log(name):
    shown = re.sub(r"\\(?=[^a-z])", "", told(name)).lower()
    assert [words for words in TRANSLATED if re.search(rf"(?<!\w){re.escape(words)}", shown)] == []


@pytest.mark.parametrize("name", [*NAMES, ORACLE])
def test_a_picture_is_told_in_plain_words_and_not_by_its_caption_again(name):
    for text, below in re.findall(r"!\[(.*)\]\(figures[^)]*\)\n\n(.*)", told(name)):
        assert text.startswith(
            ("Chart of ", *(one.title for one in report_files.report(name).pictures for one in one.charts if one.title))
        )
        assert "mathrm" not in text
        assert text != below


@pytest.mark.parametrize("name", [*NAMES, ORACLE])
def test_no_letter_stands_twice_in_a_report_and_none_is_defined_by_itself(name):
    assert {letter: names for letter, names in letters(name).items() if len(names) > 1} == {}
    shown = [line for block in report_files.report(name).blocks if isinstance(block, Formulas) for line in block.lines]
    ratios = [(left, right, *left.split("/", 1)) for left, right in shown if "/" in left]
    assert [left for left, right, above, below in ratios if right.startswith(rf"\frac{{{above}}}{{{below}}}")] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_source_is_listed_once(name):
    page = bound("", report_files.bound_reports(name), HOST)
    listed = re.findall(r"^\d+\. (.*)$", page[page.rindex("## Sources") :], re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert re.findall(r"@[0-9a-f]{8,}", "".join(listed)) == []


def test_a_context_that_does_not_fit_in_memory_is_said_not_to_where_it_is_named():
    served = ("h100-sxm:bf16", "llama3-1-70b")
    from derive.reports.template_words import AnswerText
    from derive.tokens.relations import library

    answer = library().solve("context", *served, chips="8 chip", batch="32 sequence", step_time="25 ms")
    assert str(AnswerText.of(answer)).endswith(" (where *fits in memory* does not hold)")
    fits = library().solve("context", *served, chips="8 chip", batch="32 sequence", step_time="20 ms")
    assert "where" not in str(AnswerText.of(fits))
    older = library().solve("context", served[0], "llama3-70b", chips="8 chip", batch="32 sequence", step_time="25 ms")
    assert str(AnswerText.of(older)).endswith(" (where *within context limit* and *fits in memory* do not hold)")


@pytest.mark.thorough
def test_the_shares_of_a_menu_are_eliminated_by_hand():
    step = next(
        step
        for block in report_files.report("menu").blocks
        if hasattr(block, "page")
        for step in block.page.steps
        if "together" in step.relation
    )
    equations = [left for left, right in step.lines if left]
    assert equations == ["m", "r_s", r"\omega", "v"]
    form, numbers, value = step.lines[2][1].split(" = ")
    assert (r"\frac" in form, "2.5" in numbers, value) == (True, True, "0.357")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_stands_in_a_formula_without_a_letter_has_its_meaning_below(name):
    blocks = report_files.report(name).blocks
    told = {one.name for block in blocks if isinstance(block, LetterLegend) for one in block.quantities}
    for block in blocks:
        if isinstance(block, Formulas):
            text = " ".join(side for line in block.lines for side in line)
            spelled = re.findall(r"\\mathrm\{([a-z]+(?:\\ [a-z]+)+)\}", text)
            assert {one.replace("\\ ", "_") for one in spelled} & {q.name for q in block.quantities} <= told
