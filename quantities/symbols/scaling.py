"""Scaling laws: how large a model and how many tokens, for a given budget of training or of a lifetime."""

from quantities.quantity import Quantity

# Tokens for each parameter
tokens_per_parameter = Quantity(
    "tokens_per_parameter", "token/parameter", "training tokens over active parameters", latex="D/N"
)
chinchilla_ratio = Quantity(
    "chinchilla_ratio",
    "token/parameter",
    "tokens for each active parameter that make the most of training compute",
    default="20 token/parameter",
    latex="D^*/N",
)
chinchilla_tokens = Quantity(
    "chinchilla_tokens", "token", "tokens that suit the active parameters by that ratio", latex="D^*"
)
over_training = Quantity("over_training", "", "training tokens over those of Chinchilla", latex=r"\omega")
compute_optimal_parameters = Quantity(
    "compute_optimal_parameters", "parameter", "model that suits the training compute by that ratio", latex="N^*"
)
compute_optimal_tokens = Quantity(
    "compute_optimal_tokens", "token", "tokens that suit the training compute by that ratio", latex="D^*_C"
)

# A fitted law: loss = irreducible + A/N**alpha + B/D**beta
irreducible_loss = Quantity(
    "irreducible_loss", "", "loss that no model goes below, in nats for each token", domain="nonnegative", latex="E_0"
)
parameter_coefficient = Quantity("parameter_coefficient", "", "of the law's parameter term", latex="A")
parameter_exponent = Quantity("parameter_exponent", "", "of the law's parameter term", latex=r"\alpha")
data_coefficient = Quantity("data_coefficient", "", "of the law's data term", latex="B")
data_exponent = Quantity("data_exponent", "", "of the law's data term", latex=r"\beta")
parameter_loss = Quantity("parameter_loss", "", "loss for want of parameters", latex=r"\ell_N")
data_loss = Quantity("data_loss", "", "loss for want of data", latex=r"\ell_D")
loss = Quantity("loss", "", "loss of the trained model, in nats for each token", latex=r"\ell")
scaling_balance = Quantity(
    "scaling_balance", "", "what growth of the model gains over what growth of the data gains; 1 at the optimum"
)
law_optimal_parameters = Quantity(
    "law_optimal_parameters", "parameter", "model of least loss for the training compute, by the law", latex="N^*_C"
)
law_optimal_tokens = Quantity(
    "law_optimal_tokens", "token", "tokens of least loss for the training compute, by the law", latex="D^*_L"
)

# The cheapest model of a given loss, its use included
target_loss = Quantity("target_loss", "", "loss that the model is to reach", latex=r"\ell^*")
lifetime_parameters = Quantity(
    "lifetime_parameters", "parameter", "model that reaches the target for least training and inference", latex="N_l"
)
lifetime_training_tokens = Quantity("lifetime_training_tokens", "token", "training tokens of that model", latex="D_l")
lifetime_parameter_loss = Quantity("lifetime_parameter_loss", "", "that model's loss for want of parameters")
lifetime_data_loss = Quantity("lifetime_data_loss", "", "that model's loss for want of data")
lifetime_bill_ratio = Quantity(
    "lifetime_bill_ratio", "", "that model's inference bill over its training bill", domain="nonnegative"
)
