"""Claims about training: the 6 of 6 N D, three bills, how far beyond Chinchilla, and reversible layers."""

from derive.auditing.claim import Claim, claim, clause, reading
from derive.auditing.criteria import about, at_least
from derive.auditing.question import ask

__all__ = ["CLAIMS"]

_CHINCHILLA = {"rising_exponent": "0.34", "falling_exponent": "0.28"}  # Hoffmann et al., arXiv 2203.15556, equation 10

CLAIMS: tuple[Claim, ...] = (
    claim(
        "C17",
        "forward 2 and backward 4 make 6 FLOP for each parameter and token",
        clause(
            "backward 4",
            reading("weights and inputs", ask("backward_flops_per_parameter"), about("4 FLOP/parameter/token")),
        ),
        clause(
            "6 in all",
            reading("parameters alone", ask("training_flops_per_parameter"), about("6 FLOP/parameter/token")),
        ),
    ),
    claim(
        "C18",
        "equal bills mean 1.5 times as many tokens of pre-training as of RL, and as many as of inference; RL reaches "
        "an MFU of about 15 % (elsewhere 30 %), RL and inference a third (elsewhere a tenth) of the efficiency",
        clause(
            "as many tokens of pre-training as of inference",
            *(
                reading(
                    f"inference at {words} of the efficiency",
                    ask("served_per_trained", inference_bill_ratio="1", inference_efficiency=share),
                    about("1"),
                    may_change=("inference_efficiency",),
                )
                for words, share in (("a third", "0.33333333"), ("a tenth", "0.1"))
            ),
        ),
        clause(
            "1.5 times as many as of RL",
            *(
                reading(
                    f"RL at {words} of the efficiency and {work} FLOP a parameter",
                    ask(
                        "rl_token_cost_ratio",
                        rl_flops_per_parameter=f"{work} FLOP/parameter/token",
                        rl_efficiency=share,
                    ),
                    about("1.5"),
                    leaves_open={"rl_flops_per_parameter": "2..6 FLOP/parameter/token"},
                    may_change=("rl_efficiency",),
                )
                for words, share in (("a third", "0.33333333"), ("a tenth", "0.1"))
                for work in ("2", "6")
            ),
        ),
        clause(
            "an MFU of RL that is a third of pre-training's",
            *(
                reading(
                    f"{words} in RL, beside the {model} run",
                    ask("rl_efficiency", rl_mfu=share, training_mfu=ask("training_mfu", model, chip)),
                    about("0.333"),
                )
                for words, share in (("15 %", "0.15"), ("30 %", "0.30"))
                for model, chip in (("llama2-70b", "a100-sxm-80gb:bf16"), ("llama3-1-405b", "h100-sxm:bf16"))
            ),
        ),
    ),
    claim(
        "C19",
        "the sum of two opposed power laws is least where its terms are equal",
        clause(
            "the terms are equal there",
            reading(
                "exponents 1 and 1",
                ask("best_term_ratio", rising_exponent="1", falling_exponent="1"),
                about("1"),
            ),
            reading(
                "the exponents of Chinchilla's law of loss",
                ask("best_term_ratio", **_CHINCHILLA),
                about("1"),
                leaves_open={"falling_exponent": "0.1..2"},
            ),
            reading(
                "exponents 1 and 2",
                ask("best_term_ratio", rising_exponent="1", falling_exponent="2"),
                about("1"),
                leaves_open={"falling_exponent": "0.1..2"},
            ),
        ),
    ),
    claim(
        "C20",
        "50 M tokens a second for two months are about 200 T tokens",
        clause(
            "about 200 T",
            reading(
                "two months of 30 days",
                ask("lifetime_tokens", served_rate="50e6 token/s", lifetime="60 day"),
                about("200 Ttoken"),
                leaves_open={"lifetime": "59..62 day"},
                may_change=("served_rate",),
            ),
        ),
    ),
    claim(
        "C21",
        "Chinchilla gives 100 B active parameters 2 T tokens, so that 200 T (elsewhere 150 T) are about 100 times "
        "too many",
        clause(
            "2 T tokens",
            reading(
                "20 tokens for each active parameter",
                ask("chinchilla_tokens", active_parameters="100 Gparameter"),
                about("2 Ttoken"),
            ),
        ),
        clause(
            "about 100 times",
            *(
                reading(
                    f"{tokens} T tokens",
                    ask("over_training", training_tokens=f"{tokens} Ttoken", active_parameters="100 Gparameter"),
                    about("100"),
                    may_change=("training_tokens", "active_parameters"),
                )
                for tokens in ("200", "150")
            ),
        ),
    ),
    claim(
        "C31",
        "reversible layers remove nearly all memory of activations for one forward pass more",
        clause(
            "nearly all",
            reading(
                "80 layers, of which one is kept",
                ask("reversible_saving", "llama3-70b"),
                at_least("0.9"),
            ),
        ),
        clause(
            "for one forward pass more",
            reading(
                "forward passes", ask("recomputed_share", recomputation_factor=ask("reversible_factor")), about("1")
            ),
        ),
    ),
)
