"""A training run and one of its steps: work, chips, time and money."""

from quantities.quantity import Quantity
from quantities.value import exact

# The work of one parameter and token
weight_gradient_flops_per_parameter = Quantity(
    "weight_gradient_flops_per_parameter",
    "FLOP/parameter/token",
    "backward pass, gradients of the weights; none where weights are frozen",
    domain="nonnegative",
    default=exact("2 FLOP/parameter/token"),
    latex="k_w",
)
input_gradient_flops_per_parameter = Quantity(
    "input_gradient_flops_per_parameter",
    "FLOP/parameter/token",
    "backward pass, gradients handed to the layer below",
    domain="nonnegative",
    default=exact("2 FLOP/parameter/token"),
    latex="k_x",
)
backward_flops_per_parameter = Quantity(
    "backward_flops_per_parameter", "FLOP/parameter/token", "the backward pass: usually 4", latex="k_b"
)
training_flops_per_parameter = Quantity(
    "training_flops_per_parameter", "FLOP/parameter/token", "forward and backward: usually 6", latex="k_6"
)
training_passes = Quantity(
    "training_passes", "", "work of forward and backward in units of one forward pass: usually 3", latex="n_p"
)
recomputed_share = Quantity(
    "recomputed_share",
    "",
    "share of the forward pass that is done again for the backward pass: 1 for full recomputation",
    domain="0..1",
    default=0.0,
    latex="r",
)
hardware_passes = Quantity(
    "hardware_passes", "", "passes that the hardware runs, recomputation included: 4 for a full one", latex="n_h"
)
recomputation_factor = Quantity(
    "recomputation_factor", "", "operations run over operations needed: 4/3 for full recomputation", latex="h"
)

# The run
training_tokens = Quantity("training_tokens", "token", "tokens that the model is trained on", latex="D")
training_flops_per_token = Quantity(
    "training_flops_per_token",
    "FLOP/token",
    "one training token through the active parameters: the 6 N of 6 N D",
    latex="f_6",
)
training_compute = Quantity("training_compute", "FLOP", "operations that a run needs: 6 N D", latex="C")
hardware_compute = Quantity(
    "hardware_compute", "FLOP", "operations that a run performs, recomputation included", latex="C_h"
)
training_chips = Quantity("training_chips", "chip", "chips of the training cluster", latex=r"n_{tr}")
training_nodes = Quantity("training_nodes", "", "machines of the training cluster")
training_mfu = Quantity(
    "training_mfu", "", "MFU: needed operations over the peak of the chips, in training", domain="0..1", latex=r"\mu"
)
training_hfu = Quantity(
    "training_hfu",
    "",
    "HFU: performed operations, recomputation included, over the peak of the chips",
    domain="0..1",
    latex=r"\mu_h",
)
achieved_compute = Quantity(
    "achieved_compute", "FLOP/s/chip", "needed operations that a chip does each second", latex="a"
)
hardware_achieved_compute = Quantity(
    "hardware_achieved_compute", "FLOP/s/chip", "operations that a chip does each second, recomputation included"
)
cluster_peak = Quantity("cluster_peak", "FLOP/s", "peak of all chips of the cluster together", latex="F_{tr}")
cluster_compute = Quantity("cluster_compute", "FLOP/s", "needed operations that the cluster does each second")
training_chip_time = Quantity("training_chip_time", "h*chip", "chip-hours (GPU-hours) of a run", latex="H")
training_chip_time_per_token = Quantity(
    "training_chip_time_per_token", "h*chip/Ttoken", "chip-hours (GPU-hours) for a trillion tokens trained on"
)
training_time = Quantity("training_time", "day", "computing time of a run on its cluster", latex="T")
training_cost = Quantity("training_cost", "USD", "rent of the chips for a run", latex=r"\Pi")
training_flops_per_dollar = Quantity(
    "training_flops_per_dollar", "FLOP/USD", "operations of a run for the rent of one dollar", latex=r"a_\$"
)
training_cost_per_token = Quantity(
    "training_cost_per_token", "USD/Mtoken", "rent for one token trained on", latex="c_{tr}"
)
data_bytes = Quantity("data_bytes", "byte", "text of the data set")
text_bytes_per_token = Quantity(
    "text_bytes_per_token", "byte/token", "text that one token stands for: about 4 bytes of English"
)
unique_tokens = Quantity("unique_tokens", "token", "tokens of the data set, each counted once", latex="U")
epochs = Quantity("epochs", "", "times that the data set is seen", latex="e")

# One step
sequence_length = Quantity(
    "sequence_length", "token/sequence", "tokens of one training sequence; serving has a context", latex="s"
)
global_batch = Quantity("global_batch", "sequence", "sequences of one optimizer step; serving has a batch", latex="B_g")
batch_tokens = Quantity("batch_tokens", "token", "tokens of one optimizer step", latex="B_t")
tokens_per_chip = Quantity(
    "tokens_per_chip", "token/chip", "tokens of a step for each chip of the cluster", latex="B_n"
)
training_steps = Quantity("training_steps", "", "optimizer steps of a run", latex="S")
step_compute = Quantity("step_compute", "FLOP", "operations that one optimizer step needs", latex="C_s")
training_step_time = Quantity(
    "training_step_time", "s", "time of one optimizer step; a serving step has a step_time", latex="t_s"
)
training_throughput = Quantity("training_throughput", "token/s", "tokens that the cluster trains on each second")
sequence_rate = Quantity("sequence_rate", "sequence/s", "sequences (samples) that the cluster trains on each second")
chip_training_throughput = Quantity(
    "chip_training_throughput", "token/s/chip", "tokens that one chip of the cluster trains on each second"
)
goodput = Quantity(
    "goodput", "", "share of the wall time spent in steps that count", domain="0..1", default=1.0, latex=r"\gamma"
)
wall_time = Quantity(
    "wall_time", "day", "time on the clock of a run: all its steps times the time of one, stops included", latex=r"T_w"
)
