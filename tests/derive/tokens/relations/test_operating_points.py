"""What a relation says of a second operating point is what the library says there, for every model of the catalogue.

`library.at` doubles all that follows from the batch, the context and the tokens of a pass. So it tells, with nothing
but the relations of one step, what the fast mode, a sequence alone, an unlimited batch or a crossover come to.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import comb

import pytest

import derive
from derive.errors import AmbiguousError, NoSolutionError, UnderdeterminedError
from derive.tokens.relations import subjects
from quantities.profiles import Facts
from tests.ordinary import BUILDS, one_in

STEP = ("batch", "context", "tokens_per_pass")
CHIPS = ("h100-sxm:bf16", "gb200:fp8", "a100-sxm-80gb:bf16")
MODELS = {name: derive.profile(name) for name in Facts("models")}
WHOLLY = "llama3-70b"  # asked for all, the others for what is common
UNITS = {"batch": "sequence", "context": "token/sequence", "tokens_per_pass": "token/sequence"}
HUGE = 1e15  # sequences; what is left of the weights is less than the last digits

Told = Callable[[str], float]


@dataclass(frozen=True)
class Second:
    """A relation, the point that it names, and what of the two points its quantity has to be."""

    there: Mapping[str, float | str]  # a number in base units, or the name of the quantity that holds it
    is_: Callable[[Told], float]  # what the library says, where `other.` stands before the names of the second point
    of: Callable[[Told], float] | None = None  # what it is compared with, if it is not the quantity itself
    given: Mapping[str, str | float] = field(default_factory=dict)


BYTES = 1e5
CLIFF = {"price_cliff": "200 ktoken/sequence", "kv_bytes_per_token": f"{BYTES} byte/token"}
LONE: dict[str, float | str] = {"batch": 1.0}
ALL: dict[str, float | str] = {"batch": HUGE}


def with_parameters(at: Told, point: str = "other.") -> float:
    """The time of a step's arithmetic without attention: what the balances of the lecture weigh."""
    return at(f"{point}pass_compute") / (at("peak_compute") * at("chips"))


def balanced(name: str, longer: str, of: str | None = None) -> Second:
    """A batch or a context at which two times are equal."""
    there: dict[str, float | str] = {"context" if "context" in name else "batch": name}
    return Second(there, lambda at: at(longer), with_parameters if of is None else lambda at: at(of))


def longest_without_cache(at: Told) -> float:
    """The longest of what a step waits for where there is no cache to be read."""
    return max(map(at, ("other.compute_time", "other.weight_time", "network_time", "other.least_exchange_time")))


