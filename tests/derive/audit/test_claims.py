"""The claims of the lecture: their verdicts against arithmetic of our own on published numbers."""

from __future__ import annotations

import json
import math
import re

import pytest

import derive
from derive.audit.criteria import BEARING, Between, Number
from derive.audit.question import WrittenQuestion
from derive.audit.text import as_data, as_text, rows, summary
from derive.audit.verdicts import Verdict
from derive.errors import InconsistentError, NoSolutionError, UnknownNameError
from derive.tokens.audit import audit
from derive.tokens.claims import claims
from quantities.value import read_value
from tests.derive.audit.catalogues import changed
from tests.derive.terminal import ask


def found(findings, name, words):
    """The one reading of a claim that speaks so."""
    (judgement,) = [one for one in findings[name].judgements if words in one.words]
    return judgement


def number(judgement):
    return judgement.weighed.claimed.unit.from_base(judgement.weighed.base)


def part(findings, name, words):
    (clause,) = [clause for clause in findings[name].clauses if words in clause.clause.words]
    return clause


def test_there_are_forty_three_with_a_verdict_each(findings):
    assert list(findings) == [f"C{number:02}" for number in range(1, 44)]
    assert all(isinstance(finding.verdict, Verdict) for finding in findings.values())
    assert set(Verdict) == {finding.verdict for finding in findings.values()}


def test_every_reading_rests_on_what_the_library_said(findings):
    for finding in findings.values():
        assert any(answer.steps for answer in finding.answers), finding.claim.name
        for judgement in finding.judgements:
            weighed = judgement.weighed
            assert judgement.answers or weighed.refusal is not None or weighed.relation is not None


def test_the_library_refuses_nothing_but_what_cannot_be(findings):
    refused = {
        (finding.claim.name, type(judgement.weighed.refusal).__name__)
        for finding in findings.values()
        for judgement in finding.judgements
        if judgement.weighed.refusal is not None
    }
    assert refused == {
        ("C01", "DimensionError"),  # a ratio with a unit is no number
        ("C10", "NoSolutionError"),  # no share of a step is ten times the whole of it
        ("C30", "UnderdeterminedError"),  # beyond the crossover no batch is large enough
        ("C33", "InconsistentError"),  # all of the memory is read in no less than the drain time
    }


def test_claims_are_data_that_name_quantities_of_the_library():
    known = derive.llm.quantities
    for claim in claims():
        for clause in claim.clauses:
            for reading in clause.readings:
                assert {*reading.response_to, *reading.each} <= known.keys(), claim.name
                paths = (*dict(reading.leaves_open), *reading.may_change)
                assert {path.rpartition("/")[2] for path in paths} <= known.keys(), claim.name


# claim, reading, computed by hand from published numbers, verdict
BY_HAND = [
    ("C01", "a100-sxm-80gb, tokens at bf16", 312 / 2.039 * 2 / 2, Verdict.CONTRADICTED),
    ("C01", "h100-sxm, tokens at fp8", 1978.9 / 3.35 * 1 / 2, Verdict.REPRODUCED),
    ("C01", "h100-sxm, FLOP for each byte at fp8", 1978.9 / 3.35, Verdict.CONTRADICTED),
    ("C01", "b100-sxm, FLOP for each byte at fp4", 7000 / 8, Verdict.CONTRADICTED),
    ("C01", "rubin-r200, tokens at fp4", 35000 / 22 * 0.5 / 2, Verdict.ROUNDED),
    ("C02", "the model's file counts", 256 / 8, Verdict.CONTRADICTED),
    ("C02", "which are what is read", 671 / 37, Verdict.CONTRADICTED),
    ("C02", "on an H800 at fp8", 1978.9 / 3.35 / 2 * 671 / 37, Verdict.CONTRADICTED),
    ("C04", "at the lecture's 20 TB/s", 288 / 20, Verdict.ROUNDED),
    ("C04", "h100-sxm", 80 / 3.35, Verdict.CONTRADICTED),
    ("C04", "gb200", 186 / 8, Verdict.CONTRADICTED),
    ("C05", "and the ride", 2 * 20, Verdict.REPRODUCED),
    ("C06", "steps of 20 ms, as stated", 1 / 0.020, Verdict.CONTRADICTED),
    ("C06", "64 steps a second", 2000 * 64 / 1000, Verdict.REPRODUCED),
    ("C07", "500e6", 500e6 / 128e3, Verdict.CONTRADICTED),
    ("C08", "a dense model", None, Verdict.CONTRADICTED),
    ("C09", "the ratios as stated", 1 / (6 * 2.5), Verdict.REPRODUCED),
    ("C11", "over the active parameters", 1300 / 370, Verdict.ROUNDED),
    ("C11", "of the dense model", 64 * 370 / 1300, Verdict.CONTRADICTED),
    ("C12", "h100-sxm", 450 / 50, Verdict.ROUNDED),
    ("C12", "b100-sxm", 900 / 50, Verdict.CONTRADICTED),
    ("C13", "h100-sxm", 8 * 80, Verdict.REPRODUCED),
    ("C13", "gb300", 72 * 0.288, Verdict.CONTRADICTED),
    ("C14", "2 byte a parameter", 2, Verdict.HOLDS_ONLY_IF),
    ("C15", "each with 8 of 256 experts", 1 - math.comb(128, 8) / math.comb(256, 8), Verdict.CONTRADICTED),
    ("C16", "the last one back", 4 * 2, Verdict.ROUNDED),
    ("C18", "15 % in RL, beside the llama2-70b", None, Verdict.ROUNDED),
    ("C19", "Chinchilla", 0.28 / 0.34, Verdict.ROUNDED),
    ("C20", "two months", 50e6 * 60 * 86400 / 1e12, Verdict.ROUNDED),
    ("C21", "150 T", 150 / (20 * 0.1), Verdict.CONTRADICTED),
    ("C22", "300 FLOP for each byte", 2 * 100e9 / 300 / 200e3, Verdict.HOLDS_ONLY_IF),
    ("C22", "an H100 at fp8", 2 * 100e9 * 3.35e12 / 1978.9e12 / 200e3, Verdict.ROUNDED),
    ("C23", "one cache for all layers, 1 byte", 2 * 8 * 128 / 1000, Verdict.REPRODUCED),
    ("C24", "output of gemini-2-5-pro", 15 / 10 - 1, Verdict.REPRODUCED),
    ("C24", "input of gemini-2-5-pro", 2.5 / 1.25 - 1, Verdict.CONTRADICTED),
    ("C25", "gemini-2-5-pro-prices", 10 / 1.25, Verdict.CONTRADICTED),
    ("C27", "gpt-4o-prices", 2, Verdict.CONTRADICTED),
    ("C29", "an index of all", None, Verdict.CONTRADICTED),
    ("C31", "80 layers, of which one is kept", 1 - 1 / 80, Verdict.REPRODUCED),
    ("C36", "h100-sxm, b200-sxm", 8 / 3.35, Verdict.CONTRADICTED),
    ("C37", "hops of 2 ms", 20 / 28, Verdict.HOLDS_ONLY_IF),
    ("C39", "as published", 2048, Verdict.CONTRADICTED),
    ("C43", "8 of h100-sxm, 1 byte", None, Verdict.CONTRADICTED),
]


