"""Profiles in questions: chips at a precision, models, price sheets; what is told of where their numbers come from."""

from __future__ import annotations

import pickle

import pytest

import derive
from derive import Library, UnderdeterminedError, UnknownNameError
from derive.catalogue import as_data, entries, rows
from quantities.errors import ExpressionError
from quantities.profiles import Facts, Profile, Profiles
from quantities.value import Source, read_value
from tests.derive.statements import bare
from tests.ordinary import every, one_in

CLIFF = {"active_parameters": "100 Gparameter", "crossover_context": "200 ktoken/sequence"}
SERVING = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}

BATCHES = {"batch": "64 sequence", "large.batch": "640 sequence"}

MY_CHIP = derive.load(
    """
[profiles.my-chip]
hbm_bandwidth = "2 TB/s/chip"
[profiles."my-chip:fp8"]
peak_compute = "1 PFLOP/s/chip"
[profiles."my-chip:bf16"]
peak_compute = "500 TFLOP/s/chip"
""",
    beside=derive.llm,
)


def test_a_chip_at_a_precision_answers():
    answer = derive.solve("kv_bytes_per_token", "h100-sxm:fp8", **CLIFF)
    assert answer.value.magnitude == pytest.approx(2 * 100e9 * 3.35e12 / 1978.9e12 / 200e3)


BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5}


CHIPS = [name for name in derive.llm.profiles if name.partition(":")[2] in BYTES]


@pytest.mark.thorough
@every("chip", one_in(4, CHIPS, CHIPS), ordinary=6, thorough=2)
def test_weights_of_another_size_than_the_peak_multiplies_are_an_assumption(chip):
    for model in ("llama3-70b", "deepseek-v3"):
        answer = derive.solve("step_time", chip, model, **SERVING)
        weights = derive.llm.profile(model).values["bytes_per_parameter"].number
        own = BYTES[chip.partition(":")[2]]
        said = [one for one in answer.assumptions if f"goes with bytes_per_parameter = {own:g} byte" in one]
        assert len(said) == (weights != own), answer.assumptions


def test_what_is_typed_is_compared_with_the_precision_too():
    def said(chip, **given):
        answer = derive.solve("step_time", chip, "llama3-70b", **SERVING, **given)
        return [one for one in answer.assumptions if "goes with" in one]

    (narrow,) = said("h100-sxm:bf16", bytes_per_parameter="1 byte/parameter")
    assert narrow.startswith("peak_compute of h100-sxm:bf16 goes with bytes_per_parameter = 2 byte/parameter")
    assert narrow.endswith("which is 1 byte/parameter here")
    assert not said("h100-sxm:fp8", bytes_per_parameter="1 byte/parameter")
    assert not said("h100-sxm:fp8", peak_compute="1 PFLOP/s/chip")


def test_a_chip_without_a_precision_has_no_peak():
    with pytest.raises(UnderdeterminedError) as caught:
        derive.solve("kv_bytes_per_token", "h100-sxm", **CLIFF)
    assert ("peak_compute",) in caught.value.missing


@pytest.mark.ordinary(2)
@pytest.mark.parametrize(
    "ask",
    [
        lambda: derive.solve("hardware_ratio", "h100-sxm"),
        lambda: derive.sweep("hardware_ratio", "h100-sxm", hbm_bandwidth=["1 TB/s/chip", "2 TB/s/chip"]),
        lambda: derive.sample("hardware_ratio", "h100-sxm", hbm_bandwidth="1..2 TB/s/chip"),
        lambda: derive.least("hardware_ratio", "h100-sxm", hbm_bandwidth="1..2 TB/s/chip"),
    ],
)
def test_the_precisions_that_state_what_is_missing_are_named(ask):
    with pytest.raises(UnderdeterminedError) as caught:
        ask()
    peaks = " or ".join(f"h100-sxm:{one}" for one in derive.llm.profiles.choices("h100-sxm"))
    assert f"Write {peaks}, each of which states peak_compute. Give peak_compute" in str(caught.value)
    with pytest.raises(UnderdeterminedError) as caught:
        (derive.llm | MY_CHIP).solve("step_time", "my-chip")
    assert "Write" not in str(caught.value)  # no precision of it is enough


def test_a_chip_and_a_model_go_together_and_what_is_typed_binds():
    answer = derive.solve("weight_time", "h100-sxm:fp8", "deepseek-v3", chips="8 chip")
    assert answer.value.magnitude == pytest.approx(671e9 / (8 * 3.35e12))
    halved = derive.solve("weight_time", "h100-sxm:fp8", "deepseek-v3", chips="8 chip", hbm_bandwidth="6.7 TB/s/chip")
    assert halved.value.magnitude == pytest.approx(answer.value.magnitude / 2)


