"""Scaling laws: how large a model and how many tokens, for a given budget of training or of a lifetime."""

from quantities.declaration import Declaration
from quantities.value import exact

# Tokens for each parameter
tokens_per_parameter = Declaration(
    "tokens_per_parameter", "token/parameter", "training tokens over active parameters", latex=r"\nu"
)
chinchilla_ratio = Declaration(
    "chinchilla_ratio",
    "token/parameter",
    "tokens for each active parameter that make the most of training compute",
    default="20 token/parameter",
    latex=r"\nu^*",
)
chinchilla_tokens = Declaration(
    "chinchilla_tokens", "token", "tokens that suit the active parameters by Chinchilla's ratio", latex="D^*"
)
over_training = Declaration("over_training", "", "training tokens over those of Chinchilla", latex=r"\omega")
compute_optimal_parameters = Declaration(
    "compute_optimal_parameters",
    "parameter",
    "model that suits the training compute by Chinchilla's ratio",
    latex="N^*",
    aliases=["compute-optimal model size"],
)
compute_optimal_tokens = Declaration(
    "compute_optimal_tokens", "token", "tokens that suit the training compute by Chinchilla's ratio", latex="D^*_C"
)

# A fitted law: loss = irreducible + A/N**alpha + B/D**beta
irreducible_loss = Declaration(
    "irreducible_loss",
    "",
    "loss that no model goes below, in nats for each token",
    domain="nonnegative",
    latex="E_0",
    aliases=["entropy of natural text"],
)
parameter_coefficient = Declaration(
    "parameter_coefficient", "", "A of the loss A / N^alpha for want of parameters", latex="A"
)
parameter_exponent = Declaration(
    "parameter_exponent", "", "alpha of the loss A / N^alpha for want of parameters", latex=r"\alpha"
)
data_coefficient = Declaration("data_coefficient", "", "B of the loss B / D^beta for want of data", latex="B")
data_exponent = Declaration("data_exponent", "", "beta of the loss B / D^beta for want of data", latex=r"\beta")
parameter_loss = Declaration("parameter_loss", "", "loss for want of parameters", latex=r"\ell_N")
data_loss = Declaration("data_loss", "", "loss for want of data", latex=r"\ell_D")
loss = Declaration(
    "loss",
    "",
    "loss of the trained model, in nats for each token",
    latex=r"\ell",
    aliases=["test loss", "cross-entropy loss", "final loss"],
)
perplexity = Declaration(
    "perplexity", "", "tokens among which the trained model hesitates, on the mean", latex=r"e^{\ell}", aliases=["ppl"]
)
bits_per_token = Declaration("bits_per_token", "", "loss of the trained model, in bits for each token")
scaling_balance = Declaration(
    "scaling_balance",
    "",
    "what growth of the model gains over what growth of the data gains; 1 at the optimum",
    latex=r"\zeta",
)
law_optimal_parameters = Declaration(
    "law_optimal_parameters", "parameter", "model of least loss for the training compute, by the law", latex="N^*_C"
)
law_optimal_tokens = Declaration(
    "law_optimal_tokens", "token", "tokens of least loss for the training compute, by the law", latex="D^*_L"
)

# The cheapest model of a given loss, its use included
target_loss = Declaration("target_loss", "", "loss that the model is to reach", latex=r"\ell^*")
lifetime_parameters = Declaration(
    "lifetime_parameters", "parameter", "model that reaches the target for least training and inference", latex="N_l"
)
lifetime_training_tokens = Declaration(
    "lifetime_training_tokens", "token", "training tokens of the model of least training and inference", latex="D_l"
)
lifetime_parameter_loss = Declaration(
    "lifetime_parameter_loss",
    "",
    "loss for want of parameters of the model of least training and inference",
    latex=r"\ell_N^*",
)
lifetime_data_loss = Declaration(
    "lifetime_data_loss", "", "loss for want of data of the model of least training and inference", latex=r"\ell_D^*"
)
lifetime_bill_ratio = Declaration(
    "lifetime_bill_ratio",
    "",
    "inference bill over training bill of the model of least training and inference",
    domain="nonnegative",
    latex=r"\rho_l",
)