@pytest.mark.parametrize(("name", "words", "computed", "verdict"), BY_HAND)
def test_verdicts_agree_with_arithmetic_of_our_own(findings, name, words, computed, verdict):
    readings = [one for one in findings[name].judgements if words in one.words]
    assert readings
    if computed is not None:
        assert number(readings[0]) == pytest.approx(computed, rel=1e-6)
    assert readings[0].verdict is verdict


def test_flash_takes_half_an_hour_and_disks_a_day(findings):
    flash = part(findings, "C26", "a minute for flash")
    assert number(flash.judgements[0]) == pytest.approx(30.72e12 / 14e9 / 60)
    assert flash.verdict is Verdict.CONTRADICTED
    disk = part(findings, "C26", "an hour for disk")
    assert number(disk.judgements[0]) == pytest.approx(30e12 / 250e6 / 3600)
    assert disk.verdict is Verdict.CONTRADICTED
    assert part(findings, "C26", "seconds for DDR").verdict is Verdict.REPRODUCED


def test_attention_matters_long_before_a_million_tokens(findings):
    llama = found(findings, "C28", "the parameters of llama3-70b")
    assert number(llama) * 1e6 == pytest.approx(2 * 70.6e9 / (2 * 80 * 64 * 2 * 128), rel=0.01)


def test_deepseek_runs_at_two_to_three_times_its_balance(findings):
    sequences = 14800 / 8 * 144 / 21
    balance = 1978.9 / 3.35 / 2 * 671 / 37
    served = part(findings, "C03", "2 to 3 times").judgements[0]
    assert number(served) == pytest.approx(sequences / balance)
    assert served.verdict is Verdict.REPRODUCED


def test_the_balance_falls_as_less_of_the_arithmetic_is_reached(findings):
    arithmetic, bandwidth = findings["C34"].judgements
    assert arithmetic.weighed.base == pytest.approx(1)
    assert bandwidth.weighed.base == pytest.approx(-1)
    assert findings["C34"].verdict is Verdict.HOLDS_ONLY_IF


def test_the_smallest_change_makes_the_claim_hold(findings):
    """Put back by hand: the question with the new value, and what it says beside the claim."""
    tried = 0
    for finding in findings.values():
        for judgement in finding.judgements:
            asked, change, criterion = (
                judgement.weighed.reading,
                judgement.smallest,
                judgement.weighed.reading.criterion,
            )
            flat = isinstance(asked.question, WrittenQuestion) and all(
                isinstance(value, str) for _, value in asked.question.given
            )
            if change is None or not flat or not isinstance(criterion, (Number, Between)):
                continue
            given = {**dict(asked.question.given), change.path: change.answer.value}
            again = derive.solve(asked.question.target, *asked.question.profiles, **given)
            stated = read_value(criterion.stated)
            low, high = stated.base[0], stated.base[2]
            if isinstance(criterion, Number):
                low, high = stated.base[1] / (1 + BEARING), stated.base[1] / (1 - BEARING)
            assert low * (1 - 1e-6) <= again.base <= high * (1 + 1e-6), (finding.claim.name, judgement.words)
            tried += 1
    assert tried > 60


