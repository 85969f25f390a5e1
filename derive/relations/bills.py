"""Three bills, relative to pre-training, so that model, chips and prices cancel; and the least of two opposed costs."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import bills, roofline, training, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(roofline, training, bills),
)

relations = [
    # Reinforcement learning
    _state("rl_mfu", "rl_mfu = rl_efficiency*training_mfu", because="its definition", source="by definition"),
    _state(
        "rl_token_cost_ratio",
        "rl_token_cost_ratio = rl_flops_per_parameter/training_flops_per_parameter/rl_efficiency",
        because="a token costs its operations over the share of the peak that they reach",
    ),
    _state(
        "rl_bill_ratio",
        "rl_bill_ratio = rl_token_cost_ratio*rl_tokens/training_tokens",
        because="a bill is tokens times the cost of one",
    ),
    _state(
        "equal_rl_tokens",
        "equal_rl_tokens = training_tokens/rl_token_cost_ratio",
        because="equal bills buy fewer of the dearer tokens",
    ),
    # Inference
    _state(
        "inference_mfu",
        "inference_mfu = inference_efficiency*training_mfu",
        because="its definition",
        source="by definition",
    ),
    _state(
        "inference_token_cost_ratio",
        "inference_token_cost_ratio = flops_per_parameter/training_flops_per_parameter/inference_efficiency",
        because="a served token passes forward only, at its own utilisation",
    ),
    _state("lifetime_tokens", "lifetime_tokens = served_rate*lifetime", because="tokens come at the rate of serving"),
    _state(
        "inference_bill_ratio",
        "inference_bill_ratio = inference_token_cost_ratio*lifetime_tokens/training_tokens",
        because="a bill is tokens times the cost of one",
    ),
    _state(
        "equal_lifetime_tokens",
        "equal_lifetime_tokens = training_tokens/inference_token_cost_ratio",
        because="equal bills buy more of the cheaper tokens",
    ),
    _state(
        "served_per_trained",
        "served_per_trained = lifetime_tokens/training_tokens",
        because="its definition",
        source="by definition",
    ),
    # All three
    _state(
        "rl_compute",
        "rl_compute = rl_flops_per_parameter*active_parameters*rl_tokens",
        because="a token passes every active parameter",
    ),
    _state(
        "inference_compute",
        "inference_compute = flops_per_parameter*active_parameters*lifetime_tokens",
        because="a served token passes forward only",
        source="Sardana et al., arXiv 2401.00448",
    ),
    _state(
        "lifetime_compute",
        "lifetime_compute = training_compute + rl_compute + inference_compute",
        because="operations add up",
        source="Sardana et al., arXiv 2401.00448",
    ),
    _state(
        "lifetime_cost",
        "lifetime_cost = training_cost*(1 + rl_bill_ratio + inference_bill_ratio)",
        because="the three bills add up",
    ),
    _state(
        "pretraining_share",
        "pretraining_share = 1/(1 + rl_bill_ratio + inference_bill_ratio)",
        because="the three bills add up",
    ),
    # A rising and a falling power of one choice
    _state("rising_term", "rising_term = rising_coefficient*choice**rising_exponent", because="its definition"),
    _state("falling_term", "falling_term = falling_coefficient/choice**falling_exponent", because="its definition"),
    _state("opposed_cost", "opposed_cost = rising_term + falling_term", because="both costs are paid"),
    _state(
        "best_choice",
        "best_choice = (falling_exponent*falling_coefficient/(rising_exponent*rising_coefficient))"
        "**(1/(rising_exponent + falling_exponent))",
        because="at the least sum the slopes of the two costs cancel",
    ),
    _state(
        "least_cost",
        "least_cost = rising_coefficient*best_choice**rising_exponent"
        " + falling_coefficient/best_choice**falling_exponent",
        because="the sum at the best choice",
    ),
    _state(
        "equal_choice",
        "equal_choice = (falling_coefficient/rising_coefficient)**(1/(rising_exponent + falling_exponent))",
        because="the two costs are equal there",
    ),
    _state(
        "best_term_ratio",
        "best_term_ratio = falling_exponent/rising_exponent",
        because="slopes that cancel are exponents times terms; the terms are equal only where the exponents are",
    ),
]