# Kaplan's laws: each alone, and model and data together
critical_parameters = Declaration(
    "critical_parameters",
    "parameter",
    "Kaplan's law: N_c of (N_c / N)^alpha_N, parameters",
    latex="N_c",
    aliases=["N_c"],
)
critical_tokens = Declaration(
    "critical_tokens", "token", "Kaplan's law: D_c of (D_c / D)^alpha_D, tokens", latex="D_c", aliases=["D_c"]
)
critical_compute = Declaration(
    "critical_compute", "FLOP", "Kaplan's law: C_c of (C_c / C)^alpha_C, operations", latex="C_c", aliases=["C_c"]
)
kaplan_parameter_exponent = Declaration(
    "kaplan_parameter_exponent",
    "",
    "Kaplan's law: alpha_N, by which the loss falls as the model grows",
    latex=r"\alpha_N",
    aliases=["alpha_N"],
)
kaplan_data_exponent = Declaration(
    "kaplan_data_exponent",
    "",
    "Kaplan's law: alpha_D, by which the loss falls as the data grow",
    latex=r"\alpha_D",
    aliases=["alpha_D"],
)
kaplan_compute_exponent = Declaration(
    "kaplan_compute_exponent",
    "",
    "Kaplan's law: alpha_C, by which the loss falls as compute grows",
    latex=r"\alpha_C",
    aliases=["alpha_C"],
)
kaplan_parameter_loss = Declaration(
    "kaplan_parameter_loss", "", "Kaplan's law: loss of a model with unlimited data, parameters without embeddings"
)
kaplan_data_loss = Declaration("kaplan_data_loss", "", "Kaplan's law: loss of an unlimited model on limited data")
kaplan_compute_loss = Declaration("kaplan_compute_loss", "", "Kaplan's law: loss of the best model for limited compute")
kaplan_loss = Declaration("kaplan_loss", "", "Kaplan's law: loss of a limited model on limited data")

# A fitted power of compute, repeated data, and the batch
one_flop = Declaration("one_flop", "FLOP", "a single operation", default=exact("1 FLOP"))
fitted_token_coefficient = Declaration(
    "fitted_token_coefficient", "", "A of the fitted power law A C^alpha of the best training tokens"
)
fitted_token_exponent = Declaration(
    "fitted_token_exponent", "", "alpha of the fitted power law A C^alpha of the best training tokens"
)
fitted_parameter_coefficient = Declaration(
    "fitted_parameter_coefficient", "", "A of the fitted power law A C^alpha of the best model"
)
fitted_parameter_exponent = Declaration(
    "fitted_parameter_exponent", "", "alpha of the fitted power law A C^alpha of the best model"
)
fitted_tokens = Declaration("fitted_tokens", "token", "best training tokens by a power law fitted over the compute")
fitted_parameters = Declaration("fitted_parameters", "parameter", "best model by a power law fitted over the compute")
repetition_limit = Declaration(
    "repetition_limit", "", "repeats after which more of them hardly help: about 15", latex="R^*_D"
)
effective_tokens = Declaration(
    "effective_tokens",
    "token",
    "new tokens that would help as much as the data set with its repeats",
    aliases=["effective data"],
)
critical_batch_scale = Declaration(
    "critical_batch_scale", "token", "Kaplan's law: critical batch at a loss of 1", latex="B^*"
)
critical_batch_exponent = Declaration(
    "critical_batch_exponent",
    "",
    "Kaplan's law: alpha_B of the critical batch B^* / L^(1 / alpha_B)",
    latex=r"\alpha_B",
    aliases=["alpha_B"],
)
critical_batch_tokens = Declaration(
    "critical_batch_tokens",
    "token",
    "critical batch: tokens of a step beyond which a larger batch saves little time",
    aliases=["B_crit", "critical batch size"],
)
