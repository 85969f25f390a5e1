"""Speculative decoding: a draft proposes, one pass of the model disposes."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import roofline, speculation, vocabulary

_state = partial(relate, source="Leviathan et al., arXiv 2211.17192", quantities=vocabulary(roofline, speculation))

relations = [
    _state(
        "tokens_per_step",
        "tokens_per_step = (1 - acceptance_rate**(draft_tokens + 1))/(1 - acceptance_rate)",
        because="the pass keeps proposals up to the first refusal, and adds a token of its own",
    ),
    _state(
        "draft_overhead",
        "draft_overhead = 1 + draft_tokens*draft_cost",
        because="the draft proposes one token after another before each pass",
    ),
    _state(
        "speculative_speedup",
        "speculative_speedup = tokens_per_step/draft_overhead",
        because="a step is longer by the draft and yields more tokens",
    ),
    _state(
        "speculative_compute",
        "speculative_compute = (draft_tokens*draft_compute + draft_tokens + 1)/tokens_per_step",
        because="refused tokens were computed in vain",
    ),
    _state("speculative_speed", "speculative_speed = user_speed*speculative_speedup", because="its definition"),
    _state(
        "free_batch",
        "free_batch = optimal_batch/(draft_tokens + 1)",
        because="the pass carries the proposals of every sequence, and its own token",
        source="R. Pope with D. Patel, blackboard lecture, April 2026",
    ),
]