def test_later_profiles_prevail():
    found = [
        derive.solve("weight_time", *chips, "llama3-70b", chips="8 chip").value.magnitude
        for chips in (("h100-sxm", "h200-sxm"), ("h200-sxm", "h100-sxm"))
    ]
    assert found[1] / found[0] == pytest.approx(4.8 / 3.35)


@pytest.mark.parametrize(
    ("name", "suggestions", "said"),
    [
        ("h100-sxm:fp4", ("bf16", "fp8", "int8"), "There are bf16, fp8, int8."),
        ("h100:mxfp8", ("bf16", "fp8", "int8"), "There are bf16, fp8, int8."),
        ("rubin-lecture:fp4", (), "Write rubin-lecture."),
    ],
)
def test_a_precision_that_a_chip_lacks_is_answered_with_those_it_has(name, suggestions, said):
    with pytest.raises(UnknownNameError) as caught:
        derive.solve("kv_bytes_per_token", name, **CLIFF)
    error = caught.value
    assert (error.kind, error.name, error.suggestions) == ("precision", name.partition(":")[2], suggestions)
    assert error.hint == said


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("gemini-2.5-pro", "gemini-2-5-pro-prices"),
        ("o3", "o3-prices"),
        ("h100_sxm", "h100-sxm"),
        ("H100-SXM:FP8", "h100-sxm:fp8"),
        ("a100", "a100-sxm-80gb"),
        ("deepseek", "deepseek-v3"),
        ("lama3-70b", "llama3-70b"),
    ],
)
def test_a_near_miss_is_answered_with_the_name(name, suggestion):
    with pytest.raises(UnknownNameError) as caught:
        derive.profile(name)
    assert caught.value.kind == "profile"
    assert suggestion in caught.value.suggestions
    assert suggestion in str(caught.value)


@pytest.mark.parametrize(
    ("target", "profiles", "given", "expected"),
    [  # Austin et al., How to Scale Your Model, 2025: Training, and Quiz 2 of GPUs
        ("network_ratio", ("tpu-v5p:bf16",), {"network_axes": 3}, 850),
        ("fsdp_tokens", ("tpu-v5p:bf16", "llama3-70b"), {"network_axes": 3}, 850),
        (
            "all_gather_time",
            ("h100-sxm",),
            {"network_axes": 1, "ring_size": 8, "collective_bytes": "536.870912 MB/chip"},
            1.04e-3,
        ),
    ],
)
def test_an_exchange_is_asked_with_a_chip_and_the_axes_that_it_uses(target, profiles, given, expected):
    assert derive.solve(target, *profiles, **given).value.magnitude == pytest.approx(expected, rel=0.005)
    with pytest.raises(UnderdeterminedError) as caught:
        derive.solve(target, *profiles, **{name: said for name, said in given.items() if name != "network_axes"})
    assert ("network_axes",) in caught.value.missing


def test_a_rented_tier_keeps_a_cache_the_longer_the_less_it_costs():
    tiers = ("aws-fargate-memory", "gcp-pd-ssd", "aws-ebs-gp3", "gcp-local-ssd", "gcs-standard")
    at_once = {"tier_read_cost": "0 USD/Mtoken"}  # as from many devices
    held = [
        derive.solve("break_even_hold_time", "h100-sxm:fp8", "deepseek-v3", tier, **at_once).value.to("h")
        for tier in tiers
    ]
    assert held == sorted(held)
    cost = derive.solve("tier_hold_cost", "deepseek-v3", "aws-ebs-gp3", hold_time="1 h").value
    drained = 2**44 / (125 * 2**20)  # longer than an hour, so it is the drain time that is paid
    assert cost.to("USD/token").magnitude == pytest.approx(70272 * 0.08e-9 * drained / (30.4375 * 86400))


PUBLISHED = [
    # Parameters: Narayanan et al., arXiv 2104.04473, table 1; the others as the models' own papers and cards count
    ("classic_parameters", ("gpt3-175b",), {}, "174.6 Gparameter", 1e-3),
    ("classic_parameters", ("mt-nlg-530b",), {}, "530 Gparameter", 1e-3),
    ("classic_parameters", ("opt-175b",), {}, "175 Gparameter", 3e-3),
    ("classic_parameters", ("bloom-176b",), {"positions": 0}, "176247271424 parameter", 5e-7),  # but for two norms
    ("exact_parameters", ("llama-65b",), {}, "65.2 Gparameter", 2e-3),
    # LLaMA, section 2.4: 380 tokens a second on each of 2048 chips, about 21 days
    ("training_time", ("llama-65b",), {"training_chips": "2048 chip"}, "21 day", 0.01),
    ("training_chip_time_per_token", ("llama-65b",), {}, "0.0026315789 s*chip/token", 2e-3),
    # OPT: 4.30e23 FLOP with activations computed again, at 147 TFLOP/s (final update; arXiv 2205.01068, section 2.4)
    ("hardware_compute", ("opt-175b",), {"recomputed_share": 1}, "4.30e23 FLOP", 0.025),
    ("hardware_achieved_compute", ("opt-175b",), {"recomputed_share": 1}, "147 TFLOP/s/chip", 0.025),
    # MT-NLG, section 5.3: a step of 1920 sequences in 60.1 s
    (
        "classic_achieved_compute",
        ("mt-nlg-530b",),
        {
            "global_batch": "1920 sequence",
            "sequence_length": "2048 token/sequence",
            "training_chips": "2240 chip",
            "training_step_time": "60.1 s",
            "recomputed_share": 1,
        },
        "126 TFLOP/s/chip",
        0.007,
    ),
]