def test_no_other_single_change_is_smaller(findings):
    for finding in findings.values():
        for judgement in finding.judgements:
            sizes = [abs(math.log(change.ratio)) for change in judgement.changes]
            assert sizes == sorted(sizes) or max(sizes) - min(sizes) < 1e-6


def test_half_the_bytes_make_a_trillion_parameters_a_terabyte(findings):
    two = found(findings, "C14", "2 byte a parameter")
    assert str(two.smallest) == "bytes_per_parameter = 1 byte/parameter, 1/2 of the stated"


def test_another_catalogue_gives_another_verdict(findings):
    assert findings["C35"].verdict is Verdict.CONTRADICTED
    (kyber,) = audit(["C35"], changed("rubin-r200", scale_up_domain="512 chip"))
    assert kyber.verdict is Verdict.HOLDS_ONLY_IF  # an HGX Blackwell still has 8
    assert part({"C35": kyber}, "C35", "Rubin").verdict is Verdict.ROUNDED
    assert part(findings, "C04", "Hopper").verdict is Verdict.CONTRADICTED
    (faster,) = audit(["C04"], changed("h100-sxm", hbm_bandwidth="5 TB/s/chip"))
    assert part({"C04": faster}, "C04", "Hopper").verdict is Verdict.HOLDS_ONLY_IF


def test_a_relation_that_is_left_out_leaves_a_claim_without_its_derivation():
    (finding,) = audit(["C20"], derive.llm.without("lifetime_tokens"))
    assert finding.verdict is Verdict.CONTRADICTED
    assert "not determined" in finding.why


def test_claims_conflict_as_arithmetic_has_it(conflicts):
    factors = {conflict.claims: conflict.factor for conflict in conflicts}
    assert factors["C01", "C02"] == pytest.approx(300 * 700 / 37 / 2400, rel=1e-6)
    assert factors["C06", "C07", "C20"] == pytest.approx(500e6 / 128e3 / 1000, rel=1e-6)
    assert factors["C05", "C06"] == pytest.approx(64 * 0.020, rel=1e-6)
    assert factors["C02", "C03"] == pytest.approx(2.5 * 2400 / 2500, rel=1e-6)
    assert factors["C01", "C22"] == pytest.approx(2, rel=1e-3)
    assert factors["C03", "C22", "C25", "C39"] == pytest.approx(5 / (1 / 2.5 + 150 / 200), rel=1e-6)
    assert {"C16", "C37"} in [set(claims) for claims in factors]
    assert all(isinstance(conflict.error, InconsistentError) for conflict in conflicts)


def test_the_audit_is_told_in_full(findings, conflicts):
    listed = list(findings.values())
    assert len(rows(listed)) == 44
    assert re.fullmatch(r"43 claims: (\d+ [a-z ]+(, |\.)){4}", summary(listed))
    for finding in listed:
        text = as_text(finding, [one for one in conflicts if finding.claim.name in one.claims])
        assert finding.claim.statement in text
        assert all(clause.clause.words in text for clause in finding.clauses)
    data = json.loads(json.dumps(as_data(listed, conflicts)))
    assert len(data["claims"]) == 43
    assert all(
        reading["verdict"] for claim in data["claims"] for part in claim["clauses"] for reading in part["readings"]
    )


def test_a_claim_that_nobody_made_is_refused():
    with pytest.raises(UnknownNameError, match="There is no claim 'C44'") as refused:
        audit(["C44"])
    assert refused.value.suggestions[0] == "C43"
    assert refused.value.kind == "claim"
    assert [finding.claim.name for finding in audit(["c17"])] == ["C17"]


def test_the_command_prints_a_claim_with_its_derivation_or_data():
    told = ask("audit", "c14")
    assert told.status == 0
    assert told.out.startswith("C14: holds only if")
    assert "weight_bytes = total_parameters*bytes_per_parameter" in told.out
    data = json.loads(ask("audit", "C06", "--json").out)
    assert [claim["id"] for claim in data["claims"]] == ["C06"]
    assert {tuple(conflict["claims"]) for conflict in data["conflicts"]} == {("C05", "C06"), ("C06", "C07", "C20")}
    unknown = ask("audit", "C99")
    assert unknown.status == 2
    assert "There is no claim 'C99'" in unknown.err


def test_the_command_prints_a_table_of_all_and_what_cannot_hold_together(findings, conflicts, monkeypatch):
    import derive.tokens.audit

    monkeypatch.setattr(derive.tokens.audit, "audit", lambda *asked: tuple(findings.values()))
    monkeypatch.setattr(derive.tokens.audit, "clashes", lambda *asked: conflicts)
    told = ask("audit")
    assert told.status == 0
    assert all(f"\n{name}  " in told.out for name in findings)
    assert "Cannot hold together:" in told.out


def test_no_share_of_a_step_is_ten_times_the_whole_of_it():
    with pytest.raises(NoSolutionError):
        derive.solve("kv_share", slow_discount="10", mfu="1")
