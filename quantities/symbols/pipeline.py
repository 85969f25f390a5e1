"""Layers in stages: memory that it frees, latency that it adds, and bubbles in training."""

from quantities.declaration import Declaration

stages = Declaration(
    "stages",
    "",
    "stages of the pipeline; each has `chips` of its own",
    latex="P",
    default=1.0,
    aliases=["pipeline-model-parallel-size", "pipeline_parallel_size", "pp-size", "PP"],
)
pipeline_batch = Declaration("pipeline_batch", "sequence", "sequences in all the stages together", latex="B_P")
weight_bytes_per_chip = Declaration("weight_bytes_per_chip", "byte/chip", "weights that one chip holds", latex="C_w")
kv_bytes_per_chip = Declaration("kv_bytes_per_chip", "byte/chip", "KV cache that one chip holds", latex="C_{kv}")
held_bytes_per_chip = Declaration(
    "held_bytes_per_chip", "byte/chip", "weights and KV cache that one chip holds", latex=r"C_{\mathrm{held}}"
)
hops = Declaration(
    "hops", "", "boundaries that a token crosses on its way through the stages", domain="nonnegative", latex="h"
)
hop_time = Declaration("hop_time", "s", "time to cross one boundary", latex="t_h")
hop_delay = Declaration(
    "hop_delay", "s", "time that the boundaries add to each token", domain="nonnegative", latex="t_H"
)
pipeline_latency = Declaration("pipeline_latency", "s", "time of one token through all stages", latex="t_P")
activation_bytes_per_element = Declaration(
    "activation_bytes_per_element", "byte", "size of an element of the residual vector", latex="b_a"
)
boundary_bytes_per_token = Declaration(
    "boundary_bytes_per_token", "byte/token", "bytes that one token takes across a boundary between stages", latex="a"
)
boundary_bytes = Declaration(
    "boundary_bytes", "byte", "activations of one layer, or at one boundary, of all the tokens of a step", latex="A_a"
)
stage_exchange_ratio = Declaration(
    "stage_exchange_ratio",
    "",
    "bytes that a token exchanges among experts inside a stage over those at its boundary",
    latex="x",
)
slowest_stage_time = Declaration(
    "slowest_stage_time", "s", "time of the slowest stage, which sets the beat of all", latex=r"t_{P\max}"
)
stage_balance = Declaration(
    "stage_balance", "", "mean time of a stage over the slowest one's", domain="0..1", latex=r"\eta_P"
)

# Training
micro_batches = Declaration(
    "micro_batches",
    "",
    "micro-batches of one training step, or of one pipeline flush",
    latex="M",
    aliases=["num_microbatches", "gradient_accumulation_steps", "microbatches"],
)
interleaving = Declaration(
    "interleaving",
    "",
    "pieces of the model on each stage; 1 without interleaving",
    latex="v",
    default=1.0,
    aliases=["virtual-pipeline-model-parallel-size", "number of model chunks"],
)
bubble_overhead = Declaration(
    "bubble_overhead",
    "",
    "idle time of a pipeline over its ideal time",
    domain="nonnegative",
    latex=r"\epsilon",
    aliases=["bubble time fraction", "bubble fraction"],
)
bubble_share = Declaration(
    "bubble_share",
    "",
    "share of the whole time that the bubble takes",
    domain="0..1",
    latex=r"f_{\mathrm{idle}}",
    aliases=["bubble fraction"],
)
