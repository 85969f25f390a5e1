"""Claims as files state them: what is read, and what is said of a file that is wrong."""

from __future__ import annotations

import pytest

import derive
from derive.audit.claim import (
    Amount,
    Impossibility,
    Independence,
    Statement,
    UnitAgreement,
    WrittenQuestion,
    read_expected,
)
from derive.audit.claims_file import read_claims
from derive.audit.verdicts import Verdict
from derive.errors import DeriveError, UnitError, UnknownNameError
from derive.tokens.audit import audit, claims, clashes, scenes

HEAD = """
[claims.X]
says = "a claim"
[[claims.X.clauses]]
says = "a clause"
[[claims.X.clauses.readings]]
"""
BOOK = """
speaker = "A. Speaker"

[claims.drain]
says = "an H100 reads its memory in 24 ms, an H200 in more"

[[claims.drain.clauses]]
says = "24 ms"

[[claims.drain.clauses.readings]]
asked = "drain_time"
profiles = ["h100-sxm"]
expected = "24 ms"

[[claims.drain.clauses]]
says = "more"

[[claims.drain.clauses.readings]]
asked = "drain_time"
profiles = ["h200-sxm"]
expected.more_than.asked = "drain_time"
expected.more_than.profiles = ["h100-sxm"]

[claims.memory]
says = "an H100 holds 80 GB and is read at 1 TB/s"
place = "at a table"

[[claims.memory.clauses]]
says = "both"

[[claims.memory.clauses.readings]]
asked = "drain_time"
given.hbm_capacity = "80 GB/chip"
given.hbm_bandwidth = "1 TB/s/chip"
expected = "at least 80 ms"

[[scenes]]
of = "one chip"
said = [
    { claim = "drain", quantity = "drain_time", value = "24 ms", printed = true },
    { claim = "memory", quantity = "hbm_capacity", value = "80 GB/chip", printed = true },
    { claim = "memory", quantity = "hbm_bandwidth", value = "1 TB/s/chip", printed = true },
]
"""


def reading(text):
    return read_claims(HEAD + text).claims[0].clauses[0].readings[0]


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        ("15 ms", Amount("15 ms")),
        ("15..20 ms", Amount("15..20 ms")),
        ("at least 15 ms", Amount("15 ms", "at least")),
        ("less than 15 ms", Amount("15 ms", "less than")),
        ("impossible", Impossibility()),
    ],
)
def test_what_is_expected_is_read_from_a_text(text, criterion):
    assert read_expected(text) == criterion
    assert reading(f'asked = "batch"\nexpected = "{text}"').criterion == criterion


def test_a_given_may_be_a_question():
    asked = reading(
        'asked = "weight_time"\ngiven.weight_bytes.asked = "weight_bytes"\n'
        'given.weight_bytes.given.total_parameters = "1 Tparameter"\nexpected = "1 s"'
    ).question
    inner = WrittenQuestion("weight_bytes", (), (("total_parameters", "1 Tparameter"),))
    assert asked == WrittenQuestion("weight_time", (), (("weight_bytes", inner),))


def test_a_claim_says_who_said_it_where_and_in_which_words():
    said = 'speaker = "A. Speaker"\nplace = "a talk"\n[claims.X]\nat = "minute 3"\nwords = "it is late"\nbrief = "late"'
    (claim,) = read_claims(said + HEAD.partition("[claims.X]")[2] + 'asked = "batch"\nexpected = "1"').claims
    assert claim.said == 'A. Speaker, a talk, minute 3: "it is late"'
    assert claim.brief == "late"


def test_a_form_may_be_expected_to_hold_no_quantity_and_an_equation_to_fit():
    assert reading('asked = "batch"\nexpected.without = ["chips"]').criterion == Independence(("chips",))
    stated = reading('equation = "batch = x"\nunits.x = "sequence"')
    assert (stated.question, stated.criterion) == (Statement("batch = x", (("x", "sequence"),)), UnitAgreement())


def test_a_book_of_one_s_own_is_judged_as_the_built_in_one_is():
    book = read_claims(BOOK)
    found = {one.claim.name: one for one in audit((), derive.llm, book)}
    assert (found["drain"].verdict, found["memory"].verdict) == (Verdict.REPRODUCED, Verdict.REPRODUCED)
    assert (found["drain"].claim.speaker, found["memory"].claim.place) == ("A. Speaker", "at a table")
    (conflict,) = clashes((), derive.llm, book)  # 80 GB at 1 TB/s take 80 ms
    assert conflict.claims == ("drain", "memory")
    assert conflict.factor == pytest.approx(80 / 24)


@pytest.mark.parametrize(
    ("slip", "kind"),
    [
        (("drain_time", "drain_tme"), UnknownNameError),
        (("h100-sxm", "h100-smx"), UnknownNameError),
        (('expected = "24 ms"', 'given.chips = "8 chps"\nexpected = "24 ms"'), UnitError),
    ],
)
def test_a_slip_in_a_question_is_an_error_and_no_verdict(slip, kind):
    with pytest.raises(kind, match=r"^claim drain: "):
        audit((), derive.llm, read_claims(BOOK.replace(*slip)))


WRONG = {
    "reading.asked": ('expected = "1 s"', 6, "'asked' is missing"),
    "reading.expected": ('asked = "batch"', 6, "has no valid expectation"),
    "unit": ('asked = "batch"\nexpected = "15 mz"', 8, "'mz' is not a unit"),
    "key": ('asked = "batch"\nexpected = "1"\nmaychange = ["a"]', 9, "may_change"),
    "list": ('asked = "batch"\nexpected = "1"\neach = "a"', 9, "not a list of strings"),
    "share": ('asked = "batch"\nexpected = "1"\neach = ["chips"]\nshare = 1.5', 10, "share = 0.5"),
    "given": ('asked = "batch"\nexpected = "1"\ngiven.chips = 8', 9, 'given.chips = "8"'),
    "side": ('asked = "batch"\nexpected.above.asked = "chips"', 8, "at least"),
}


@pytest.mark.parametrize(("text", "line", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_on_its_line(text, line, words):
    with pytest.raises(DeriveError) as caught:
        reading(text)
    (problem,) = caught.value.problems or (None,)
    said = str(problem or caught.value)
    assert words in said
    assert f"line {line}" in said or (problem is not None and problem.line == line)


def test_all_problems_of_a_file_are_told_at_once():
    with pytest.raises(DeriveError) as caught:
        read_claims('[claims.X]\n[claims.Y]\nsays = "y"\n[[claims.Y.clauses]]\nsays = 3')
    assert [problem.line for problem in caught.value.problems] == [1, 1, 4, 5]


def test_the_built_in_claims_bear_names_of_their_own_and_say_who_spoke():
    names = [claim.name for claim in claims()]
    assert len(names) == len(set(names)) == 43
    assert all(claim.speaker and claim.place and claim.at and claim.words for claim in claims())
    assert all(claim.brief and len(claim.brief) <= 65 for claim in claims())
    assert {one.claim for scene in scenes() for one in scene.assertions} <= set(names)
