"""The bills of a model's life: pre-training, reinforcement learning, inference. And the least of two opposed costs."""

from quantities.declaration import Declaration

# Reinforcement learning
rl_flops_per_parameter = Declaration(
    "rl_flops_per_parameter",
    "FLOP/parameter/token",
    "work of reinforcement learning: 2 where a token is only generated, up to 6 where it is trained on",
    latex=r"k_{rl}",
)
rl_tokens = Declaration("rl_tokens", "token", "tokens generated in reinforcement learning", latex=r"D_{rl}")
rl_mfu = Declaration("rl_mfu", "", "model FLOP utilisation in reinforcement learning", domain="0..1", latex=r"\mu_{rl}")
rl_efficiency = Declaration(
    "rl_efficiency",
    "",
    "utilisation in reinforcement learning over that in pre-training",
    default=1.0,
    latex=r"\eta_{rl}",
)
rl_token_cost_ratio = Declaration(
    "rl_token_cost_ratio", "", "cost of a token in reinforcement learning over one in pre-training", latex="c_{rl}"
)
rl_bill_ratio = Declaration(
    "rl_bill_ratio", "", "bill of reinforcement learning over the pre-training bill", latex=r"\pi_{rl}"
)
equal_rl_tokens = Declaration(
    "equal_rl_tokens", "token", "tokens whose reinforcement learning costs as much as pre-training", latex="D_{rl}^="
)

# Inference
inference_mfu = Declaration(
    "inference_mfu", "", "model FLOP utilisation over all of serving", domain="0..1", latex=r"\mu_{inf}"
)
inference_efficiency = Declaration(
    "inference_efficiency", "", "utilisation in serving over that in pre-training", default=1.0, latex=r"\eta_{inf}"
)
inference_token_cost_ratio = Declaration(
    "inference_token_cost_ratio", "", "cost of a token served over one in pre-training", latex="c_{inf}"
)
served_rate = Declaration(
    "served_rate", "token/s", "tokens of the model served each second, all fleets together", latex="R_{inf}"
)
lifetime = Declaration("lifetime", "day", "time for which the model is served", latex="T_{inf}")
lifetime_tokens = Declaration("lifetime_tokens", "token", "tokens served in the life of the model", latex=r"D_{inf}")
inference_bill_ratio = Declaration(
    "inference_bill_ratio", "", "inference bill over the pre-training bill", latex=r"\pi_{inf}"
)
equal_lifetime_tokens = Declaration(
    "equal_lifetime_tokens", "token", "tokens whose serving costs as much as pre-training", latex="D_{inf}^="
)
served_per_trained = Declaration(
    "served_per_trained", "", "tokens served over tokens trained on", latex=r"\delta_{inf}"
)

# All three
rl_compute = Declaration("rl_compute", "FLOP", "operations of reinforcement learning", latex="C_{rl}")
inference_compute = Declaration(
    "inference_compute", "FLOP", "operations of all serving: 2 N for each token", latex="C_{inf}"
)
lifetime_compute = Declaration(
    "lifetime_compute",
    "FLOP",
    "operations of pre-training, reinforcement learning and inference together",
    latex="C_{life}",
)
lifetime_cost = Declaration(
    "lifetime_cost", "USD", "pre-training, reinforcement learning and inference together", latex=r"\Pi_{life}"
)
pretraining_share = Declaration(
    "pretraining_share", "", "pre-training's share of all three bills", domain="0..1", latex=r"\phi"
)

# A cost that rises as a power of something, and one that falls
rising_coefficient = Declaration("rising_coefficient", "", "the rising cost where the choice is 1", latex="A")
falling_coefficient = Declaration("falling_coefficient", "", "the falling cost where the choice is 1", latex="B")
rising_exponent = Declaration("rising_exponent", "", "power with which the rising cost rises", latex="a")
falling_exponent = Declaration("falling_exponent", "", "power with which the falling cost falls", latex="b")
choice = Declaration("choice", "", "what is chosen: any size over a unit of it", latex="x")
rising_term = Declaration("rising_term", "", "the rising cost at the choice", latex="u")
falling_term = Declaration("falling_term", "", "the falling cost at the choice", latex="v")
opposed_cost = Declaration("opposed_cost", "", "sum of a rising and a falling cost at the choice", latex="y")
best_choice = Declaration(
    "best_choice", "", "choice at which a rising and a falling cost have the least sum", latex="x^*"
)
least_cost = Declaration("least_cost", "", "the least sum of a rising and a falling cost", latex="y^*")
equal_choice = Declaration("equal_choice", "", "choice at which both costs are equal", latex="x_=")
best_term_ratio = Declaration(
    "best_term_ratio", "", "rising over falling cost where their sum is least", latex=r"\chi^*"
)