SECONDS = {
    # The fast mode
    "fast_speed_ratio": Second({"batch": "fast_batch"}, lambda at: at("other.user_speed") / at("user_speed")),
    "fast_price_ratio": Second({"batch": "fast_batch"}, lambda at: at("other.cost_per_token") / at("cost_per_token")),
    "fast_batch_ratio": Second({"batch": "fast_batch"}, lambda at: at("other.batch") / at("batch")),
    "fast_read_share": Second({"batch": "fast_batch"}, lambda at: at("other.read_share")),
    "fast_compute_share": Second({"batch": "fast_batch"}, lambda at: at("other.compute_time") / at("step_time")),
    # A sequence alone
    "fast_speed_limit": Second(LONE, lambda at: at("other.user_speed") / at("user_speed")),
    "lone_batch_ratio": Second(LONE, lambda at: at("other.batch") / at("batch")),
    "lone_read_share": Second(LONE, lambda at: at("other.read_share")),
    "lone_compute_share": Second(LONE, lambda at: at("other.compute_time") / at("step_time")),
    "lone_compute_time": Second(LONE, lambda at: at("other.compute_time")),
    "lone_cost": Second(LONE, lambda at: at("other.cost_per_token")),
    "lone_network_cost": Second(
        LONE, lambda at: at("fleet_rent") * at("network_time") / at("tokens_per_pass"), given={"network_time": "3 ms"}
    ),
    "lone_waiting_cost": Second(
        LONE, lambda at: at("fleet_rent") * at("other.least_exchange_time") / at("tokens_per_pass")
    ),
    "batching_gain": Second(LONE, lambda at: at("other.cost_per_token") / at("cost_per_token")),
    "lone_step_time": Second(LONE, longest_without_cache),
    "lone_waiting_ratio": Second(
        LONE, lambda at: at("other.waiting_ratio") * at("other.step_time") / longest_without_cache(at)
    ),
    "fastest_speed": Second(LONE, lambda at: at("tokens_per_pass") / longest_without_cache(at)),
    # An unlimited batch
    "cost_floor": Second(ALL, lambda at: at("other.cost_per_token")),
    "slow_discount": Second(ALL, lambda at: at("cost_per_token") / at("other.cost_per_token")),
    # Where two times are equal
    "optimal_batch": balanced("optimal_batch", "other.weight_time"),
    "kv_optimal_batch": balanced("kv_optimal_batch", "other.memory_time", "other.compute_time"),
    "cliff_context": balanced("cliff_context", "other.memory_time"),
    "crossover_context": Second(  # of the whole cache, whatever is read of it
        {"context": "crossover_context"},
        lambda at: at("other.kv_bytes") / at("domain_bandwidth"),
        with_parameters,
    ),
    "cliff_kv_read_share": Second({"context": "cliff_context"}, lambda at: at("other.kv_read_share")),
    "readable_context": balanced("readable_context", "other.memory_time", "latency_budget"),
    "readable_kv_read_share": Second({"context": "readable_context"}, lambda at: at("other.kv_read_share")),
    "implied_least_batch": Second(  # of all the weights, whatever is read of them
        {"batch": "implied_least_batch"},
        lambda at: at("weight_bytes") / at("domain_bandwidth") / with_parameters(at),
        lambda at: at("output_input_ratio"),
        given={"output_input_ratio": 4},
    ),
    "implied_kv_bytes_by_weights": Second(
        {"context": "price_cliff"},
        lambda at: at("weight_time") * at("domain_bandwidth") / at("other.kv_bytes") * BYTES,
        given=CLIFF,
    ),
    "implied_kv_bytes_per_token": Second(
        {"context": "price_cliff"},
        lambda at: with_parameters(at, "") * at("domain_bandwidth") / at("other.kv_bytes") * BYTES,
        given=CLIFF,
    ),
    "free_batch": Second(
        {"batch": "free_batch", "tokens_per_pass": 5.0},
        lambda at: at("other.weight_time"),
        with_parameters,
        given={"draft_tokens": 4},
    ),
    "verified_tokens": Second(
        {"tokens_per_pass": "verified_tokens"},
        lambda at: at("other.step_time"),
        lambda at: at("verify_time"),
        given={"draft_tokens": 4},
    ),
    "compute_bound_prompt": Second(
        {"batch": 1.0, "tokens_per_pass": "compute_bound_prompt"},
        lambda at: at("other.weight_time"),
        with_parameters,
    ),
    # What fits
    "batch_capacity": Second(
        {"batch": "batch_capacity"}, lambda at: at("other.held_bytes"), lambda at: at("domain_capacity")
    ),
    "context_capacity": Second(
        {"context": "context_capacity"}, lambda at: at("other.held_bytes"), lambda at: at("domain_capacity")
    ),
}

