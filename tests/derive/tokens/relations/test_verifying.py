"""A pass that verifies proposals takes no longer than as many steps without them, whatever binds."""

from __future__ import annotations

import random

import pytest

import derive

MODELS = ("llama3-1-70b", "deepseek-v3", "mixtral-8x22b", "kimi-k2", "gemma-2-27b")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("seed", range(15))
def test_verifying_takes_at_most_as_many_steps_as_it_has_tokens(seed: int) -> None:
    """Of both times, each asked for alone without the limit, so that the limit is not what makes it so."""
    draw = random.Random(seed)
    library = derive.llm.without("verify_limit")
    tokens, model = draw.randint(1, 8), MODELS[seed % len(MODELS)]
    given = {
        "batch": f"{draw.choice([1, 8, 64, 512, 4096])} sequence",
        "context": f"{draw.choice([1, 4, 16])} ktoken/sequence",
        "chips": f"{draw.choice([8, 16, 64])} chip",
        "draft_tokens": str(tokens),
    }
    times = [library.solve(name, model, "h100-sxm:bf16", **given).base for name in ("verify_time", "step_time")]
    assert None not in times
    verifying, step = times
    assert step * (1 - 1e-9) <= verifying <= step * (tokens + 1) * (1 + 1e-9)
