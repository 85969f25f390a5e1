"""How large a model and how many tokens: Chinchilla's ratio, a fitted law of loss, and the optimum with use.

At the optimum a small change does not pay. Along a fixed training compute that says alpha*A/N**alpha = beta*B/D**beta.
Along a fixed loss, with inference paid as well, the left side is larger by one plus the ratio of the two bills.
"""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import bills, counting, roofline, scaling, training, vocabulary

_CHINCHILLA = "Hoffmann et al., arXiv 2203.15556"
_KAPLAN = "Kaplan et al., arXiv 2001.08361, sections 1.2 and 6.1"
_SARDANA = "Sardana et al., arXiv 2401.00448"

_state = partial(relate, source=_CHINCHILLA, quantities=vocabulary(roofline, counting, training, scaling, bills))

relations = [
    _state(
        "tokens_per_parameter",
        "tokens_per_parameter = training_tokens/active_parameters",
        because="its definition; for a model with experts the active ones count here",
        source="by definition",
    ),
    _state(
        "chinchilla_tokens",
        "chinchilla_tokens = chinchilla_ratio*active_parameters",
        because="model and data grow together at the optimum",
    ),
    _state(
        "over_training",
        "over_training = training_tokens/chinchilla_tokens",
        because="its definition",
        source="R. Pope with D. Patel, blackboard lecture, April 2026",
    ),
    _state(
        "compute_optimal_parameters",
        "compute_optimal_parameters = sqrt(training_compute/(training_flops_per_parameter*chinchilla_ratio))",
        because="compute is parameters times tokens, and the tokens are a multiple of the parameters",
    ),
    _state(
        "compute_optimal_tokens",
        "compute_optimal_tokens = chinchilla_ratio*compute_optimal_parameters",
        because="the ratio holds at the optimum",
    ),
    # The law
    _state(
        "parameter_loss",
        "parameter_loss = parameter_coefficient/(active_parameters/one_parameter)**parameter_exponent",
        because="a larger model fits better, by a power law",
    ),
    _state(
        "data_loss",
        "data_loss = data_coefficient/(training_tokens/one_token)**data_exponent",
        because="more data leaves less to chance, by a power law",
    ),
    _state("loss", "loss = irreducible_loss + parameter_loss + data_loss", because="the three causes add up"),
    _state("perplexity", "perplexity = exp(loss)", because="its definition", source="by definition"),
    _state("bits_per_token", "bits_per_token = loss/log(2)", because="a bit is log 2 nats", source="by definition"),
    _state(
        "scaling_balance",
        "scaling_balance = parameter_exponent*parameter_loss/(data_exponent*data_loss)",
        because="each term falls by its exponent for each part that its cause grows",
        source="by definition",
    ),
    _state(
        "law_optimal_parameters",
        "law_optimal_parameters = one_parameter*(parameter_exponent*parameter_coefficient"
        "/(data_exponent*data_coefficient))**(1/(parameter_exponent + data_exponent))"
        "*(training_compute/(training_flops_per_parameter*one_parameter*one_token))"
        "**(data_exponent/(parameter_exponent + data_exponent))",
        because="at fixed compute the two marginal gains are equal",
    ),
    _state(
        "law_optimal_tokens",
        "law_optimal_tokens = training_compute/(training_flops_per_parameter*law_optimal_parameters)",
        because="what compute the parameters leave goes into tokens",
    ),
    # Training and inference together
    _state(
        "lifetime_parameter_loss",
        "lifetime_parameter_loss = parameter_coefficient/(lifetime_parameters/one_parameter)**parameter_exponent",
        because="the law, at the model that is sought",
    ),
    _state(
        "lifetime_data_loss",
        "lifetime_data_loss = data_coefficient/(lifetime_training_tokens/one_token)**data_exponent",
        because="the law, at the model that is sought",
    ),
    _state(
        "target_loss",
        "target_loss = irreducible_loss + lifetime_parameter_loss + lifetime_data_loss",
        because="the model that is sought reaches the target",
        source=_SARDANA,
    ),
    _state(
        "lifetime_bill_ratio",
        "lifetime_bill_ratio = inference_token_cost_ratio*lifetime_tokens/lifetime_training_tokens",
        because="both bills are in proportion to the parameters, which cancel",
        source=_SARDANA,
    ),
    _state(
        "lifetime_optimum",
        "parameter_exponent*lifetime_parameter_loss = data_exponent*lifetime_data_loss*(1 + lifetime_bill_ratio)",
        because="parameters are paid in both bills, training tokens in one",
        source=_SARDANA,
    ),
    # Kaplan's laws
    _state(
        "kaplan_parameter_loss",
        "kaplan_parameter_loss = (critical_parameters/active_parameters)**kaplan_parameter_exponent",
        because="with data to spare the model limits",
        source=_KAPLAN,
    ),
    _state(
        "kaplan_data_loss",
        "kaplan_data_loss = (critical_tokens/training_tokens)**kaplan_data_exponent",
        because="with parameters to spare the data limit",
        source=_KAPLAN,
    ),
    _state(
        "kaplan_compute_loss",
        "kaplan_compute_loss = (critical_compute/training_compute)**kaplan_compute_exponent",
        because="at the best size compute limits",
        source=_KAPLAN,
    ),
    _state(
        "kaplan_loss",
        "kaplan_loss = ((critical_parameters/active_parameters)**(kaplan_parameter_exponent/kaplan_data_exponent)"
        " + critical_tokens/training_tokens)**kaplan_data_exponent",
        because="it falls back to each law where the other limits nothing",
        source=_KAPLAN,
    ),
    # A fitted power of compute, repeated data, and the batch
    _state(
        "fitted_tokens",
        "fitted_tokens = one_token*fitted_token_coefficient*(training_compute/one_flop)**fitted_token_exponent",
        because="measured optima lie on a line of the logarithms",
        source="Llama 3, arXiv 2407.21783, section 3.2.1",
    ),
    _state(
        "fitted_parameters",
        "fitted_parameters = one_parameter*fitted_parameter_coefficient"
        "*(training_compute/one_flop)**fitted_parameter_exponent",
        because="measured optima lie on a line of the logarithms",
        source=_KAPLAN,
    ),
    _state(
        "effective_tokens",
        "effective_tokens = unique_tokens*(1 + repetition_limit*(1 - exp(-(epochs - 1)/repetition_limit)))",
        because="each repeat is worth less than the one before",
        source="Muennighoff et al., Scaling Data-Constrained Language Models, arXiv 2305.16264",
    ),
    _state(
        "critical_batch_tokens",
        "critical_batch_tokens = critical_batch_scale/loss**(1/critical_batch_exponent)",
        because="gradients grow noisier as the loss falls",
        source=_KAPLAN,
    ),
]
