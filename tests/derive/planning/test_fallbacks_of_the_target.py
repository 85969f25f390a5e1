"""No fallback stands where the target leads to it: asked backwards, answers meet what is typed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import Library, UnderdeterminedError
from derive.relation_files.loading import load

Numbers = Mapping[str, float]
Rule = tuple[str, Callable[[dict[str, float]], float]]

LEAST: dict[str, Rule] = {
    "step": ("each if chips > edge else 0", lambda at: at["each"] if at["chips"] > at["edge"] else 0.0),
    "two steps": ("each if chips > edge else each/2", lambda at: at["each"] / (1 if at["chips"] > at["edge"] else 2)),
    "linear": ("each*chips", lambda at: at["each"] * at["chips"]),
    "fixed": ("each", lambda at: at["each"]),
}
RENT: dict[str, Rule] = {
    "product": ("price*chips", lambda at: at["price"] * at["chips"]),
    "sum": ("price + chips", lambda at: at["price"] + at["chips"]),
}
WAIT: dict[str, Rule] = {
    "rented": ("rent*least", lambda at: at["rent"] * at["least"]),
    "waited": ("chips*least", lambda at: at["chips"] * at["least"]),
    "both": ("rent + least", lambda at: at["rent"] + at["least"]),
}
COST: dict[str, Rule] = {
    "larger": ("max(base*factor/share, wait)", lambda at: max(at["base"] / at["share"], at["wait"])),
    "together": ("base*factor/share + wait", lambda at: at["base"] / at["share"] + at["wait"]),
}


@cache
def library_of(least: str, rent: str, wait: str, cost: str, fallbacks: frozenset[str]) -> Library:
    def quantity(name: str) -> str:
        default = ', otherwise = "0"' if name in fallbacks else ""
        return f'{name} = {{ unit = "", domain = "nonnegative"{default} }}'

    given = "\n".join(f'{name} = {{ unit = "" }}' for name in ("chips", "price", "each", "base", "edge", "need"))
    derived = "\n".join(map(quantity, ("rent", "least", "wait", "cost")))
    return load(f"""[quantities]
{given}
share = {{ unit = "", value = "1" }}
factor = {{ unit = "", otherwise = "1" }}
extra = {{ unit = "" }}
{derived}
[relations]
rent = {{ equation = "rent = {RENT[rent][0]}" }}
least = {{ equation = "least = {LEAST[least][0]}" }}
wait = {{ equation = "wait = {WAIT[wait][0]}" }}
cost = {{ equation = "cost = {COST[cost][0]}" }}
factor = {{ equation = "factor = 1 + extra" }}
room = {{ equation = "need <= chips*share" }}""")


def forward(rules: tuple[str, str, str, str], numbers: Numbers) -> dict[str, float]:
    at = {"share": 1.0, **numbers}
    for name, (table, rule) in {
        "rent": (RENT, rules[1]),
        "least": (LEAST, rules[0]),
        "wait": (WAIT, rules[2]),
        "cost": (COST, rules[3]),
    }.items():
        at[name] = table[rule][1](at)
    return at


RULES = st.tuples(*map(st.sampled_from, (list(LEAST), list(RENT), list(WAIT), list(COST))))
SIZES = st.sampled_from([0.5, 1.0, 2.0, 3.0, 7.0])


@given(
    RULES,
    st.frozensets(st.sampled_from(["least", "wait"])),
    st.fixed_dictionaries(dict.fromkeys(("price", "each", "base", "edge"), SIZES)),
    st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.5, 8.0, 40.0]),
    st.sampled_from(["chips", "rent"]),
)
def test_every_number_that_meets_what_is_typed_is_in_an_answer(rules, fallbacks, typed, chips, target):
    numbers = {**typed, "chips": chips}
    cost = forward(rules, numbers)["cost"]
    library = library_of(*rules, fallbacks)
    found = library.solve_all(target, cost=cost, need=0.01, **typed)  # a bound that holds wherever it is looked
    assert all("cost" not in one.unused for one in found)
    spans = [one.bounds or (one.base, one.base) for one in found]

    def is_answered(number: float) -> bool:
        return any(low - 1e-6 * number <= number <= high + 1e-6 * number for low, high in spans)

    for each in (chips, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 3.5, 5.0, 8.0, 12.0, 25.0, 40.0, 100.0):
        at = forward(rules, {**typed, "chips": each})
        if math.isclose(at["cost"], cost, rel_tol=1e-12):
            assert is_answered(at[target]), (each, spans)
    for one in found:
        if one.bounds is None:
            here = one.base if target == "chips" else chips_at(rules, typed, one.base)
            assert forward(rules, {**typed, "chips": here})["cost"] == pytest.approx(cost, rel=1e-6)
    far = forward(rules, {**typed, "chips": 1e6})
    if far["cost"] > 2 * cost:
        assert not is_answered(far[target])


def chips_at(rules: tuple[str, str, str, str], typed: Numbers, rent: float) -> float:
    return rent / typed["price"] if rules[1] == "product" else rent - typed["price"]


@pytest.mark.long
def test_chips_follow_from_what_a_sequence_alone_costs():
    step = {"batch": "64 sequence", "context": "8 ktoken/sequence", "chip_price": "4 USD/h/chip"}
    model = ("palm-540b", "h100-sxm:bf16")
    for chips in (64, 2000):
        cost = derive.solve("lone_cost", *model, chips=f"{chips} chip", **step).value
        with derive.limits(seconds=60):
            found = derive.llm.solve_all("chips", *model, lone_cost=str(cost), **step)
        spans = [one.bounds or (one.base, one.base) for one in found]
        assert any(low <= chips * (1 + 1e-9) and chips * (1 - 1e-9) <= high for low, high in spans)
        assert all(high < 2500 for _, high in spans)
        assert not any("lone_cost" in one.unused for one in found)


LAYERS = """[quantities]
layers = { unit = "" }
dense = { unit = "", domain = "nonnegative", otherwise = "0" }
with_experts = { unit = "", domain = "nonnegative" }
dense_size = { unit = "" }
expert_size = { unit = "" }
total = { unit = "" }
[relations]
dense = { equation = "dense = layers - with_experts" }
total = { equation = "total = dense*dense_size + with_experts*expert_size" }"""


@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([2.0, 3.5, 7.0]))
def test_a_fallback_that_the_target_leads_to_stands_only_where_it_comes_out_again(layers, taken, size):
    """Without its own layers' size a total says how many there are only if there are none of them."""
    try:
        found = load(LAYERS).solve_all("with_experts", layers=layers, total=taken * size, expert_size=size)
    except UnderdeterminedError:
        found = ()
    numbers = [one.base for one in found if one.base is not None]
    assert numbers == ([layers] if taken == layers else [])
