"""Facts: every number has a source, fits its quantity, and agrees with what else is said of the same thing."""

from __future__ import annotations

import pickle
import tomllib
from collections.abc import Mapping
from importlib.resources import files

import pytest

import derive
from quantities.declaration import Declaration, read_given
from quantities.errors import ExpressionError
from quantities.profiles import Facts, Profile, Profiles
from quantities.value import KINDS
from tests.ordinary import every

FILES = ("accelerators", "tiers", "models", "prices")
FACTS = Profiles(shelves=map(Facts, FILES))
WORDS: Mapping[str, Declaration] = derive.llm.declared
TABLES = {
    file: tomllib.loads(files("quantities").joinpath("values", f"{file}.toml").read_text(encoding="utf-8"))
    for file in FILES
}
CHIPS = [name for name in TABLES["accelerators"] if name not in ("sources", "choices") and "nvl72" not in name]
RACKS = {"gb200-nvl72": "gb200", "gb300-nvl72": "gb300", "vera-rubin-nvl72": "rubin-r200"}
MODELS = [name for name in TABLES["models"] if name != "sources"]
SHEETS = [name for name in TABLES["prices"] if name.endswith("-prices")]


def base(name: str, key: str) -> float | None:
    """A value in base units, or nothing where the profile does not state it."""
    value = FACTS[name].values.get(key)
    return None if value is None else value.base[1]


# What holds for all of them


@every("name", list(FACTS))
def test_every_value_says_where_it_comes_from_when_and_how_far_it_is_to_be_trusted(name):
    profile = FACTS[name]
    assert profile.title
    assert profile.values
    for key, value in profile.values.items():
        source = value.source
        assert source.kind in KINDS, key
        assert source.text, key
        assert source.date[:2] == "20", key
        assert value.low <= value.number <= value.high, key
        assert bool(source.note) >= value.is_range or name in ("hdd-lecture", "served-deepseek-2025"), key


@every("name", list(FACTS))
def test_what_cannot_be_pointed_to_is_assumed(name):
    for key, value in FACTS[name].values.items():
        if any(mark in value.source.text for mark in ("unlocated", "from memory", "taken to be", "taken for")):
            assert value.source.kind == "assumed", key


@every("name", list(FACTS))
def test_every_value_fits_its_quantity(name):
    for key, value in FACTS[name].values.items():
        if key in WORDS:
            read_given(value, WORDS[key])


@every("name", list(FACTS))
def test_no_count_is_zero(name):
    assert all(value.number > 0 for value in FACTS[name].values.values())


def test_names_are_hyphenated_and_each_there_once():
    names = list(FACTS)
    aliases = [alias for tables in TABLES.values() for table in tables.values() for alias in table.get("also", ())]
    assert len({*names, *aliases}) == len(names) + len(aliases)
    assert all(name == name.lower() and "_" not in name for name in names)
    assert not set(names).intersection(WORDS)


def test_another_name_is_the_same_profile():
    assert FACTS["h100"] == FACTS["h100-sxm"]
    assert FACTS["h100:fp8"].name == "h100-sxm:fp8"
    assert FACTS["llama-3.1-405b"].name == "llama3-1-405b"
    assert "h100" not in list(FACTS)


@pytest.mark.parametrize("file", FILES)
def test_what_is_abbreviated_is_written_out(file):
    abbreviations = TABLES[file].get("sources", {})
    said = {value.source.text for profile in Facts(file).values() for value in profile.values.values()}
    parts = {part.partition(": ")[0] for text in said for part in text.split("; ")}
    assert not parts.intersection(abbreviations)
    assert all(any(written in text for text in said) for written in abbreviations.values())


# Chips


@pytest.mark.parametrize("name", CHIPS)
def test_a_chip_has_a_peak_at_each_of_its_precisions_and_none_without(name):
    assert "peak_compute" not in FACTS[name].values
    for precision in FACTS.choices(name):
        whole = FACTS[f"{name}:{precision}"]
        assert dict(whole.values) == {**FACTS[name].values, "peak_compute": whole.values["peak_compute"]}
        assert whole.title == FACTS[name].title
    assert FACTS.choices(name) or name == "rubin-lecture"


