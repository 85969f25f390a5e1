"""Sparse models: what experts save, what a step reads of them, and what sending tokens to them takes."""

from quantities.declaration import Declaration

# What sparsity gives back
dense_equivalent = Declaration("dense_equivalent", "parameter", "dense model of the same quality", latex=r"N_\equiv")
return_exponent = Declaration(
    "return_exponent",
    "",
    "power of the number of experts by which a sparse model outdoes its active size",
    latex=r"\gamma",
)
compute_return = Declaration(
    "compute_return",
    "",
    "dense equivalent over active parameters: the compute that sparsity saves",
    latex=r"\rho_N",
)
parameters_per_saved = Declaration(
    "parameters_per_saved", "", "stored parameters paid for each active one that sparsity saves", latex="s_N"
)

# What a step reads
expert_read_share = Declaration(
    "expert_read_share", "", "share of the experts that at least one token of the step uses", domain="0..1", latex="f_E"
)
experts_read = Declaration(
    "experts_read", "", "experts of a layer that at least one token of the step uses", latex="E_r"
)
routed_parameters = Declaration(
    "routed_parameters", "parameter", "stored parameters of all routed experts", latex="N_E"
)
active_weight_time = Declaration(
    "active_weight_time",
    "s",
    "time to read the active parameters once: a decode step of a single user, local use",
    latex="t_{wa}",
)
single_user_speed = Declaration(
    "single_user_speed",
    "token/s/sequence",
    "tokens that a single user sees if only the active parameters are read",
    latex="r_1",
)
tokens_per_expert = Declaration(
    "tokens_per_expert", "token", "tokens of a step that one expert receives on average", latex="T_E"
)

expert_balance_tokens = Declaration(
    "expert_balance_tokens",
    "token",
    "tokens in a step at which each expert's weights are read as fast as used",
    latex=r"\beta_E",
)

# Where the experts are
redundant_experts = Declaration(
    "redundant_experts",
    "",
    "second copies of busy experts in a layer",
    domain="nonnegative",
    default=0.0,
    latex="E_{+}",
    aliases=["ep-num-redundant-experts"],
)
experts_per_chip = Declaration("experts_per_chip", "1/chip", "routed experts of a layer that one chip holds", latex="e")

# What is sent
step_tokens_per_chip = Declaration(
    "step_tokens_per_chip", "token/chip", "tokens of an inference step that start on one chip", latex="T_n"
)
sends_per_token = Declaration(
    "sends_per_token", "1/token", "experts of a layer that one token's vector is sent to", latex="s"
)
dispatch_bytes_per_element = Declaration(
    "dispatch_bytes_per_element", "byte", "size of an element on its way to an expert", latex=r"b_\to"
)
combine_bytes_per_element = Declaration(
    "combine_bytes_per_element", "byte", "size of an element on its way back", latex=r"b_\leftarrow"
)
exchange_bytes_per_token = Declaration(
    "exchange_bytes_per_token",
    "byte/token",
    "bytes that one token sends and receives in one layer of experts",
    latex="A",
)
remote_share = Declaration("remote_share", "", "share of the sends that leave their chip", domain="0..1", latex="f_r")
crossing_share = Declaration(
    "crossing_share", "", "share of the sends that leave their rack", domain="0..1", latex=r"f_{\times}"
)
token_crossing_share = Declaration(
    "token_crossing_share",
    "",
    "share of the tokens with at least one send that leaves the rack",
    domain="0..1",
    latex=r"f_{\times T}",
)
racks = Declaration("racks", "", "scale-up domains among which the experts are spread", latex="n_R")
exchange_time = Declaration(
    "exchange_time",
    "s",
    "time of one layer's dispatch and combine (all-to-all) inside a scale-up domain (NVLink)",
    domain="nonnegative",
    latex="t_A",
    aliases=["dispatch and combine"],
)
crossing_time = Declaration(
    "crossing_time",
    "s",
    "time of one layer's dispatch and combine (all-to-all) across scale-up domains (InfiniBand)",
    domain="nonnegative",
    latex=r"t_{\times}",
)
exchanges = Declaration(
    "exchanges", "", "dispatches with their combines in one step: layers of experts times micro-batches", latex="n_A"
)
overlapped_batches = Declaration(
    "overlapped_batches", "", "micro-batches that take turns computing and communicating", default=1.0, latex="n_o"
)
communication_time = Declaration(
    "communication_time",
    "s",
    "time of all exchanges (all-to-all) of a step; where it overlaps the rest, give it as the network time",
    domain="nonnegative",
    latex="t_{nA}",
)