ELSEWHERE = {
    "the step's own point": "scaled_context parameter_capacity unhidden_time",
    "what a request is made of": "mean_context cached_prompt_tokens prompt_selection_saving prompt_within_limit",
    "what is kept or selected at the step's own context": (
        "square_root_selection split_context reservation_use limit_kv_bytes"
    ),
    "compared below, where a prefix is shared": "lone_kv_ratio",
    "the published active parameters, read alone": "active_weight_time single_user_speed",
    "experts in balance where all are read, by the tokens of one": "expert_balance_tokens",
    "shares of the normal step by the ratios of a menu alone": "least_weight_share most_weight_share most_kv_share",
    "prices and shares, with no step behind them": (
        "fair_context fair_input_context implied_scaled_batch implied_scaled_context implied_mean_context "
        "implied_kv_bytes_by_output output_kv_gap storage_kv_gap hits_kv_gap cliff_ratio_shift "
        "implied_active_parameters input_margin_limit output_margin_limit hit_margin_limit"
    ),
}
ALWAYS = ("fast_speed_ratio", "fast_price_ratio", "fast_speed_limit", "lone_cost", "fastest_speed", "slow_discount")
SERVING = ("roofline", "costs", "capacity", "menu", "experts", "context", "serving", "readings", "speculation", "cache")
POINTED = re.compile(
    r"\b(alone|single user|unlimited|fast mode|slow|smaller batch|small batch(es)?|cost floor|crossover|cliff|longest|"
    r"largest|least batch|in normal steps|at which)\b"
)


@cache
def selecting() -> derive.Library:
    """The library for a model that selects as many tokens of every context, and not by the law of another."""
    return derive.llm.without("square_root_selection")


@cache
def two(library: derive.Library, names: tuple[str, ...]) -> derive.Library:
    """The library with a second point that differs in these quantities, and is no normal step with a fast mode."""
    return library.at("other", names).without(*(["other.fast_batch_ratio"] if "batch" in names else []))


def drawn(model: str) -> dict[str, str | float]:
    """An operating point at which each of the times may be the longest."""
    draw = random.Random(model)
    batch = 10 ** draw.uniform(0, 4)
    return {
        "batch": f"{batch} sequence",
        "fast_batch": f"{batch ** draw.random()} sequence",
        "context": f"{10 ** draw.uniform(2, 5)} token/sequence",
        "latency_budget": "2 s",
        "chips": f"{draw.choice((32, 64, 72))} chip",
        "chip_price": "2 USD/h/chip",
        "tokens_per_pass": "1 token/sequence",
        "network_time": draw.choice(("0 s", "1 us")),
    }


def told(library: derive.Library, profiles: tuple[str, ...], given: Mapping[str, str | float]) -> Told:
    """A number in base units; of a range, the point that is kept. What is no other at the second point is shared."""

    @cache
    def tell(name: str) -> float:
        held = name if name in library.declared else name.removeprefix("other.")
        with derive.limits(seconds=120):
            base = library.solve(held, *profiles, **given).base
        assert base is not None
        return base

    return tell


def at_the_other(one: Told, second: Second, given: Mapping[str, str | float]) -> dict[str, str | float]:
    """The givens of both points."""
    found = dict(given)
    for name, value in second.there.items():
        number = one(value) if isinstance(value, str) and value not in given else value
        found[f"other.{name}"] = given[number] if isinstance(number, str) else f"{number!r} {UNITS[name]}"
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("model", one_in(3, BUILDS, BUILDS, thorough=3))
def test_it_is_what_the_library_says_at_the_second_point(model: str) -> None:
    compare(model, {*ALWAYS, *[*SECONDS][::3]} if model == WHOLLY else ALWAYS)


@pytest.mark.long
@pytest.mark.parametrize("model", [WHOLLY, "deepseek-v3-2"])  # the latter has many parts
def test_all_of_it_is_what_the_library_says_at_the_second_point(model: str) -> None:
    compare(model, SECONDS)


def compare(model: str, names: Iterable[str]) -> None:
    profiles = (model, random.Random(model).choice(CHIPS))
    common = drawn(model)
    library = derive.llm
    if "selected_tokens" in MODELS[model].values:
        common["selected_tokens"] = str(MODELS[model].values["selected_tokens"])
        library = selecting()
    asked = told(library, profiles, common)
    compared = set()
    for name in names:
        second = SECONDS[name]
        given = {**common, **second.given}
        one = told(library, profiles, given) if second.given else asked
        try:
            here = one(name)
            both = told(two(library, tuple(second.there)), profiles, at_the_other(one, second, given))
            there = second.is_(both)
        except (AmbiguousError, NoSolutionError, UnderdeterminedError):
            continue
        assert there == pytest.approx(second.of(both) if second.of else here, rel=1e-9), name
        compared.add(name)
    assert compared >= set(ALWAYS)


