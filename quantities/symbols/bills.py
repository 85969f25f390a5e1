"""The bills of a model's life: pre-training, reinforcement learning, inference. And the least of two opposed costs."""

from quantities.quantity import Quantity

# Reinforcement learning
rl_flops_per_parameter = Quantity(
    "rl_flops_per_parameter",
    "FLOP/parameter/token",
    "work of reinforcement learning: 2 where a token is only generated, up to 6 where it is trained on",
    latex=r"k_{rl}",
)
rl_tokens = Quantity("rl_tokens", "token", "tokens generated in reinforcement learning", latex=r"D_{rl}")
rl_mfu = Quantity("rl_mfu", "", "model FLOP utilisation in reinforcement learning", domain="0..1", latex=r"\mu_{rl}")
rl_efficiency = Quantity(
    "rl_efficiency",
    "",
    "utilisation in reinforcement learning over that in pre-training",
    default=1.0,
    latex=r"\eta_{rl}",
)
rl_token_cost_ratio = Quantity(
    "rl_token_cost_ratio", "", "cost of a token in reinforcement learning over one in pre-training", latex="c_{rl}"
)
rl_bill_ratio = Quantity(
    "rl_bill_ratio", "", "bill of reinforcement learning over the pre-training bill", latex=r"\pi_{rl}"
)
equal_rl_tokens = Quantity(
    "equal_rl_tokens", "token", "tokens whose reinforcement learning costs as much as pre-training", latex="D_{rl}^="
)

# Inference
inference_mfu = Quantity(
    "inference_mfu", "", "model FLOP utilisation over all of serving", domain="0..1", latex=r"\mu_{inf}"
)
inference_efficiency = Quantity(
    "inference_efficiency", "", "utilisation in serving over that in pre-training", default=1.0, latex=r"\eta_{inf}"
)
inference_token_cost_ratio = Quantity(
    "inference_token_cost_ratio", "", "cost of a token served over one in pre-training", latex="c_{inf}"
)
served_rate = Quantity(
    "served_rate", "token/s", "tokens of the model served each second, all fleets together", latex="R_{inf}"
)
lifetime = Quantity("lifetime", "day", "time for which the model is served", latex="T_{inf}")
lifetime_tokens = Quantity("lifetime_tokens", "token", "tokens served in the life of the model", latex=r"D_{inf}")
inference_bill_ratio = Quantity(
    "inference_bill_ratio", "", "inference bill over the pre-training bill", latex=r"\pi_{inf}"
)
equal_lifetime_tokens = Quantity(
    "equal_lifetime_tokens", "token", "tokens whose serving costs as much as pre-training", latex="D_{inf}^="
)
served_per_trained = Quantity("served_per_trained", "", "tokens served over tokens trained on", latex=r"\delta_{inf}")

# All three
rl_compute = Quantity("rl_compute", "FLOP", "operations of reinforcement learning", latex="C_{rl}")
inference_compute = Quantity(
    "inference_compute", "FLOP", "operations of all serving: 2 N for each token", latex="C_{inf}"
)
lifetime_compute = Quantity(
    "lifetime_compute",
    "FLOP",
    "operations of pre-training, reinforcement learning and inference together",
    latex="C_{life}",
)
lifetime_cost = Quantity(
    "lifetime_cost", "USD", "pre-training, reinforcement learning and inference together", latex=r"\Pi_{life}"
)
pretraining_share = Quantity(
    "pretraining_share", "", "pre-training's share of all three bills", domain="0..1", latex=r"\phi"
)

# A cost that rises as a power of something, and one that falls
rising_coefficient = Quantity("rising_coefficient", "", "the rising cost where the choice is 1", latex="A")
falling_coefficient = Quantity("falling_coefficient", "", "the falling cost where the choice is 1", latex="B")
rising_exponent = Quantity("rising_exponent", "", "power with which the rising cost rises", latex="a")
falling_exponent = Quantity("falling_exponent", "", "power with which the falling cost falls", latex="b")
choice = Quantity("choice", "", "what is chosen: any size over a unit of it", latex="x")
rising_term = Quantity("rising_term", "", "the rising cost at the choice", latex="u")
falling_term = Quantity("falling_term", "", "the falling cost at the choice", latex="v")
opposed_cost = Quantity("opposed_cost", "", "sum of a rising and a falling cost at the choice", latex="y")
best_choice = Quantity("best_choice", "", "choice at which a rising and a falling cost have the least sum", latex="x^*")
least_cost = Quantity("least_cost", "", "the least sum of a rising and a falling cost", latex="y^*")
equal_choice = Quantity("equal_choice", "", "choice at which both costs are equal", latex="x_=")
best_term_ratio = Quantity("best_term_ratio", "", "rising over falling cost where their sum is least", latex=r"\chi^*")
