"""A training run: six operations for each parameter and token, and the chips, time and money that they take."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import roofline, serving, training, vocabulary

_state = partial(relate, source="by definition", quantities=vocabulary(roofline, serving, training))

_LECTURE = "R. Pope with D. Patel, blackboard lecture, April 2026"
_KAPLAN = "Kaplan et al., arXiv 2001.08361, section 2.1"
_PALM = "PaLM, arXiv 2204.02311, appendix B"

relations = [
    # The work
    _state(
        "backward_flops_per_parameter",
        "backward_flops_per_parameter = weight_gradient_flops_per_parameter + input_gradient_flops_per_parameter",
        because="each weight serves two gradients, its own and that of the layer's input",
        source=_LECTURE,
    ),
    _state(
        "training_flops_per_parameter",
        "training_flops_per_parameter = flops_per_parameter + backward_flops_per_parameter",
        because="a training token passes forward once and backward once",
        source=_LECTURE,
    ),
    _state(
        "training_compute",
        "training_compute = training_flops_per_parameter*active_parameters*training_tokens",
        because="every token passes every active parameter; attention over the context is left aside",
        source=_KAPLAN,
    ),
    _state(
        "training_flops_per_token",
        "training_flops_per_token = training_flops_per_parameter*active_parameters",
        because="a token passes every active parameter; attention over the context is left aside",
        source=_KAPLAN,
    ),
    _state(
        "training_passes",
        "training_passes = training_flops_per_parameter/flops_per_parameter",
        because="a backward pass is so many forward passes more",
    ),
    _state(
        "hardware_passes",
        "hardware_passes = training_passes + recomputed_share",
        because="what was not kept is computed forward again",
        source="Korthikanti et al., arXiv 2205.05198, section 5",
    ),
    _state(
        "recomputation_factor",
        "recomputation_factor = hardware_passes/training_passes",
        because="recomputation is work that the model does not need",
    ),
    _state(
        "hardware_compute",
        "hardware_compute = training_compute*recomputation_factor",
        because="the hardware performs what is needed and what is done again",
        source=_PALM,
    ),
    # The run
    _state(
        "achieved_compute", "achieved_compute = training_mfu*peak_compute", because="utilisation is a share of the peak"
    ),
    _state(
        "training_hfu",
        "training_hfu = training_mfu*recomputation_factor",
        because="the same time holds more operations when repeated ones are counted",
        source=_PALM,
    ),
    _state(
        "hardware_achieved_compute",
        "hardware_achieved_compute = achieved_compute*recomputation_factor",
        because="the same time holds more operations when repeated ones are counted",
        source=_PALM,
    ),
    _state(
        "training_chip_time",
        "training_chip_time = training_compute/achieved_compute",
        because="one chip alone would take as long as all of them together",
    ),
    _state(
        "training_time",
        "training_time = training_chip_time/training_chips",
        because="the chips share the work evenly",
    ),
    _state("training_cost", "training_cost = training_chip_time*chip_price", because="chips are rented by the hour"),
    _state(
        "training_flops_per_dollar",
        "training_flops_per_dollar = achieved_compute/chip_price",
        because="a rent buys what the chip does in its time",
    ),
    _state(
        "training_cost_per_token",
        "training_cost_per_token = training_cost/training_tokens",
        because="every token costs the same work",
    ),
    _state(
        "training_chip_time_per_token",
        "training_chip_time_per_token = training_chip_time/training_tokens",
        because="every token costs the same work",
    ),
    _state("training_nodes", "training_nodes = training_chips/chips_per_node", because="machines are alike"),
    _state("cluster_peak", "cluster_peak = training_chips*peak_compute", because="peaks add up"),
    _state("cluster_compute", "cluster_compute = training_chips*achieved_compute", because="rates add up"),
    _state(
        "unique_tokens", "unique_tokens = data_bytes/text_bytes_per_token", because="each token stands for some text"
    ),
    _state("epochs", "epochs = training_tokens/unique_tokens", because="tokens beyond the data set are repeats"),
    # One step
    _state(
        "batch_tokens", "batch_tokens = global_batch*sequence_length", because="sequences are filled to their length"
    ),
    _state("training_tokens", "training_tokens = training_steps*batch_tokens", because="every step takes one batch"),
    _state(
        "tokens_per_chip", "tokens_per_chip = batch_tokens/training_chips", because="the chips share a batch evenly"
    ),
    _state(
        "step_compute",
        "step_compute = training_flops_per_parameter*active_parameters*batch_tokens",
        because="a step trains on one batch",
        source=_KAPLAN,
    ),
    _state(
        "chip_training_throughput",
        "chip_training_throughput = achieved_compute/(training_flops_per_parameter*active_parameters)",
        because="a chip spends its operations on one token after the other",
    ),
    _state(
        "training_throughput",
        "training_throughput = training_chips*chip_training_throughput",
        because="rates add up",
    ),
    _state(
        "sequence_rate",
        "sequence_rate = training_throughput/sequence_length",
        because="sequences are filled to their length",
    ),
    _state(
        "training_step_time",
        "training_step_time = batch_tokens/training_throughput",
        because="a step is over when its batch is done",
    ),
    _state(
        "wall_time",
        "wall_time = training_steps*training_step_time/goodput",
        because="the clock also counts stops and repeated steps",
        source="Llama 3, arXiv 2407.21783, section 3.3.4",
    ),
]