def pointed() -> set[str]:
    """The relations of serving for a batch or a context, or for what its meaning places at another than the step's."""
    found = set()
    for name in (relation for subject in SERVING for relation in subjects()[subject].relations):
        written = derive.llm.relations[name].written.written_for
        quantity = derive.llm.declared[written] if written else None
        if quantity is None or quantity.name in STEP:
            continue
        if quantity.unit.text in ("sequence", "token/sequence") or POINTED.search(quantity.meaning):
            found.add(name)
    return found


def test_every_relation_of_a_second_point_is_compared() -> None:
    elsewhere = {name for names in ELSEWHERE.values() for name in names.split()}
    assert not elsewhere & SECONDS.keys()
    assert pointed() - SECONDS.keys() == elsewhere


RACK = {"chips": "72 chip", "context": "4 ktoken/sequence", "batch": "2000 sequence"}
CASES = [  # worked out from the two points of `library.at`
    ("fast_speed_ratio", {"fast_batch": "16 sequence"}, 4.372441038496586),
    ("fast_price_ratio", {"fast_batch": "16 sequence"}, 2000 / 16 / 4.372441038496586),
    ("fast_price_ratio", {"fast_batch": "1 sequence", "chips": "8 chip"}, 61.3164),
    ("batching_gain", {"chips": "8 chip"}, 61.3164),
    ("fast_price_ratio", {"fast_batch": "1 sequence"}, 189.7586),  # where the smallest exchanges bind the lone step
    ("batching_gain", {}, 189.7586),
]


@pytest.mark.ordinary(3)
@pytest.mark.parametrize(("target", "given", "expected"), CASES)
def test_experts_that_no_token_chose_stay_in_memory(target: str, given: dict[str, str], expected: float) -> None:
    found = derive.solve(target, "deepseek-v3", "gb200:fp8", **{**RACK, **given})
    assert found.value.magnitude == pytest.approx(expected, rel=1e-6)


@pytest.mark.thorough
def test_it_is_asked_back() -> None:
    back = derive.solve("fast_batch", "deepseek-v3", "gb200:fp8", **RACK, fast_speed_ratio=4.372441038496586)
    assert back.value.magnitude == pytest.approx(16, rel=1e-6)
    # two and a half times the speed at six times the price, on a batch of 2,000 that the batch ratio then fixes
    found = derive.solve("fast_batch", "deepseek-v3", "gb200:fp8", **RACK, fast_speed_ratio=2.5)
    assert found.value.magnitude == pytest.approx(39.2, abs=0.5)


def test_a_fast_mode_that_is_bound_by_arithmetic_is_answered() -> None:
    given = {"chips": "8 chip", "context": "10 token/sequence", "batch": "8000 sequence", "fast_batch": "4000 sequence"}
    found = derive.solve("fast_speed_ratio", "llama3-70b", "h100-sxm:bf16", **given)
    assert (found.value.magnitude, found.regime["step_time"]) == (pytest.approx(2), "compute_time")


def test_a_network_may_bind_the_step_of_a_sequence_alone() -> None:
    found = derive.solve("fastest_speed", "deepseek-v3", "gb200:fp8", **RACK, network_time="30 ms")
    assert found.value.magnitude == pytest.approx(1 / 0.03)


def test_a_sequence_alone_waits_for_the_smallest_exchanges() -> None:
    point = ("deepseek-v3", "gb200:fp8")
    alone, usual = (
        derive.solve("step_time", *point, **{**RACK, "batch": batch}) for batch in ("1 sequence", "2000 sequence")
    )
    assert alone.base == pytest.approx(61 * 3.33e-6)
    assert alone.base is not None
    assert usual.base is not None
    assert derive.solve("fast_speed_limit", *point, **RACK).base == pytest.approx(usual.base / alone.base)


