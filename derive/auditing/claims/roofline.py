"""Claims about the roofline: the balance of a chip, and the batch that follows from it."""

from derive.auditing.claim import Claim, Reading, claim, clause, reading
from derive.auditing.criteria import Without, about, between, less_than, more_than
from derive.auditing.question import Question, Statement, ask

__all__ = ["CLAIMS"]

_BYTES = {"bf16": "2 byte/parameter", "fp8": "1 byte/parameter", "fp4": "0.5 byte/parameter"}


def _ratios(chip: str, *precisions: str) -> tuple[Reading, ...]:
    """A chip's ratio, as it is printed and as a batch in which weights have the bytes of the arithmetic."""
    plain = [
        reading(
            f"{chip}, FLOP for each byte at {precision}",
            ask("hardware_ratio", f"{chip}:{precision}"),
            about("300 FLOP/byte"),
        )
        for precision in precisions
    ]
    tokens = [
        reading(
            f"{chip}, tokens at {precision}, two FLOP a parameter",
            ask("balance_tokens", f"{chip}:{precision}", bytes_per_parameter=_BYTES[precision]),
            about("300 token"),
            may_change=("bytes_per_parameter", "peak_compute", "hbm_bandwidth"),
        )
        for precision in precisions
    ]
    return (*tokens, *plain)


_DEEPSEEK = ("deepseek-v3", "h800-sxm:fp8")
_SERVED = ask("batch", *_DEEPSEEK, "served-deepseek-2025", chips="144 chip")  # the decode unit of DeepSeek's service


def _cost_at(batch: str) -> Question:
    """Cost of a token of DeepSeek V3 at a batch; a lone token reads no more than its experts."""
    return ask("cost_per_token", *_DEEPSEEK, chips="72 chip", batch=batch, context="4 ktoken/sequence")


