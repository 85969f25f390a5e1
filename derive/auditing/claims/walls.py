"""Claims about walls and trades: long contexts, what bandwidth allows, memory against compute."""

from derive.auditing.claim import Claim, claim, clause, reading
from derive.auditing.criteria import about, at_least, at_most, between, more_than
from derive.auditing.question import Question, ask

__all__ = ["CLAIMS"]


def _longest(name: str) -> Question:
    """The longest context of a model or a price sheet."""
    return ask("context", name, reservation_use="1")


def _readable(batch: str, kv: str) -> Question:
    """The context that a rack of Rubins reads in 20 ms, beside a trillion parameters of half a byte."""
    return ask(
        "readable_context",
        "rubin-r200",
        chips="72 chip",
        latency_budget="20 ms",
        total_parameters="1 Tparameter",
        bytes_per_parameter="0.5 byte/parameter",
        batch=batch,
        kv_bytes_per_token=kv,
    )


_DOMAINS = (
    ("h100-sxm", "8", "1"),
    ("h100-sxm", "8", "0.5"),
    ("h200-sxm", "8", "1"),
    ("gb200", "72", "1"),
    ("gb200", "72", "0.5"),
)

CLAIMS: tuple[Claim, ...] = (
    claim(
        "C28",
        "the quadratic compute of attention does not matter until about a million tokens",
        clause(
            "not until a million tokens",
            reading(
                "attention does as much as the parameters of",
                ask("attention_crossover"),
                at_least("1 Mtoken/sequence"),
                each=("active_parameters", "layers", "attention_heads", "head_dimension"),
                may_change=("active_parameters",),
            ),
            reading(
                "attention does as much as the parameters of",
                ask("latent_attention_crossover"),
                at_least("1 Mtoken/sequence"),
                each=(
                    "active_parameters",
                    "layers",
                    "attention_heads",
                    "content_dimension",
                    "rope_dimension",
                    "value_dimension",
                ),
                may_change=("active_parameters",),
            ),
            *(
                reading(
                    f"in decode, attention on an H100 takes less time to compute than to read the cache of {model}",
                    ask("attention_intensity", model),
                    at_most(ask("hardware_ratio", "h100-sxm:bf16")),
                )
                for model in ("llama3-1-405b", "qwen3-235b-a22b")
            ),
        ),
    ),
    claim(
        "C29",
        "sparse attention turns linear memory traffic into its square root",
        clause(
            "the square root",
            reading(
                "a selection that grows as the root of the context, found at no cost",
                ask(
                    "kv_time",
                    "h100-sxm",
                    chips="8 chip",
                    batch="32 sequence",
                    context="100 ktoken/sequence",
                    kv_bytes_per_token="70 kB/token",
                    selection_scale="40 token/sequence",
                    index_bytes_per_token="0 byte/token",
                ),
                about("0.5"),
                response_to=("context",),
            ),
            reading(
                "DeepSeek V3.2, which reads an index of all to select 2,048",
                ask(
                    "kv_time",
                    "deepseek-v3-2",
                    "h100-sxm",
                    chips="8 chip",
                    batch="32 sequence",
                    context="100 ktoken/sequence",
                ),
                about("0.5"),
                response_to=("context",),
            ),
        ),
    ),
    claim(
        "C39",
        "context went from the 8K of GPT-3 to 100 to 200k, and has stalled there",
        clause(
            "8K in GPT-3",
            reading("as published", _longest("gpt3-175b"), about("8192 token/sequence"), may_change=("context_limit",)),
        ),
        clause(
            "100 to 200k today",
            reading(
                "", ask("context", reservation_use="1"), between("100..200 ktoken/sequence"), each=("context_limit",)
            ),
        ),
        clause(
            "nothing longer",
            *(
                reading(name, _longest(name), at_most("200 ktoken/sequence"), may_change=("context_limit",))
                for name in ("llama4-scout", "gemini-2-5-pro-prices", "claude-opus-4-6-prices", "gpt-4-1-prices")
            ),
        ),
    ),
    claim(
        "C40",
        "100 M tokens of context are out of reach for want of bandwidth",
        clause(
            "out of reach of a rack of Rubins in 20 ms",
            *(
                reading(
                    f"a batch of {batch}, {kv} of cache a token",
                    _readable(f"{batch} sequence", f"{kv}/token"),
                    at_most("100 Mtoken/sequence"),
                    leaves_open={"batch": "1..10000 sequence", "kv_bytes_per_token": "1..100 kB/token"},
                )
                for batch, kv in (("2000", "2 kB"), ("1", "2 kB"), ("1", "70 kB"))
            ),
        ),
    ),
    claim(
        "C41",
        "to spend memory on saving compute, as the KV cache does, is usually the better trade; reversible layers "
        "do the reverse",
        clause(
            "the cache is the better trade",
            reading(
                "computing DeepSeek V3's cache again, over fetching it from the host",
                ask("rebuild_to_retrieve", "deepseek-v3", "h100-sxm:fp8", host_link_bandwidth="64 GB/s/chip"),
                more_than("1"),
            ),
            reading(
                "time for which keeping it in HBM costs as much as computing it again, beside a step of 20 ms",
                ask("hbm_hold_time", "deepseek-v3", "h100-sxm:fp8"),
                more_than("20 ms"),
            ),
            reading(
                "the same, beside the five minutes of a cached prompt",
                ask("hbm_hold_time", "deepseek-v3", "h100-sxm:fp8"),
                more_than("5 min"),
            ),
        ),
        clause(
            "reversible layers compute more",
            reading("operations with them over those without", ask("reversible_factor"), more_than("1")),
        ),
        clause(
            "and store less",
            reading("share of the activations of 80 layers", ask("reversible_saving", "llama3-70b"), more_than("0")),
        ),
    ),
    claim(
        "C42",
        "each decoded token needs a full load of the weights of its own",
        clause(
            "of its own",
            reading(
                "a sequence alone",
                ask("step_tokens_per_chip", batch="1 sequence", chips="1 chip"),
                about("1 token/chip"),
            ),
            reading(
                "a batch of 2,000, all served by one load",
                ask("step_tokens_per_chip", batch="2000 sequence", chips="1 chip"),
                about("1 token/chip"),
                leaves_open={"batch": "1..10000 sequence"},
            ),
        ),
        clause(
            "a full load",
            reading(
                "Llama 3 70B, a sequence alone",
                ask("bytes_read", "llama3-70b", batch="1 sequence", context="1 ktoken/sequence", read_share="1"),
                at_least(ask("weight_bytes", "llama3-70b")),
            ),
            reading(
                "DeepSeek V3, a sequence alone",
                ask("read_share", "deepseek-v3", batch="1 sequence"),
                about("1"),
                leaves_open={"batch": "1..10000 sequence"},
            ),
        ),
    ),
    claim(
        "C43",
        "models stayed near a trillion parameters because of memory and bandwidth inside the scale-up domain",
        clause(
            "about a trillion parameters fill the domain",
            *(
                reading(
                    f"{chips} of {chip}, {size} byte a parameter",
                    ask(
                        "parameter_capacity",
                        chip,
                        chips=f"{chips} chip",
                        bytes_per_parameter=f"{size} byte/parameter",
                        kv_bytes="0 byte",
                    ),
                    about("1 Tparameter"),
                )
                for chip, chips, size in _DOMAINS
            ),
        ),
        clause(
            "about a trillion parameters are read in 20 ms",
            *(
                reading(
                    f"{chips} of {chip}, {size} byte a parameter",
                    ask(
                        "total_parameters",
                        chip,
                        chips=f"{chips} chip",
                        weight_time="20 ms",
                        bytes_per_parameter=f"{size} byte/parameter",
                    ),
                    about("1 Tparameter"),
                )
                for chip, chips, size in _DOMAINS
            ),
        ),
    ),
)
