"""Layers in stages: the memory that it frees, the latency that it adds, and the bubble in training."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, counting, experts, pipeline, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(architecture, counting, experts, pipeline, roofline),
)

relations = [
    # Memory
    _state("pipeline_batch", "pipeline_batch = stages*batch", because="every stage works on a batch of its own"),
    _state(
        "weight_bytes_per_chip",
        "weight_bytes_per_chip = weight_bytes/(stages*chips)",
        because="each stage keeps its own layers",
    ),
    _state(
        "kv_bytes_per_chip",
        "kv_bytes_per_chip = pipeline_batch*kv_bytes_per_sequence/(stages*chips)",
        because="each stage keeps its layers of all the batches in flight, so the stages cancel",
    ),
    _state(
        "held_bytes_per_chip",
        "held_bytes_per_chip = weight_bytes_per_chip + kv_bytes_per_chip",
        because="both stay in memory between the steps",
    ),
    # Latency
    _state(
        "hops",
        "hops = stages",
        because="a token passes from stage to stage, and the new one returns to the first",
        when=["stages > 1"],
    ),
    _state("hop_delay", "hop_delay = hops*hop_time", because="boundaries follow one another"),
    _state(
        "pipeline_latency",
        "pipeline_latency = step_time + hop_delay",
        because="the stages together read what one would, and then there are the boundaries",
    ),
    # Traffic
    _state(
        "boundary_bytes_per_token",
        "boundary_bytes_per_token = vector_per_token*hidden_size*activation_bytes_per_element",
        because="one activation goes from stage to stage",
    ),
    _state(
        "boundary_bytes",
        "boundary_bytes = batch*tokens_per_pass*boundary_bytes_per_token",
        because="every token of the step has an activation of its own",
    ),
    _state(
        "stage_exchange_ratio",
        "stage_exchange_ratio = exchange_bytes_per_token*expert_layers/stages/boundary_bytes_per_token",
        because="a stage exchanges among its experts in every layer, and hands over once",
    ),
    # Balance and bubble
    _state(
        "stage_balance",
        "stage_balance = step_time/(stages*slowest_stage_time)",
        because="faster stages wait for the slowest",
    ),
    _state(
        "bubble_overhead",
        "bubble_overhead = (stages - 1)/(interleaving*micro_batches)",
        because="stages wait while the pipeline fills and drains; smaller pieces fill it sooner",
        source="Narayanan et al., arXiv 2104.04473, section 2.2",
    ),
    _state(
        "bubble_share",
        "bubble_share = bubble_overhead/(1 + bubble_overhead)",
        because="the whole time is the ideal time and the bubble",
    ),
]