CLAIMS: tuple[Claim, ...] = (
    claim(
        "C01",
        "FLOPs over bandwidth is about 300 from A100 to Rubin, and has no dimension, since a multiply at "
        "fp4 takes half a byte",
        clause("about 300 on the A100", *_ratios("a100-sxm-80gb", "bf16"), *_ratios("a100-sxm-40gb", "bf16")),
        clause("about 300 on the H100", *_ratios("h100-sxm", "bf16", "fp8")),
        clause("about 300 on the B100", *_ratios("b100-sxm", "bf16", "fp8", "fp4")),
        clause("about 300 on Rubin", *_ratios("rubin-r200", "bf16", "fp8", "fp4")),
        clause(
            "it has no dimension",
            reading(
                "FLOP/s over byte/s",
                Statement("ratio = peak_compute/hbm_bandwidth", (("ratio", "1"),)),
            ),
            reading(
                "both counted in multiplications, of two FLOP and half a byte each",
                Statement(
                    "ratio = peak_compute*bytes_per_multiplication/(hbm_bandwidth*flops_per_multiply_add)",
                    (("ratio", "1"), ("bytes_per_multiplication", "byte")),
                ),
            ),
        ),
    ),
    claim(
        "C02",
        "DeepSeek V3 has its optimal batch at 300 x 8 = 2,400: 32 of 256 experts are active, 37 B of about 700 B "
        "parameters",
        clause(
            "a sparsity of 8",
            reading(
                "experts as the lecture counts them, 32 of 256",
                ask("expert_sparsity", experts="256", active_experts="32"),
                about("8"),
            ),
            reading(
                "experts as another source counts them, 6 of 256",
                ask("expert_sparsity", experts="256", active_experts="6"),
                about("8"),
                may_change=("active_experts", "experts"),
            ),
            reading(
                "experts as the model's file counts them",
                ask("expert_sparsity", "deepseek-v3"),
                about("8"),
                may_change=("active_experts", "experts"),
            ),
            reading(
                "parameters, which are what is read and computed",
                ask("sparsity", "deepseek-v3"),
                about("8"),
                may_change=("active_parameters", "total_parameters"),
            ),
        ),
        clause(
            "32 of 256 experts are active",
            reading(
                "sends of a token, counted from the model's file",
                ask("sends_per_token", "deepseek-v3"),
                about("32 1/token"),
                may_change=("active_experts",),
            ),
        ),
        clause(
            "about 37 B active",
            reading(
                "counted from the shapes",
                ask("latent_mixture_active_parameters", "deepseek-v3"),
                about("37 Gparameter"),
            ),
        ),
        clause(
            "about 700 B in total",
            reading(
                "counted from the shapes", ask("latent_mixture_parameters", "deepseek-v3"), about("700 Gparameter")
            ),
        ),
        clause(
            "an optimal batch of 2,400",
            reading(
                "300 and 8, as stated",
                ask("optimal_batch", balance_tokens="300 token", sparsity="8"),
                about("2400 sequence"),
            ),
            reading(
                "the model's parameters, on an H800 at fp8",
                ask("optimal_batch", *_DEEPSEEK),
                about("2400 sequence"),
                may_change=("active_parameters", "total_parameters", "peak_compute", "compute_efficiency"),
            ),
        ),
    ),
    claim(
        "C03",
        "real deployments run 2 to 3 times above the optimal batch, and a train carries 2,000 to 3,000 tokens",
        clause(
            "2 to 3 times above the optimal batch",
            reading(
                "DeepSeek's own service on 144 chips",
                ask("scaled_batch", batch=_SERVED, optimal_batch=ask("optimal_batch", *_DEEPSEEK)),
                between("2..3"),
            ),
            reading(
                "a train of 2,000 to 3,000 over the 2,400 of the lecture",
                ask("scaled_batch", batch="2000..3000 sequence", optimal_batch="2400 sequence"),
                between("2..3"),
                may_change=("batch", "optimal_batch"),
            ),
        ),
        clause(
            "a train carries 2,000 to 3,000 tokens",
            reading(
                "2 to 3 times the 2,400 of the lecture",
                ask("batch", optimal_batch="2400 sequence", scaled_batch="2..3"),
                between("2000..3000 sequence"),
                may_change=("scaled_batch", "optimal_batch"),
            ),
            reading(
                "the 2,400 themselves",
                ask("batch", optimal_batch="2400 sequence", scaled_batch="1"),
                between("2000..3000 sequence"),
            ),
            reading(
                "DeepSeek's own service on 144 chips",
                _SERVED,
                between("2000..3000 sequence"),
                may_change=("chips", "user_speed"),
            ),
        ),
    ),
    claim(
        "C08",
        "a token that is not batched costs up to about 1,000 times more",
        clause(
            "about 1,000 times more",
            reading(
                "DeepSeek V3 at a batch of 2,400, a lone token reading all the weights",
                ask(
                    "batching_gain",
                    "deepseek-v3",
                    "h800-sxm:fp8",
                    chips="72 chip",
                    batch="2400 sequence",
                    context="4 ktoken/sequence",
                ),
                about("1000"),
            ),
            reading(
                "DeepSeek V3 at a batch of 2,400, a lone token reading only its experts",
                ask(
                    "batching_gain",
                    lone_cost=_cost_at("1 sequence"),
                    cost_per_token=_cost_at("2400 sequence"),
                ),
                about("1000"),
            ),
            reading(
                "a dense model at its optimal batch",
                ask(
                    "batching_gain",
                    "llama3-70b",
                    "h100-sxm:fp8",
                    chips="8 chip",
                    batch="295 sequence",
                    context="100 token/sequence",
                ),
                about("1000"),
            ),
        ),
    ),
    claim(
        "C30",
        "counting the reading of the KV cache pushes the optimal batch higher",
        clause(
            "the optimal batch grows with the cache that is read",
            reading(
                "half the context at which reading the cache takes as long as computing",
                ask("kv_optimal_batch", optimal_batch="2400 sequence", scaled_context="0.5"),
                more_than("0"),
                response_to=("scaled_context",),
            ),
            reading(
                "twice that context: then no batch is large enough",
                ask("kv_optimal_batch", optimal_batch="2400 sequence", scaled_context="2"),
                more_than("2400 sequence"),
            ),
        ),
    ),
    claim(
        "C32",
        "the optimal batch depends on sparsity alone, and not on the scale of the model",
        clause(
            "not on the scale of the model",
            reading(
                "all parameters and the active ones grow alike",
                ask("optimal_batch", *_DEEPSEEK),
                about("0"),
                response_to=("total_parameters", "active_parameters"),
            ),
            reading(
                "and layers grow along, with the cache that they keep for a context",
                ask("kv_optimal_batch", *_DEEPSEEK, context="1 ktoken/sequence"),
                about("0"),
                response_to=("total_parameters", "active_parameters", "kv_bytes_per_token"),
            ),
        ),
        clause(
            "on sparsity alone",
            reading(
                "however many chips of one kind share it",
                ask("optimal_batch", balance_tokens="300 token", sparsity="8", chips="72 chip"),
                Without(("chips",)),
            ),
            reading(
                "and whatever kind they are, whose arithmetic may grow without their memory",
                ask("optimal_batch", *_DEEPSEEK),
                about("0"),
                response_to=("peak_compute",),
            ),
            reading(
                "and however long the context, whose cache is read too",
                ask("kv_optimal_batch", *_DEEPSEEK, context="1 ktoken/sequence"),
                about("0"),
                response_to=("context",),
            ),
        ),
    ),
    claim(
        "C34",
        "deployments sit above the balance point because the MFU that they reach lies below the roofline",
        clause(
            "the balance point rises as what is reached falls",
            reading(
                "what is reached of the arithmetic, as MFU has it",
                ask("optimal_batch", *_DEEPSEEK, compute_efficiency="0.5"),
                less_than("0"),
                response_to=("compute_efficiency",),
            ),
            reading(
                "what is reached of the bandwidth",
                ask("optimal_batch", *_DEEPSEEK, bandwidth_efficiency="0.5"),
                less_than("0"),
                response_to=("bandwidth_efficiency",),
            ),
        ),
    ),
)