@pytest.mark.parametrize(("target", "profiles", "given", "published", "within"), PUBLISHED)
def test_what_is_published_of_a_model_follows_from_its_profile(target, profiles, given, published, within):
    answer = derive.solve(target, *profiles, **given)
    assert not answer.failed
    assert answer.value.to_base_units().magnitude == pytest.approx(read_value(published).base[1], rel=within)


# Where the numbers come from


def test_the_sources_of_the_profiles_reach_the_answer():
    answer = derive.solve("step_time", "h100-sxm:fp8", "deepseek-v3", **SERVING)
    texts = [source.text for source in answer.sources]
    assert any("ml-engineering" in text for text in texts)
    assert any("arXiv:2412.19437" in text for text in texts)
    assert answer.given["hbm_bandwidth"].source == derive.profile("h100-sxm").values["hbm_bandwidth"].source
    assert all(source.date for source in answer.sources if source.kind == "published")


@pytest.mark.thorough
def test_an_assumed_value_is_told_apart():
    answer = derive.solve("cost_per_token", "h100-sxm:fp8", "deepseek-v3", **SERVING)
    told = [note for note in answer.assumptions if "is assumed" in note]
    assert len(told) == 1
    assert told[0].startswith("chip_price = 3.85 (1.99..12.29) USD/h/chip is assumed: Nebius list price")
    sure = derive.solve("cost_per_token", "h100-sxm:fp8", "deepseek-v3", chip_price="2 USD/h/chip", **SERVING)
    assert not any("is assumed" in note for note in sure.assumptions)


def test_where_sources_disagree_the_answer_has_bounds_around_what_is_kept():
    answer = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **SERVING)
    assert answer.low.magnitude / answer.value.magnitude == pytest.approx(1.99 / 3.85)
    assert answer.high.magnitude / answer.value.magnitude == pytest.approx(12.29 / 3.85)
    assert any("3.85 USD/h/chip" in step.numbers for step in answer.steps)


# A chip of one's own


def test_a_chip_of_one_s_own_has_precisions_too():
    library = derive.llm | MY_CHIP
    assert library.solve("hardware_ratio", "my-chip:fp8").value.magnitude == pytest.approx(500)
    assert library.solve("hardware_ratio", "my-chip:bf16").value.magnitude == pytest.approx(250)
    assert library.solve("hardware_ratio", "h100-sxm:fp8").value.magnitude == pytest.approx(590.7, rel=1e-4)
    with pytest.raises(UnknownNameError) as caught:
        library.profile("my-chip:fp4")
    assert (caught.value.kind, caught.value.suggestions) == ("precision", ("fp8", "bf16"))


def test_a_chip_of_the_library_can_be_given_another_precision():
    more = derive.load('[profiles."h100-sxm:int4"]\npeak_compute = "3 PFLOP/s/chip"\n', beside=derive.llm)
    library = derive.llm | more
    assert library.solve("hardware_ratio", "h100-sxm:int4").value.magnitude == pytest.approx(3000 / 3.35)
    assert library.profiles.choices("h100-sxm") == ("int4", "bf16", "fp8", "int8")


def test_one_name_means_one_thing_on_a_shelf_too():
    same = derive.profile("hdd-lecture")
    assert (derive.llm | Library(profiles=[same])).profile("hdd-lecture") == same
    other = Library(profiles=[Profile("hdd-lecture", {"tier_capacity": read_value("1 TB")})])
    for pair in ((derive.llm, other), (other, derive.llm)):
        with pytest.raises(ExpressionError) as caught:
            _ = pair[0] | pair[1]
        assert caught.value.what.startswith("The profile hdd-lecture is declared twice")