@pytest.mark.parametrize("name", CHIPS)
def test_what_is_counted_for_a_chip_says_so(name):
    for key, value in FACTS[name].values.items():
        if key not in ("scale_up_domain", "scale_up_slice", "scale_up_link_bandwidth"):
            assert dict(value.unit.factors)["chip"] == -1, key


@pytest.mark.parametrize("name", CHIPS)
def test_two_directions_are_twice_one_and_a_byte_is_eight_bits(name):
    one, two = base(name, "scale_up_bandwidth"), base(name, "scale_up_bandwidth_both_ways")
    assert (one is None) == (two is None)
    assert one is None or two == pytest.approx(2 * one, rel=1e-3)
    rate = base(name, "scale_out_line_rate")
    assert rate is None or rate == pytest.approx(base(name, "scale_out_bandwidth"))


@pytest.mark.parametrize("name", [name for name in CHIPS if "axis_bandwidth" in FACTS[name].values])
def test_an_axis_is_two_links_of_a_torus_or_all_that_a_switch_takes(name):
    is_torus = name.startswith("tpu")
    whole = 2 * base(name, "scale_up_link_bandwidth") if is_torus else base(name, "scale_up_bandwidth")
    assert base(name, "axis_bandwidth") == whole


MESHES = [name for name in CHIPS if "scale_up_pair_bandwidth" in FACTS[name].values]


@pytest.mark.parametrize("name", MESHES)
def test_the_links_of_a_mesh_to_all_others_make_up_the_bandwidth(name):
    others = base(name, "scale_up_domain") - 1
    assert others * base(name, "scale_up_pair_bandwidth") == pytest.approx(base(name, "scale_up_bandwidth"))
    assert "axis_bandwidth" not in FACTS[name].values


def test_only_chips_whose_wiring_is_neither_or_unknown_have_no_bandwidth_of_an_exchange():
    wired = {name for name in CHIPS if "axis_bandwidth" in FACTS[name].values}
    linked = {name for name in CHIPS if "scale_up_bandwidth" in FACTS[name].values}
    assert linked - wired - {*MESHES} == {"v100-sxm-16gb", "v100-sxm-32gb", "trainium2"}


@pytest.mark.parametrize(
    ("name", "links"), [("v100-sxm-16gb", 6), ("a100-sxm-80gb", 12), ("h100-sxm", 18), ("gb200", 18), ("tpu-v3", 4)]
)
def test_links_make_up_the_bandwidth(name, links):
    assert base(name, "scale_up_bandwidth") == links * base(name, "scale_up_link_bandwidth")


@pytest.mark.parametrize(
    ("name", "flops"),
    [
        ("a100-sxm-80gb:bf16", 312e12),
        ("a100-sxm-80gb:int8", 624e12),
        ("h100-sxm:bf16", 989.4e12),
        ("h100-sxm:fp8", 1978.9e12),
        ("b200-sxm:fp4", 9e15),
        ("gb200:fp4", 10e15),
        ("rubin-r200:fp4", 35e15),
        ("tpu-v5p:bf16", 459e12),
        ("v100-sxm-32gb:fp16", 125e12),
        ("a10:bf16", 125e12),
        ("l4:bf16", 121e12),
        ("l40s:fp8", 733e12),
        ("rtx-4090:bf16", 165.2e12),
        ("tpu-v3:bf16", 123e12),
    ],
)
def test_peaks_are_dense(name, flops):
    assert base(name, "peak_compute") == pytest.approx(flops)


@pytest.mark.parametrize(("rack", "chip"), RACKS.items())
def test_a_rack_is_its_chips(rack, chip):
    count = base(rack, "chips")
    assert base(rack, "domain_capacity") == pytest.approx(count * base(chip, "hbm_capacity"), rel=0.01)
    assert base(rack, "domain_bandwidth") == pytest.approx(count * base(chip, "hbm_bandwidth"), rel=0.01)
    assert not {"hbm_capacity", "hbm_bandwidth", "chip_power"}.intersection(FACTS[rack].values)
    for precision in FACTS.choices(rack):
        total, one = f"{rack}:{precision}", f"{chip}:{precision}"
        assert base(total, "domain_compute") == pytest.approx(count * base(one, "peak_compute"), rel=0.01)


