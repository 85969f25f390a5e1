"""What was seen of a quantity binds nothing; beyond it, an answer says so, with the source."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.relation_files.writing import packed, unpacked, written
from quantities.declaration import Declaration, agreed
from quantities.domain import read_seen
from quantities.errors import DeriveError
from quantities.spelling import parse_unit

FILE = """
[quantities]
use = { unit = "", seen = { least = "10 %", most = "0.56", source = "a survey" } }
done = { unit = "FLOP" }
peak = { unit = "FLOP" }
[relations]
use = { equation = "use = done/peak" }
[profiles.boast]
use = "0.99"
"""
PAPER = re.compile(r"(?P<number>arXiv \d{4}\.\d{5}), (?:table|section|figure|appendix) \w+")
FILE_OF_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{8}:[\w./-]+\.\w+, \w+")
SEEN = [name for name, one in derive.llm.declared.items() if one.seen is not None]


def notes(answer: derive.Answer) -> list[str]:
    return [text for text in answer.assumptions if "a known source reports" in text]


@pytest.mark.parametrize(
    ("done", "told"),
    [
        ("0.5 FLOP", []),
        ("0.56 FLOP", []),
        ("0.947 FLOP", ["use = 0.947 is above the most that a known source reports, 0.56 (a survey)"]),
        ("0.01 FLOP", ["use = 0.01 is below the least that a known source reports, 10 % (a survey)"]),
    ],
)
def test_an_answer_beyond_what_was_seen_says_so(done, told):
    answer = derive.load(FILE).solve("use", done=done, peak="1 FLOP")
    assert notes(answer) == told
    assert answer.failed == ()


def test_what_is_typed_is_judged_and_what_yields_is_not():
    library = derive.load(FILE)
    assert notes(library.solve("done", use=0.99, peak="1 FLOP"))
    assert not notes(library.solve("done", "boast", peak="1 FLOP"))
    assert not notes(library.solve("done", use=0.3, peak="1 FLOP"))


@given(st.floats(0.001, 1e6), st.floats(0.001, 1e6), st.sampled_from(["ms", "s", "h"]))
def test_the_ends_are_what_they_are_in_base_units(end, number, unit):
    seen = read_seen({"most": f"{end!r} {unit}", "source": "x"}, "time", parse_unit("s"))
    base = parse_unit(unit).to_base(number)
    assert bool(seen.beyond(base)) == (number > end * (1 + 1e-9)) or abs(number - end) < 1e-6 * end


@pytest.mark.parametrize(
    "seen",
    ['"0.5"', "{}", '{ most = "1" }', '{ source = "x" }', '{ most = 1, source = "x" }', '{ more = "1", source = "x" }',
     '{ most = "1 s", source = "x" }', '{ most = "1..2", source = "x" }', '{ least = "2", most = "1", source = "x" }',
     '{ most = "", source = "x" }', '{ most = "one", source = "x" }'],
)  # fmt: skip
def test_what_says_nothing_is_refused_in_words(seen):
    (problem,) = derive.check(f'[quantities]\nuse = {{ unit = "", seen = {seen} }}')
    assert problem.line == 2
    assert "use" in problem.message


def test_it_is_part_of_the_declaration():
    library = derive.load(FILE)
    use = library.declared["use"]
    assert pickle.loads(pickle.dumps(use)) == use
    assert unpacked(packed(library), library.profiles) == library
    again = derive.load("\n".join(["[quantities]\n", *written(library, "use")[:1]]).replace("[quantities]\n", "", 1))
    assert again.declared["use"].seen == use.seen
    plain = Declaration("use", "")
    assert use != plain
    assert agreed(plain, use).seen == agreed(use, plain).seen == use.seen
    with pytest.raises(DeriveError):
        Declaration("use", "", seen={"most": "1"})


@pytest.mark.parametrize("name", SEEN)
def test_what_the_library_has_seen_lies_in_its_domain(name):
    quantity = derive.llm.declared[name]
    for base in (quantity.seen.low, quantity.seen.high):
        assert abs(base) == float("inf") or base in quantity.domain


@pytest.mark.parametrize("name", SEEN)
def test_what_the_library_has_seen_is_cited_with_its_place(name):
    source = derive.llm.declared[name].seen.source
    paper, file = PAPER.search(source), FILE_OF_REPOSITORY.match(source)
    assert bool(paper) != bool(file), source
    if paper:
        cases = Path(__file__).parents[1].glob("derive/test_relations_*.py")
        assert any(paper["number"] in case.read_text(encoding="utf-8") for case in cases), f"no example of {source}"


@pytest.mark.parametrize(
    "source",
    [
        "stas00/ml-engineering, best matrix products",
        "a/b",
        "a survey",
        "Pope et al., arXiv 2211.05102",
        "arXiv, table 2",
        "stas00/ml-engineering@main:README.md, a table",
        "stas00/ml-engineering@b9e29720, a table",
        "stas00/ml-engineering@b9e29720:README.md",
    ],
)
def test_a_citation_without_its_place_is_none(source):
    assert not PAPER.search(source)
    assert not FILE_OF_REPOSITORY.match(source)


def test_there_is_something_seen():
    assert {"training_mfu", "serving_mfu", "mfu"} <= {*SEEN}