def test_another_name_of_a_profile_is_taken_too():
    with pytest.raises(ExpressionError) as caught:
        _ = derive.llm | Library(profiles=[Profile("h100", {})])
    assert caught.value.what.startswith("The profile h100 is declared twice")
    more = Library(profiles=[Profile("h100:int4", {"peak_compute": read_value("3 PFLOP/s/chip")})])
    assert (derive.llm | more).profile("h100:int4").title == derive.profile("h100-sxm").title


# The shelf


def shelved() -> Library:
    """The built-in relations over facts that nobody has read yet."""
    library = derive.llm
    profiles = Profiles(shelves=[Facts("accelerators"), Facts("models")])
    return Library(library.relations.values(), library.quantities.values(), profiles)


def unread(library: Library) -> bool:
    return not any("data" in vars(file) for file in library.profiles.shelves)


def test_nothing_is_read_before_it_is_asked_for():
    library = shelved()
    assert unread(library)
    assert unread(library.without("mfu"))
    assert unread(library | Library(title="Nothing"))
    assert unread(library.at("fast", ["batch"]))
    assert unread(pickle.loads(pickle.dumps(library)))
    assert library.solve("hardware_ratio", "h100-sxm:fp8").value.magnitude == pytest.approx(590.7, rel=1e-4)
    assert not unread(library)


def test_a_library_with_a_shelf_travels_and_is_itself():
    library = shelved()
    arrived = pickle.loads(pickle.dumps(library))
    assert arrived == library
    assert arrived.profile("gb200:fp4") == library.profile("gb200:fp4")


def test_an_operating_point_has_the_profiles():
    library = derive.llm.at("large", ["batch"])
    assert library.profile("h100:fp8") == derive.profile("h100-sxm:fp8")
    answer = library.solve("large.compute_time", "h100-sxm:fp8", "llama3-70b", chips="8 chip", **BATCHES)
    assert answer.value.magnitude == pytest.approx(2 * 70.6e9 * 640 / (8 * 1978.9e12))


# How they are listed and shown


def test_a_row_tells_what_a_profile_is_and_its_precisions():
    found = {row[0]: row for row in rows(derive.llm, "profiles")}
    assert found["h100-sxm"][2] == "NVIDIA H100 SXM5 80GB (Hopper); at bf16, fp8, int8"
    assert "h100-sxm:fp8" not in found
    assert found["deepseek-v3-2"][2].startswith("DeepSeek-V3.2")
    assert found["deepseek-v3-2-prices"][2].startswith("DeepSeek prices")


def test_a_chip_is_shown_with_its_peaks_and_the_source_that_most_share_once():
    ((heading, lines),) = entries(derive.llm, "h100")
    shown = dict(lines)
    assert heading == "profile h100-sxm"
    assert shown["is"] == "NVIDIA H100 SXM5 80GB (Hopper)"
    assert shown["source"].startswith("published: ")
    assert shown["hbm_bandwidth"] == "3.35 TB/s/chip"
    assert shown["peak_compute at fp8"] == "1978.9 TFLOP/s/chip"
    assert "(assumed: Nebius" in shown["chip_price"]
    ((heading, lines),) = entries(derive.llm, "h100-sxm:fp8")
    assert (heading, dict(lines)["peak_compute"]) == ("profile h100-sxm:fp8", "1978.9 TFLOP/s/chip")


def test_a_precision_that_cannot_be_shown_is_answered_as_in_a_question():
    with pytest.raises(UnknownNameError) as caught:
        entries(derive.llm, "h100-sxm:fp4")
    assert (caught.value.kind, caught.value.suggestions) == ("precision", ("bf16", "fp8", "int8"))


def test_data_have_title_note_and_every_source():
    data = {entry["name"]: entry for entry in as_data(derive.llm, "profiles")}
    assert data["h100-sxm:fp8"]["title"] == "NVIDIA H100 SXM5 80GB (Hopper)"
    assert data["h100-sxm"]["values"]["chip_price"]["kind"] == "assumed"
    assert "title" not in as_data(Library(profiles=[Profile("a", {})]), "profiles")[0]


def test_a_source_tells_what_others_say():
    source = Source("a table", "assumed", date="2026", note="another has 3")
    assert str(source) == "a table (2026); another has 3"


@pytest.mark.parametrize("stated", ["2.5", "7"])
@pytest.mark.parametrize("relation", ["y = ceil(x)", "y = floor(x)*3", "y >= x", "y = max(x, 3)", "y = abs(x)"])
def test_a_range_that_plays_no_part_changes_nothing_of_an_answer_beside_what_a_profile_states(relation, stated):
    library = bare("x y z", relation, domains=dict.fromkeys("xyz", "real"), profiles={"p": {"x": stated}})
    alone, beside = (library.solve_all("x", "p", y=3, **more) for more in ({}, {"z": "1..2"}))
    assert [(answer.base, answer.bounds) for answer in beside] == [(answer.base, answer.bounds) for answer in alone]