# Rents of memory

RENTS = [name for name in TABLES["tiers"] if "tier_price" in TABLES["tiers"][name]]


@pytest.mark.parametrize("name", RENTS)
def test_a_rent_says_what_of_where_and_when(name):
    *_, place, when = FACTS[name].title.split(", ")
    assert place in ("us-central1", "US East (N. Virginia)")
    source = FACTS[name].values["tier_price"].source
    assert (source.kind, source.date[:7]) == ("published", when)


# Models


def shape(name: str, key: str) -> float:
    return base(name, key) or 0.0


def attention_parameters(name: str) -> float:
    """The matrices of one layer's attention."""
    hidden, heads = shape(name, "hidden_size"), shape(name, "attention_heads")
    if "latent_size" not in FACTS[name].values:
        return hidden * shape(name, "head_dimension") * (2 * heads + 2 * shape(name, "kv_heads"))
    latent, query, rope = (shape(name, key) for key in ("latent_size", "query_latent_size", "rope_dimension"))
    content, value = shape(name, "content_dimension"), shape(name, "value_dimension")
    queries = hidden * query + query * heads * (content + rope)
    return queries + hidden * (latent + rope) + latent * heads * (content + value) + heads * value * hidden


def counted(name: str) -> float:
    """All parameters, from the shapes alone."""
    hidden, layers = shape(name, "hidden_size"), shape(name, "layers")
    expert_layers = shape(name, "expert_layers")
    matrices = shape(name, "feedforward_matrices") or 3
    dense = (layers - expert_layers) * matrices * hidden * shape(name, "feedforward_size")
    experts = shape(name, "experts") + shape(name, "shared_experts")
    sparse = expert_layers * (3 * hidden * shape(name, "expert_size") * experts + hidden * shape(name, "experts"))
    relative = layers * hidden**2 if name == "chinchilla-70b" else 0
    embeddings = shape(name, "embedding_matrices") * shape(name, "vocabulary") * hidden
    return layers * attention_parameters(name) + dense + sparse + relative + embeddings


@pytest.mark.parametrize("name", MODELS)
def test_the_published_size_is_that_of_the_shapes(name):
    assert counted(name) == pytest.approx(base(name, "total_parameters"), rel=0.02)


@pytest.mark.parametrize("name", MODELS)
def test_the_kv_cache_is_that_of_the_shapes(name):
    values = FACTS[name].values
    layers, element = shape(name, "layers"), shape(name, "kv_bytes_per_element")
    if "latent_size" in values:
        latent = shape(name, "latent_size") + shape(name, "rope_dimension")
        assert base(name, "kv_bytes_per_token") == layers * latent * element
        return
    layer = 2 * shape(name, "kv_heads") * shape(name, "head_dimension") * element
    if "attention_window" not in values:
        assert base(name, "kv_bytes_per_token") == layers * layer
        return
    assert base(name, "kv_bytes_per_token_within_window") == layers * layer
    assert base(name, "global_kv_bytes_per_token") == shape(name, "global_layers") * layer
    windowed = (layers - shape(name, "global_layers")) * layer
    assert base(name, "window_kv_bytes") == windowed * shape(name, "attention_window")


@pytest.mark.parametrize("name", MODELS)
def test_the_kind_of_attention_decides_what_is_stated(name):
    values = FACTS[name].values
    assert ("latent_size" in values) != ("kv_heads" in values)
    assert ("kv_heads" in values) == ("head_dimension" in values)
    assert ("attention_window" in values) != ("kv_bytes_per_token" in values)


@pytest.mark.parametrize("name", MODELS)
def test_counts_of_experts_stand_together(name):
    values = FACTS[name].values
    assert len({key in values for key in ("experts", "active_experts", "expert_size", "expert_layers")}) == 1
    sparse = base(name, "active_parameters") < base(name, "total_parameters")
    assert sparse == ("experts" in values)
    if sparse and "dense_layers" in values:
        assert base(name, "layers") == base(name, "expert_layers") + base(name, "dense_layers")


