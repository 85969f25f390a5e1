"""A training run and one of its steps: work, chips, time and money."""

from quantities.declaration import Declaration
from quantities.value import exact

# The work of one parameter and token
weight_gradient_flops_per_parameter = Declaration(
    "weight_gradient_flops_per_parameter",
    "FLOP/parameter/token",
    "backward pass, gradients of the weights; none where weights are frozen",
    domain="nonnegative",
    default=exact("2 FLOP/parameter/token"),
    latex="k_w",
)
input_gradient_flops_per_parameter = Declaration(
    "input_gradient_flops_per_parameter",
    "FLOP/parameter/token",
    "backward pass, gradients handed to the layer below",
    domain="nonnegative",
    default=exact("2 FLOP/parameter/token"),
    latex="k_x",
)
backward_flops_per_parameter = Declaration(
    "backward_flops_per_parameter", "FLOP/parameter/token", "the backward pass: usually 4", latex="k_b"
)
training_flops_per_parameter = Declaration(
    "training_flops_per_parameter", "FLOP/parameter/token", "forward and backward: usually 6", latex="k_6"
)
training_passes = Declaration(
    "training_passes", "", "work of forward and backward in units of one forward pass: usually 3", latex="n_p"
)
recomputed_share = Declaration(
    "recomputed_share",
    "",
    "share of the forward pass that is done again for the backward pass: 1 for full recomputation",
    domain="0..1",
    default=0.0,
    latex="r",
)
hardware_passes = Declaration(
    "hardware_passes", "", "passes that the hardware runs, recomputation included: 4 for a full one", latex="n_h"
)
recomputation_factor = Declaration(
    "recomputation_factor", "", "operations run over operations needed: 4/3 for full recomputation", latex="h"
)

# The run
training_tokens = Declaration(
    "training_tokens", "token", "tokens that the model is trained on", latex="D", aliases=["number of training tokens"]
)
training_flops_per_token = Declaration(
    "training_flops_per_token",
    "FLOP/token",
    "one training token through the active parameters: the 6 N of 6 N D",
    latex="f_6",
)
training_compute = Declaration(
    "training_compute", "FLOP", "operations that a run needs: 6 N D", latex="C", aliases=["training FLOPs", "6ND"]
)
hardware_compute = Declaration(
    "hardware_compute", "FLOP", "operations that a run performs, recomputation included", latex="C_h"
)
training_chips = Declaration(
    "training_chips", "chip", "chips of the training cluster", latex=r"n_{tr}", aliases=["world_size"]
)
training_nodes = Declaration("training_nodes", "", "machines of the training cluster", aliases=["nnodes"])
training_mfu = Declaration(
    "training_mfu",
    "",
    "MFU: needed operations over the peak of the chips, in training",
    domain="0..1",
    latex=r"\mu",
    aliases=["MFU", "model FLOPs utilization"],
)
training_hfu = Declaration(
    "training_hfu",
    "",
    "HFU: performed operations, recomputation included, over the peak of the chips",
    domain="0..1",
    latex=r"\mu_h",
    aliases=["hardware FLOPs utilization", "HFU"],
)
achieved_compute = Declaration(
    "achieved_compute",
    "FLOP/s/chip",
    "needed operations that a chip does each second",
    latex="a",
    aliases=["TFLOP/s/GPU"],
)
hardware_achieved_compute = Declaration(
    "hardware_achieved_compute", "FLOP/s/chip", "operations that a chip does each second, recomputation included"
)
cluster_peak = Declaration("cluster_peak", "FLOP/s", "peak of all chips of the cluster together", latex="F_{tr}")
cluster_compute = Declaration("cluster_compute", "FLOP/s", "needed operations that the cluster does each second")
training_chip_time = Declaration(
    "training_chip_time", "h*chip", "chip-hours (GPU-hours) of a run", latex="H", aliases=["GPU hours"]
)
training_chip_time_per_token = Declaration(
    "training_chip_time_per_token", "h*chip/Ttoken", "chip-hours (GPU-hours) for a trillion tokens trained on"
)
training_time = Declaration(
    "training_time", "day", "computing time of a run on its cluster", latex="T", aliases=["time to train"]
)
training_cost = Declaration("training_cost", "USD", "rent of the chips for a run", latex=r"\Pi")
training_flops_per_dollar = Declaration(
    "training_flops_per_dollar", "FLOP/USD", "operations of a run for the rent of one dollar", latex=r"a_\$"
)
training_cost_per_token = Declaration(
    "training_cost_per_token", "USD/Mtoken", "rent for one token trained on", latex="c_{tr}"
)
data_bytes = Declaration("data_bytes", "byte", "text of the data set")
text_bytes_per_token = Declaration(
    "text_bytes_per_token", "byte/token", "text that one token stands for: about 4 bytes of English"
)
unique_tokens = Declaration(
    "unique_tokens", "token", "tokens of the data set, each counted once", latex="U", aliases=["training dataset size"]
)
epochs = Declaration(
    "epochs", "", "times that the data set is seen", latex="e", aliases=["num_train_epochs", "number of epochs"]
)

# One step
sequence_length = Declaration(
    "sequence_length", "token/sequence", "tokens of one training sequence; serving has a context", latex="s"
)
global_batch = Declaration(
    "global_batch",
    "sequence",
    "sequences of one optimizer step; serving has a batch",
    latex="B_g",
    aliases=["global-batch-size", "train_batch_size"],
)
batch_tokens = Declaration(
    "batch_tokens", "token", "tokens of one optimizer step", latex="B_t", aliases=["tokens per step"]
)
tokens_per_chip = Declaration(
    "tokens_per_chip", "token/chip", "tokens of a step for each chip of the cluster", latex="B_n"
)
training_steps = Declaration(
    "training_steps", "", "optimizer steps of a run", latex="S", aliases=["train-iters", "max_steps"]
)
step_compute = Declaration("step_compute", "FLOP", "operations that one optimizer step needs", latex="C_s")
training_step_time = Declaration(
    "training_step_time",
    "s",
    "time of one optimizer step; a serving step has a step_time",
    latex="t_s",
    aliases=["elapsed time per iteration", "iteration time"],
)
training_throughput = Declaration("training_throughput", "token/s", "tokens that the cluster trains on each second")
sequence_rate = Declaration(
    "sequence_rate",
    "sequence/s",
    "sequences (samples) that the cluster trains on each second",
    aliases=["train_samples_per_second", "samples per second"],
)
chip_training_throughput = Declaration(
    "chip_training_throughput",
    "token/s/chip",
    "tokens that one chip of the cluster trains on each second",
    aliases=["tokens per second per chip", "tokens per GPU per second", "TGS"],
)
goodput = Declaration(
    "goodput",
    "",
    "share of the wall time spent in steps that count",
    domain="0..1",
    default=1.0,
    latex=r"\gamma",
    aliases=["effective training time ratio", "ETTR"],
)
wall_time = Declaration(
    "wall_time", "day", "time on the clock of a run: all its steps times the time of one, stops included", latex=r"T_w"
)
