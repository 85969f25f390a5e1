"""The claims of the lecture: their verdicts against arithmetic of our own on published numbers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest

import derive
from derive.audit.claim import BEARING, Amount, WrittenQuestion
from derive.audit.text import as_data, as_text, rows, summary
from derive.audit.verdicts import Verdict, judge, worst_first
from derive.errors import InconsistentError, NoSolutionError, UnknownNameError
from derive.tokens.audit import audit, claims, scenes
from quantities.value import read_value
from tests.derive.audit.catalogues import changed
from tests.derive.terminal import ask
from tests.ordinary import every


def found(findings, name, words):
    """The one reading of a claim that speaks so."""
    (judgement,) = [one for one in findings[name].judgements if words in one.words]
    return judgement


def number(judgement):
    return judgement.weighed.claimed.unit.from_base(judgement.weighed.base)


def judgements_of(clause):
    """The judgements on all readings of a clause, in their order."""
    return [judgement for ruling in clause.rulings for judgement in ruling.judgements]


def part(findings, name, words):
    (clause,) = [clause for clause in findings[name].clauses if words in clause.clause.words]
    return clause


@pytest.mark.thorough
def test_there_are_forty_three_with_a_verdict_each(findings):
    assert list(findings) == [f"C{number:02}" for number in range(1, 44)]
    assert all(isinstance(finding.verdict, Verdict) for finding in findings.values())
    assert set(Verdict) == {finding.verdict for finding in findings.values()}


@pytest.mark.thorough
def test_every_reading_rests_on_what_the_library_said(findings):
    for finding in findings.values():
        assert any(answer.steps for one in finding.judgements for answer in one.weighed.answers), finding.claim.name
        for judgement in finding.judgements:
            weighed = judgement.weighed
            assert weighed.answers or weighed.refusal is not None or weighed.relation is not None


@pytest.mark.thorough
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
    ("C01", "b100-sxm, tokens at fp4", 7000 / 8 * 0.5 / 2, Verdict.CONTRADICTED),
    ("C01", "rubin-r200, tokens at fp4", 35000 / 22 * 0.5 / 2, Verdict.CONTRADICTED),
    ("C01", "peak for sparse matrices", 624 / 2.039 * 2 / 2, Verdict.ROUNDED),
    ("C01", "operations for each byte at int8", 624 / 2.039, Verdict.ROUNDED),
    ("C02", "the model's file counts", 256 / 8, Verdict.CONTRADICTED),
    ("C02", "which are what is read", 671 / 37, Verdict.CONTRADICTED),
    ("C02", "on an H800 at fp8", 1978.9 / 3.35 / 2 * 671 / 37, Verdict.CONTRADICTED),
    ("C04", "at the lecture's 20 TB/s", 288 / 20, Verdict.ROUNDED),
    ("C04", "h100-sxm", 80 / 3.35, Verdict.CONTRADICTED),
    ("C04", "gb200", 186 / 8, Verdict.CONTRADICTED),
    ("C05", "and the ride", 2 * 20, Verdict.REPRODUCED),
    ("C06", "steps of 20 ms, as stated", 1 / 0.020, Verdict.HOLDS_IF),
    ("C06", "64 steps a second", 2000 * 64 / 1000, Verdict.REPRODUCED),
    ("C07", "500e6", 500e6 / 128e3, Verdict.CONTRADICTED),
    ("C07", "what 1,000 racks", 1000 * 0.128, Verdict.REPRODUCED),
    ("C08", "a dense model", None, Verdict.CONTRADICTED),
    ("C09", "fast over normal batch, from the ratios as stated", 1 / (6 * 2.5), Verdict.REPRODUCED),
    ("C11", "over the active parameters", 1300 / 370, Verdict.ROUNDED),
    ("C11", "on the assumption that experts hold a third", (370 * 2 / 3 + 64 * 370 / 3) / 370, Verdict.CONTRADICTED),
    ("C11", "of the dense model", 64 * 370 / 1300, Verdict.CONTRADICTED),
    ("C12", "the lecture's rack", 900 / 50, Verdict.HOLDS_IF),
    ("C12", "both: h100-sxm", 450 / 50, Verdict.ROUNDED),
    ("C12", "both: b100-sxm", 900 / 50, Verdict.CONTRADICTED),
    ("C13", "72 chips for 8", 72 / 8, Verdict.ROUNDED),
    ("C13", "72 of gb200 for 8", 72 * 8 / (8 * 3.35), Verdict.CONTRADICTED),
    ("C13", "64 chips for 8", 64 / 8, Verdict.ROUNDED),
    ("C13", "gb300", 72 * 0.288, Verdict.CONTRADICTED),
    ("C14", "2 byte a parameter", 2, Verdict.HOLDS_IF),
    ("C15", "all 72 chips of the rack", 256 / 72, Verdict.ROUNDED),
    ("C15", "all 72 chips, with 32", (256 + 32) / 72, Verdict.REPRODUCED),
    ("C15", "each with 8 of 256 experts", 1 - math.comb(128, 8) / math.comb(256, 8), Verdict.CONTRADICTED),
    ("C16", "the last one back", 4 * 2, Verdict.ROUNDED),
    ("C18", "3 FLOP a parameter", 3 / 6 / (1 / 3), Verdict.REPRODUCED),
    ("C18", "of Llama 3.1 405B (arXiv", 0.15 / 0.405, Verdict.ROUNDED),
    ("C18", "15 % in RL, beside the llama2-70b", None, Verdict.ROUNDED),
    ("C19", "Chinchilla", 0.28 / 0.34, Verdict.ROUNDED),
    ("C20", "two months", 50e6 * 60 * 86400 / 1e12, Verdict.CONTRADICTED),
    ("C21", "150 T", 150 / (20 * 0.1), Verdict.CONTRADICTED),
    ("C21", "150 T tokens, for a trillion", 150 / (20 * 1), Verdict.CONTRADICTED),
    ("C21", "runs: llama3-8b", None, Verdict.ROUNDED),
    ("C22", "with the weights read too", 100e9 / 300 / 200e3 * (1 - 2400 / 4800), Verdict.CONTRADICTED),
    ("C22", "as long as reading the weights", 800e9 / 2400 / 200e3, Verdict.REPRODUCED),
    ("C22", "300 FLOP for each byte", 2 * 100e9 / 300 / 200e3, Verdict.HOLDS_IF),
    ("C22", "an H100 at fp8", 2 * 100e9 * 3.35e12 / 1978.9e12 / 200e3, Verdict.ROUNDED),
    ("C23", "one cache for all layers, 1 byte", 2 * 8 * 128 / 1000, Verdict.REPRODUCED),
    ("C24", "output of every sheet with a cliff: gemini-2-5-pro", 15 / 10 - 1, Verdict.REPRODUCED),
    ("C24", "input of every sheet with a cliff: gemini-2-5-pro", 2.5 / 1.25 - 1, Verdict.CONTRADICTED),
    ("C24", "output of gemini-3-1-pro", 18 / 12 - 1, Verdict.REPRODUCED),
    ("C24", "input of gemini-3-1-pro", 4 / 2 - 1, Verdict.CONTRADICTED),
    ("C25", "gemini-2-5-pro-prices", 10 / 1.25, Verdict.CONTRADICTED),
    ("C25", "every sheet: claude-opus-4-6-prices", 5 / 25, Verdict.REPRODUCED),
    ("C27", "gpt-4o-prices", 2, Verdict.CONTRADICTED),
    ("C27", "by cost", None, Verdict.CONTRADICTED),
    ("C28", "prefill does as much as the parameters of llama3-1-405b", None, Verdict.CONTRADICTED),
    ("C29", "an index of all", None, Verdict.CONTRADICTED),
    ("C31", "share of the activations that is not stored", 1 - 1 / 80, Verdict.REPRODUCED),
    ("C36", "h100-sxm, b200-sxm", 8 / 3.35, Verdict.CONTRADICTED),
    ("C37", "latency without a pipeline over that with 4 stages and hops of 2 ms", 20 / 28, Verdict.HOLDS_IF),
    ("C39", "as published", 2048, Verdict.CONTRADICTED),
    ("C43", "8 of h100-sxm, 1 byte", 8 * 0.08, Verdict.HOLDS_IF),
]


# Claims that ask about every chip, model or sheet: hundreds of questions each.
WIDE = {"C01", "C02", "C03", "C04", "C08", "C09", "C12", "C15", "C21", "C22", "C24", "C25", "C26", "C27", "C28", "C39"}


@pytest.mark.thorough
@every(
    ("name", "words", "computed", "verdict"),
    [pytest.param(*one, marks=pytest.mark.thorough if one[0] in WIDE else ()) for one in BY_HAND],
)
def test_verdicts_agree_with_arithmetic_of_our_own(findings, name, words, computed, verdict):
    readings = [one for one in findings[name].judgements if words in one.words]
    assert readings
    if computed is not None:
        assert number(readings[0]) == pytest.approx(computed, rel=1e-6)
    assert readings[0].verdict is verdict


@pytest.mark.thorough
def test_flash_takes_half_an_hour_and_disks_a_day(findings):
    flash = part(findings, "C26", "a minute for flash")
    assert number(judgements_of(flash)[0]) == pytest.approx(30.72e12 / 14e9 / 60)
    assert flash.verdict is Verdict.CONTRADICTED
    disk = part(findings, "C26", "an hour for disk")
    assert number(judgements_of(disk)[0]) == pytest.approx(30e12 / 275e6 / 3600)
    assert number(judgements_of(disk)[1]) == pytest.approx(30e12 / 250e6 / 3600)  # as the lecture takes it
    assert disk.verdict is Verdict.CONTRADICTED
    assert part(findings, "C26", "seconds for DDR").verdict is Verdict.REPRODUCED


def test_eight_hoppers_hold_640_gigabytes(findings):
    eight = part(findings, "C13", "640 GB")
    assert number(eight.natural.decides) == pytest.approx(8 * 80)
    assert eight.verdict is Verdict.REPRODUCED


@pytest.mark.thorough
def test_attention_matters_long_before_a_million_tokens(findings):
    llama = found(findings, "C28", "the parameters of llama3-70b")
    assert number(llama) * 1e6 == pytest.approx(2 * 70.6e9 / (2 * 80 * 64 * 2 * 128), rel=0.01)


@pytest.mark.thorough
def test_deepseek_runs_at_two_to_three_times_its_balance(findings):
    sequences = 14800 / 8 * 144 / 21
    balance = 1978.9 / 3.35 / 2 * 671 / 37
    served = judgements_of(part(findings, "C03", "2 to 3 times"))[0]
    assert number(served) == pytest.approx(sequences / balance)
    assert served.verdict is Verdict.REPRODUCED


def test_the_balance_falls_as_less_of_the_arithmetic_is_reached(findings):
    arithmetic, bandwidth = findings["C34"].judgements
    assert arithmetic.weighed.base == pytest.approx(1)
    assert bandwidth.weighed.base == pytest.approx(-1)
    assert findings["C34"].verdict is Verdict.CONTRADICTED  # MFU was claimed; bandwidth stands beside it


@pytest.mark.thorough
def test_what_is_said_of_the_usual_is_judged_by_what_is_usual(findings):
    ratios = [number(judgement) for judgement in part(findings, "C25", "3 to 5").natural.judgements]
    assert sum(3 <= ratio <= 5 for ratio in ratios) >= len(ratios) / 2
    assert part(findings, "C25", "3 to 5").verdict is Verdict.REPRODUCED
    crossovers = [number(judgement) for judgement in findings["C28"].clauses[0].natural.judgements]
    assert max(crossovers) < 1  # million tokens
    assert findings["C28"].verdict is Verdict.CONTRADICTED


@pytest.mark.long
def test_readings_beside_the_natural_one_never_change_a_verdict(findings):
    library = derive.llm
    for claim in claims():
        bare = replace(claim, clauses=tuple(replace(one, readings=one.readings[:1]) for one in claim.clauses))
        if all(len(clause.readings) == 1 for clause in claim.clauses):
            continue
        alone, whole = judge(library, bare), findings[claim.name]
        assert (alone.verdict, alone.off, alone.why) == (whole.verdict, whole.off, whole.why), claim.name


# What the claim or its talk names, and what its natural readings therefore ask about
NAMED = {
    "C01": ["a100-sxm-80gb", "h100-sxm", "b100-sxm", "rubin-r200"],
    "C02": ["deepseek-v3"],
    "C04": ["rubin-lecture", "h100-sxm", "b100-sxm"],
    "C05": ["20 ms"],
    "C06": ["20 ms", "2000 sequence", "64 1/s"],
    "C07": ["1000", "128 ktoken/s"],
    "C08": ["deepseek-v3", "2400 sequence", "72 chip"],
    "C09": ["deepseek-v3", "72 chip", "2000 sequence", "2.5", "6"],
    "C10": ["72 chip", "2400 sequence"],
    "C11": ["64", "370 Mparameter", "1.3 Gparameter"],
    "C12": ["gb200"],
    "C13": ["8 chip", "72 chip", "h100-sxm", "gb200", "5 Tparameter"],
    "C15": ["256", "64 chip", "2"],
    "C16": ["4", "2 ms"],
    "C18": ["3 FLOP/parameter/token", "0.15", "0.33333333"],
    "C20": ["50e6 token/s", "60 day"],
    "C21": ["100 Gparameter", "200 Ttoken"],
    "C22": ["100 Gparameter", "200 ktoken/sequence", "300 token"],
    "C23": ["8", "128"],
    "C24": ["gemini-3-1-pro-prices"],
    "C25": ["output_price", "input_price", "5", "0.2"],
    "C26": ["gb200", "nvme-gen5-30tb", "hdd-exos-m-30tb", "5 min", "1 h"],
    "C27": ["cache_read_price", "input_price"],
    "C29": ["deepseek-v3-2"],
    "C33": ["deepseek-v3", "72 chip", "2000 sequence"],
    "C34": ["compute_efficiency"],
    "C35": ["h100-sxm", "gb200", "rubin-r200"],
    "C37": ["2 ms", "20 ms"],
    "C38": ["deepseek-v3", "gb200"],
    "C39": ["gpt3-175b", "gemini-3-1-pro-prices"],
    "C40": ["rubin-r200", "2000 sequence", "20 ms"],
    "C42": ["2000 sequence"],
    "C43": ["h100-sxm", "20 ms"],
}


@pytest.mark.parametrize("name", NAMED)
def test_the_natural_readings_ask_about_what_the_claim_names(name):
    (claim,) = [claim for claim in claims() if claim.name == name]
    natural = [clause.readings[0] for clause in claim.clauses]
    told = " ".join(f"{one.question} {one.criterion} {one.each} {one.response_to}" for one in natural)
    assert all(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", told) for one in NAMED[name]), told


@pytest.mark.thorough
def test_the_smallest_change_makes_the_claim_hold(findings):
    """Put back by hand: the question with the new value, and what it says beside the claim."""
    tried = 0
    for finding in findings.values():
        for judgement in finding.judgements:
            asked, change, criterion = (
                judgement.weighed.reading,
                next(iter(judgement.changes), None),
                judgement.weighed.reading.criterion,
            )
            flat = isinstance(asked.question, WrittenQuestion) and all(
                isinstance(value, str) for _, value in asked.question.given
            )
            if change is None or not flat or not isinstance(criterion, Amount) or criterion.side:
                continue
            given = {**dict(asked.question.given), change.path: change.answer.value}
            again = derive.solve(asked.question.target, *asked.question.profiles, **given)
            stated = read_value(criterion.stated)
            low, high = stated.base[0], stated.base[2]
            if not stated.is_range:
                low, high = stated.base[1] / BEARING, stated.base[1] * BEARING
            assert low * (1 - 1e-6) <= again.base <= high * (1 + 1e-6), (finding.claim.name, judgement.words)
            tried += 1
    assert tried > 60


@pytest.mark.thorough
def test_no_other_single_change_is_smaller(findings):
    for finding in findings.values():
        for judgement in finding.judgements:
            sizes = [abs(math.log(change.ratio)) for change in judgement.changes]
            assert sizes == sorted(sizes) or max(sizes) - min(sizes) < 1e-6


def test_half_the_bytes_make_a_trillion_parameters_a_terabyte(findings):
    two = found(findings, "C14", "2 byte a parameter")
    assert str(two.changes[0]) == "bytes_per_parameter = 1 byte/parameter, 1/2 of the stated"


@pytest.mark.thorough
def test_another_catalogue_gives_another_verdict(findings):
    assert findings["C35"].verdict is Verdict.CONTRADICTED
    (kyber,) = audit(["C35"], changed("rubin-r200", scale_up_domain="512 chip"))
    assert kyber.verdict is Verdict.ROUNDED
    assert part({"C35": kyber}, "C35", "Rubin").verdict is Verdict.ROUNDED
    assert part(findings, "C04", "Hopper").verdict is Verdict.CONTRADICTED
    (faster,) = audit(["C04"], changed("h100-sxm", hbm_bandwidth="5 TB/s/chip"))
    assert part({"C04": faster}, "C04", "Hopper").verdict is Verdict.REPRODUCED


def test_a_relation_that_is_left_out_leaves_a_claim_without_its_derivation():
    (finding,) = audit(["C20"], derive.llm.without("lifetime_tokens"))
    assert finding.verdict is Verdict.CONTRADICTED
    assert "not determined" in finding.why


@pytest.mark.thorough
def test_claims_conflict_as_arithmetic_has_it(conflicts):
    factors = {conflict.claims: conflict.factor for conflict in conflicts}
    assert factors["C01", "C02"] == pytest.approx(300 * 700 / 37 / 2400, rel=1e-6)
    assert factors["C06", "C07", "C20"] == pytest.approx(500e6 / 128e3 / 1000, rel=1e-6)
    assert factors["C05", "C06"] == pytest.approx(64 * 0.020, rel=1e-6)
    assert factors["C02", "C03"] == pytest.approx(2.5 * 2400 / 2500, rel=1e-6)
    assert factors["C01", "C22"] == pytest.approx(2, rel=1e-3)
    assert factors["C03", "C22", "C25", "C39"] == pytest.approx(5 / (1 / 2.5 + 150 / 200), rel=1e-6)
    assert factors["C02", "C04"] == pytest.approx(0.0175 * 72 * 20e12 / 700e9, rel=1e-6)
    assert factors["C02", "C06"] == pytest.approx(72 * 20e12 / 700e9 / 64, rel=1e-6)
    assert factors["C22", "C26"] == pytest.approx(4.5e-6 / 1667 / (0.17 / 2**30 / (365.25 * 24 / 12)), rel=1e-3)
    assert factors["C22", "C24", "C28"] == pytest.approx(0.5 / (200e3 / 1e6), rel=1e-6)
    assert {"C16", "C37"} in [set(claims) for claims in factors]
    assert all(isinstance(conflict.error, InconsistentError) for conflict in conflicts)


def test_the_prices_of_storage_in_a_scene_are_those_of_the_catalogue():
    (scene,) = [scene for scene in scenes() if "persistent disks on SSD" in scene.words]
    profiles = derive.llm.profiles
    rent = next(one.value for one in scene.assertions if one.quantity == "implied_tier_price")
    assert read_value(rent).base[1] == profiles["gcp-pd-ssd"].values["tier_price"].base[1]
    asked = profiles["gemini-2-5-pro-prices"].values["cache_storage_price"]
    assert read_value(dict(scene.premises)["cache_storage_price"]).base[1] == asked.base[1]


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_the_command_prints_a_claim_with_its_derivation_or_data():
    told = ask("audit", "c14")
    assert told.status == 0
    assert told.out.startswith("C14: reproduced\n")
    assert "said by R. Pope, The math behind" in told.out
    assert "Beside it, without a say in the verdict:\n  - 2 byte a parameter: contradicted as stated" in told.out
    assert "weight_bytes = total_parameters*bytes_per_parameter" in told.out
    data = json.loads(ask("audit", "C06", "--json").out)
    assert [claim["id"] for claim in data["claims"]] == ["C06"]
    assert {tuple(conflict["claims"]) for conflict in data["conflicts"]} == {
        ("C05", "C06"),
        ("C02", "C06"),
        ("C06", "C07", "C20"),
    }
    unknown = ask("audit", "C99")
    assert unknown.status == 2
    assert "There is no claim 'C99'" in unknown.err


@pytest.mark.thorough
def test_the_command_prints_a_table_of_all_and_what_cannot_hold_together(findings, conflicts, monkeypatch):
    import derive.tokens.audit

    monkeypatch.setattr(derive.tokens.audit, "audit", lambda *asked: tuple(findings.values()))
    monkeypatch.setattr(derive.tokens.audit, "clashes", lambda *asked: conflicts)
    told = ask("audit")
    assert told.status == 0
    listed = re.findall(r"^(C\d\d)  ", told.out, re.MULTILINE)
    assert listed == [one.claim.name for one in worst_first(findings.values())]
    assert "Cannot hold together:" in told.out


def test_no_share_of_a_step_is_ten_times_the_whole_of_it():
    with pytest.raises(NoSolutionError):
        derive.solve("kv_share", slow_discount="10", mfu="1")


def of(profile, quantity):
    """The number that a profile states, in its unit there."""
    return derive.llm.profiles[profile].values[quantity].number


# The numbers that the plain sentence of a claim states of itself, in their order, beside what they come to.
STATED = {
    "C02": lambda: (
        of("deepseek-v3", "active_experts"),
        of("deepseek-v3", "experts") / of("deepseek-v3", "active_experts"),
        of("deepseek-v3", "total_parameters") / of("deepseek-v3", "active_parameters"),
        300,  # the lecture's ratio
        18,
        300 * 18,
    ),
    "C03": lambda: (2400, 2 * 2400, 3 * 2400),
    "C04": lambda: (of("b100-sxm", "hbm_capacity"), of("b100-sxm", "hbm_bandwidth")),
    "C06": lambda: (64, 1000 / 64, 15, 20),
    "C12": lambda: (
        of("gb200", "scale_up_bandwidth"),
        of("gb200", "scale_out_bandwidth"),
        90,  # from a ratio of ten on
    ),
    "C20": lambda: (50, 60 * 86_400 / 1e6, 60),
    "C26": lambda: (30, of("nvme-gen5-30tb", "tier_bandwidth"), 30),
    "C29": lambda: (of("deepseek-v3-2", "selected_tokens"),),
    "C33": lambda: (2000,),
    "C37": lambda: (4, 2, 20, 20 + 4 * 2),
    "C39": lambda: (of("gpt3-175b", "context_limit"),),
    "C42": lambda: (2000,),
    "C43": lambda: (20,),
}


def test_the_numbers_of_a_plain_sentence_are_what_the_library_comes_to():
    names = r"DeepSeek-V[\d.]+|Llama 2 70B|GPT-3|Gemini 3.1|[A-Z]+\d+|{\w+}"
    for claim in claims():
        own = re.sub(names, "", claim.plainly).partition(". ")[2]
        typed = [word.replace(",", "") for word in re.findall(r"\d[\d,]*(?:\.\d+)?", own)]
        meant = STATED[claim.name]() if claim.name in STATED else ()
        assert len(typed) == len(meant), (claim.name, typed)
        for word, comes_to in zip(typed, meant, strict=True):
            assert round(comes_to, len(word.partition(".")[2])) == float(word), (claim.name, word, comes_to)


def test_thirty_terabytes_of_disk_take_more_than_a_day_and_of_flash_less_than_an_hour():
    for tier, least, most in [("hdd-exos-m-30tb", 86_400, math.inf), ("nvme-gen5-30tb", 60, 3_600)]:
        stated = derive.llm.profiles[tier].values
        read_through = stated["tier_capacity"].base[1] / stated["tier_bandwidth"].base[1]
        assert least < read_through < most
