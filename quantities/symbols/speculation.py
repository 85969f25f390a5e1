"""Speculative decoding: a draft proposes, one pass of the model disposes."""

from quantities.declaration import Declaration

draft_tokens = Declaration(
    "draft_tokens",
    "",
    "tokens that the draft proposes for each pass",
    latex=r"\gamma_d",
    domain="nonnegative",
    aliases=["num_speculative_tokens", "speculative-num-draft-tokens", "max_draft_len", "draft length"],
)
acceptance_rate = Declaration(
    "acceptance_rate", "", "chance that a proposed token is accepted, each for itself", domain="0..1", latex=r"\alpha"
)
tokens_per_step = Declaration(
    "tokens_per_step",
    "",
    "tokens that one pass yields on average, its own included",
    latex=r"\tau_s",
    aliases=["accept_length", "average acceptance length"],
)
draft_cost = Declaration(
    "draft_cost",
    "",
    "time of one step of the draft over one of the model",
    domain="nonnegative",
    latex="c_d",
    default=0.0,
)
draft_compute = Declaration(
    "draft_compute",
    "",
    "operations of the draft for a token over those of the model",
    domain="nonnegative",
    latex=r"\hat c",
    default=0.0,
)
draft_overhead = Declaration("draft_overhead", "", "time of a step with its draft over one without", latex="h_d")
speculative_speedup = Declaration("speculative_speedup", "", "speed with the draft over speed without", latex="s_d")
speculative_compute = Declaration("speculative_compute", "", "operations for a token with the draft over those without")
speculative_speed = Declaration(
    "speculative_speed", "token/s/sequence", "tokens that one user sees each second, with the draft"
)
free_batch = Declaration(
    "free_batch",
    "sequence",
    "largest batch whose extra tokens still hide behind the reading of the weights",
    latex="B_d",
)