@pytest.mark.parametrize("name", [name for name in MODELS if "training_compute" in FACTS[name].values])
def test_training_took_six_operations_for_each_parameter_and_token(name):
    six = 6 * base(name, "active_parameters") * base(name, "training_tokens")
    assert six == pytest.approx(base(name, "training_compute"), rel=0.03)


# Prices


@every("name", SHEETS)
def test_a_sheet_is_in_itself_sound(name):
    values = {key: value.base[1] for key, value in FACTS[name].values.items()}
    assert values["input_price"] < values["output_price"]
    assert values.get("cache_read_price", 0) < values["input_price"]
    above = {key for key in values if key.endswith("_above_cliff")}
    assert ("price_cliff" in values) == bool(above)
    assert all(values[key] > values[key.removesuffix("_above_cliff")] for key in above)
    assert values.get("price_cliff", 0) < values["context_limit"]
    if "fast_price_ratio" in values:
        assert values["fast_output_price"] == pytest.approx(values["fast_price_ratio"] * values["output_price"])


def test_a_sheet_sets_no_speed():
    assert not any("user_speed" in FACTS[name].values for name in SHEETS)
    assert base("served-gemini-2-5-flash", "user_speed") == 221


def test_models_and_sheets_share_no_name():
    assert not set(MODELS).intersection(SHEETS)
    assert {"deepseek-v3-2", "deepseek-v3-2-prices"} <= set(FACTS)


# How they are read


def test_a_file_is_read_when_something_of_it_is_asked_for():
    facts = Profiles(shelves=map(Facts, FILES))
    assert "h100-sxm:fp8" in facts
    assert [("data" in vars(file)) for file in facts.shelves] == [True, False, False, False]


def test_facts_travel_by_name():
    facts = Facts("accelerators")
    arrived = pickle.loads(pickle.dumps(facts))
    assert arrived == facts
    assert hash(arrived) == hash(facts)
    assert arrived["h100"] == facts["h100"]
    assert facts != Facts("models")


@pytest.mark.parametrize("name", ["h100-sxm:fp4", "h100-sxm:", "deepseek-v3:fp8", "nothing", "sources", ""])
def test_what_is_not_there_is_a_key_error(name):
    assert name not in FACTS
    with pytest.raises(KeyError):
        FACTS[name]


BROKEN = [
    ({"x": "3 m"}, "values/broken.toml, rod: a value has no source."),
    ({"x": {"value": "3 m", "source": "s", "as_of": "2026"}}, "values/broken.toml, rod: a value has no kind."),
    ({"x": "3 mm m", "source": "s"}, "values/broken.toml, rod: "),
    (
        {"x": {"value": "3 m", "range": "4..5 m"}, "source": "s", "as_of": "2026", "kind": "assumed"},
        "values/broken.toml, rod: value 3 m: it lies outside its range, 4..5 m.",
    ),
]


@pytest.mark.parametrize(("table", "said"), BROKEN)
def test_a_broken_file_is_told_with_the_profile(table, said):
    file = Facts("broken")
    vars(file)["data"] = {"rod": {"as_of": "2026", **table} if "source" in table else table}
    with pytest.raises(ExpressionError) as caught:
        file["rod"]
    assert caught.value.what.startswith(said)


def test_profiles_of_several_shelves_are_one_mapping():
    own = Profile("h100-sxm:int4", dict(FACTS["h100-sxm:fp8"].values))
    both = Profiles([own], [Facts("accelerators"), Facts("accelerators")])
    assert len(both.shelves) == 1
    assert len(both) == len(Facts("accelerators")) + 1
    assert both.choices("h100") == ("int4", "bf16", "fp8", "int8")
    assert both["h100-sxm:int4"].title == FACTS["h100-sxm"].title
    assert pickle.loads(pickle.dumps(both)) == both
    assert "h100-sxm" in repr(both)