def test_a_sequence_alone_pays_for_the_waiting_of_its_chips() -> None:
    point = ("deepseek-v3", "gb200:fp8")
    alone = derive.solve("cost_per_token", *point, **{**RACK, "batch": "1 sequence"})
    found = derive.solve("lone_cost", *point, **RACK)
    assert found.base == pytest.approx(alone.base)
    assert found.regime["lone_cost"] == "lone_waiting_cost"


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("target", ["fast_speed_ratio", "fast_speed_limit", "lone_cost"])
def test_a_network_that_binds_the_second_step_is_not_passed_over(target: str) -> None:
    given = {**RACK, "fast_batch": "16 sequence", "network_time": "30 ms"}
    with pytest.raises(UnderdeterminedError, match=f"{target} is left out"):
        derive.solve(target, "deepseek-v3", "gb200:fp8", **given)


# Prefixes and drafts


def test_a_prefix_in_common_is_read_once_for_all_who_share_it() -> None:
    given = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}
    shared = {**given, "prefix_tokens": "4 ktoken/sequence", "prefix_sharers": 8}
    whole, less = (derive.solve("kv_time", "llama3-70b", "h100-sxm:bf16", **one) for one in (given, shared))
    assert float(less.value / whole.value) == pytest.approx(1 - 4 / 8 * (1 - 1 / 8))
    del shared["prefix_sharers"]
    back = derive.solve("prefix_sharers", "llama3-70b", "h100-sxm:bf16", **shared, kv_time=less.value)
    assert back.value.magnitude == pytest.approx(8)


@pytest.mark.parametrize("target", ["lone_cost", "batching_gain", "fast_speed_limit"])
def test_a_sequence_alone_shares_its_prefix_with_nobody(target: str) -> None:
    given = {"chips": "8 chip", "chip_price": "2 USD/h/chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}
    given |= {"prefix_tokens": "4 ktoken/sequence", "prefix_sharers": "8"}
    asked, profiles = derive.llm, ("llama3-70b", "h100-sxm:bf16")
    many = told(asked, profiles, given)
    one = told(asked, profiles, {**given, "batch": "1 sequence", "prefix_sharers": "1"})
    alone = {
        "lone_cost": lambda: one("cost_per_token"),
        "batching_gain": lambda: one("cost_per_token") / many("cost_per_token"),
        "fast_speed_limit": lambda: one("user_speed") / many("user_speed"),
    }
    assert many(target) == pytest.approx(alone[target](), rel=1e-9)


def test_what_is_selected_is_read_for_each_sequence_also_where_a_prefix_is_shared() -> None:
    given = {"context": "8 ktoken/sequence", "prefix_tokens": "4 ktoken/sequence", "prefix_sharers": 8}
    given |= {"batch": "64 sequence", "kv_bytes_per_token": "100 kB/token", "selected_tokens": "2 ktoken/sequence"}
    assert derive.solve("kv_read_share", **given).value.magnitude == pytest.approx(2 / 8)
    given["selected_tokens"] = "9 ktoken/sequence"
    assert derive.solve("kv_read_share", **given).value.magnitude == pytest.approx(1 - 4 / 8 * (1 - 1 / 8))


@pytest.mark.parametrize(("experts", "active"), [(256, 8), (128, 4), (64, 6), (8, 2)])
@pytest.mark.parametrize("racks", [1, 2, 4])
def test_experts_of_a_token_are_drawn_without_replacement(experts: int, active: int, racks: int) -> None:
    stays = comb(experts // racks, active) / comb(experts, active)
    found = derive.solve("token_crossing_share", experts=experts, active_experts=active, racks=racks)
    assert found.value.magnitude == pytest.approx(1 - stays, rel=1e-4)


def test_drafts_that_are_never_refused_are_all_kept() -> None:
    assert derive.solve("tokens_per_step", acceptance_rate=1, draft_tokens=4).value.magnitude == 5
    assert derive.solve("draft_tokens", acceptance_rate=1, tokens_per_step=5).value.magnitude == pytest.approx(4)
    swept = derive.llm.sweep("tokens_per_step", acceptance_rate=[0.5, 1.0], draft_tokens=4)
    assert list(swept["tokens_per_step"]) == [1.9375, 5.0]
