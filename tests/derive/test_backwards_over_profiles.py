"""What follows from a model on a chip leads back to what was given: the given is among the answers, or within them.

The long run asks as many as one has patience for: `DERIVE_BACKWARDS=1000 pytest -m long --override-ini addopts=
tests/derive/test_backwards_over_profiles.py`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

import derive
from derive.errors import DeriveError, LimitError
from quantities.profiles import Facts
from tests.derive.states import LIBRARY
from tests.ordinary import every

LONG = int(os.environ.get("DERIVE_BACKWARDS", "200"))
CHIPS = ("h100-sxm:bf16", "gb200:fp8", "b200-sxm:fp8", "tpu-v6e:bf16", "a100-sxm-80gb:bf16")
GIVEN = {
    "batch": "64 sequence",
    "context": "8 ktoken/sequence",
    "chips": "32 chip",
    "chip_price": "2 USD/h/chip",
    "fast_batch": "8 sequence",
    "prompt_tokens": "2 ktoken/sequence",
    "output_tokens": "500 token/sequence",
}
BASE = {name: LIBRARY.declared[name].unit.to_base(1.0) for name in GIVEN}
NUMBER = {"batch": 64, "context": 8000, "chips": 32, "chip_price": 2, "fast_batch": 8, "prompt_tokens": 2000}
NUMBER["output_tokens"] = 500

Asked = tuple[str, str, tuple[str, str], derive.Answer]


def forwards(seed: int) -> Iterator[Asked]:
    """A target that follows from the givens for a random model on a random chip, and one of these givens."""
    draw = random.Random(seed)
    models = list(Facts("models"))
    targets = [r.written.written_for for r in LIBRARY.relations.values() if r.written.written_for]
    while True:
        target, profiles = draw.choice(targets), (draw.choice(models), draw.choice(CHIPS))
        try:
            answer = derive.solve(target, *profiles, **GIVEN)
        except DeriveError:
            continue
        felt = [name for name in GIVEN if name in answer.given and name not in answer.unused and name != target]
        if answer.base is not None and felt:
            yield target, draw.choice(felt), profiles, answer


def leads_back(asked: Asked) -> bool:
    """Whether one of the answers is the given, or an interval that holds it."""
    target, name, profiles, answer = asked
    others = {other: value for other, value in GIVEN.items() if other != name}
    was = NUMBER[name] * BASE[name]
    for found in derive.llm.solve_all(name, *profiles, **others, **{target: answer.value}):
        low, high = found.bounds or (found.base, found.base)
        if low * (1 - 1e-6) <= was <= high * (1 + 1e-6):
            return True
    return False


@pytest.mark.thorough
@every("seed", range(3), ordinary=3)
def test_a_given_comes_back_from_what_followed_from_it(seed):
    assert leads_back(next(forwards(seed)))


SPARSE = [  # a fallback for what selection saves would make another context of these
    ("causal_attention_ratio", "tpu-v6e:bf16"),
    ("uncached_compute_per_token", "gb200:fp8"),
]


@pytest.mark.thorough
@every(("target", "chip"), SPARSE, ordinary=2)
def test_a_fallback_gives_way_to_the_relation_that_contradicts_it(target, chip):
    answer = derive.solve(target, "deepseek-v3-2", chip, **GIVEN)
    assert leads_back((target, "context", ("deepseek-v3-2", chip), answer))


QUICK = [  # each took the ten seconds of the limit while bounds over what cancels were sought
    ("fast_speed_ratio", "fast_batch", ("deepseek-v3", "gb200:fp8")),
    ("cadence", "batch", ("gpt-oss-120b", "b200-sxm:fp8")),
    ("loaded_cost", "chips", ("gemma-3-27b", "tpu-v6e:bf16")),
    # and these, while the arm of a time that is zero was searched, or what a zero divisor leaves undefined
    ("fast_price_ratio", "chips", ("llama3-70b", "gb200:fp8")),
    ("fast_price_ratio", "batch", ("llama3-70b", "gb200:fp8")),
    ("fast_speed_limit", "chips", ("llama3-70b", "h100-sxm:bf16")),
    ("memory_share", "batch", ("mixtral-8x7b", "gb200:fp8")),
]


@pytest.mark.thorough
@every(("target", "name", "profiles"), QUICK, ordinary=7, thorough=12)
def test_ranges_that_cancel_do_not_keep_an_answer_waiting(target, name, profiles):
    answer = derive.solve(target, *profiles, **GIVEN)
    with derive.limits(seconds=5):
        assert leads_back((target, name, profiles, answer))


SATURATED = [("context", "opt-175b", "gb200:fp8"), ("batch", "llama3-70b", "h100-sxm:fp8")]


@pytest.mark.thorough
@every(("name", "model", "chip"), SATURATED, ordinary=2)
@every("mbu", [1, 1 - 1e-16])
def test_where_memory_binds_its_whole_use_leaves_what_is_read_open(name, model, chip, mbu):
    others = {other: value for other, value in GIVEN.items() if other != name}
    (found,) = derive.llm.solve_all(name, model, chip, **others, mbu=mbu)
    assert found.base is None
    assert found.bounds == (0, float("inf"))


@pytest.mark.long
def test_a_share_of_nothing_leaves_every_number_of_chips():
    """What does not overlap is nothing here, however many chips there are."""
    answer = derive.solve("unhidden_share", "kimi-k2", "gb200:fp8", **GIVEN)
    assert answer.base == 0
    others = {name: value for name, value in GIVEN.items() if name != "chips"}
    (found,) = derive.llm.solve_all("chips", "kimi-k2", "gb200:fp8", **others, unhidden_share=0)
    assert found.bounds == (0, float("inf"))


@pytest.mark.long
def test_givens_come_back_and_few_take_too_long():
    late = 0
    for seed in range(LONG):
        try:
            assert leads_back(next(forwards(1000 + seed))), seed
        except LimitError:
            late += 1
    assert late <= 0.05 * LONG
