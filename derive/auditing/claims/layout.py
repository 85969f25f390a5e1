"""Claims about layout: experts, scale-up domains, pipelines, and what the network between them bears."""

from derive.auditing.claim import Claim, claim, clause, reading
from derive.auditing.criteria import Without, about, at_least, between
from derive.auditing.question import Question, ask

__all__ = ["CLAIMS"]


def _domain(chip: str) -> Question:
    """Chips that the scale-up network of a chip joins."""
    return ask("chips", chip, racks="1")


def _read(chip: str, chips: str) -> Question:
    """Time in which chips read a terabyte of weights."""
    return ask("weight_time", chip, chips=chips, weight_bytes="1 TB")


def _faster(before: str, after: str) -> Question:
    """How many times the bandwidth of one chip has grown."""
    return ask("speed_up", baseline_time=_read(before, "1 chip"), present_time=_read(after, "1 chip"))


def _piped(**given: str) -> Question:
    return ask("pipeline_latency", step_time="20 ms", stages="4", **given)


_CROSSING = ask(
    "transfer_time",
    transfer_bytes=ask("boundary_bytes", "deepseek-v3", batch="2000 sequence", activation_bytes_per_element="2 byte"),
    link_bandwidth=ask("domain_egress", "gb200", chips="72 chip"),
)

_ALL_IN_EXPERTS = ask("routed_parameters", expert_parameters="370 Mparameter", experts="64", expert_layers="1")

CLAIMS: tuple[Claim, ...] = (
    claim(
        "C11",
        "64 experts with 370 M active parameters equal 1.3 B dense: about 4 times saved, for 64 times the parameters",
        clause(
            "about 4 times saved",
            reading(
                "the dense equivalent over the active parameters",
                ask("compute_return", dense_equivalent="1.3 Gparameter", active_parameters="370 Mparameter"),
                about("4"),
            ),
        ),
        clause(
            "64 times the parameters",
            reading(
                "of the active ones, if all are in experts",
                ask("sparsity", total_parameters=_ALL_IN_EXPERTS, active_parameters="370 Mparameter"),
                about("64"),
            ),
            reading(
                "of the dense model that it equals, if all are in experts",
                ask("sparsity", total_parameters=_ALL_IN_EXPERTS, active_parameters="1.3 Gparameter"),
                about("64"),
                may_change=("active_parameters", "total_parameters/experts"),
            ),
        ),
    ),
    claim(
        "C12",
        "the scale-out network is about 8 times slower than the scale-up network",
        clause(
            "about 8 times slower",
            reading(
                "",
                ask("scale_out_slowdown"),
                about("8"),
                each=("scale_up_bandwidth", "scale_out_bandwidth"),
                may_change=("scale_out_bandwidth", "scale_up_bandwidth"),
            ),
        ),
    ),
    claim(
        "C13",
        "from 8 to 72 GPUs weights are read nearly 10 times as fast; 8 Hoppers hold 640 GB, a Blackwell rack 10 to 20 "
        "TB, which is enough for 5 T parameters and their users",
        clause(
            "nearly 10 times as fast",
            reading(
                "the number of GPUs",
                ask("speed_up", baseline_time=_read("h100-sxm", "8 chip"), present_time=_read("h100-sxm", "72 chip")),
                about("10"),
            ),
        ),
        clause(
            "8 Hoppers hold 640 GB",
            reading("h100-sxm", ask("domain_capacity", "h100-sxm", chips="8 chip"), about("640 GB")),
        ),
        clause(
            "a Blackwell rack holds 10 to 20 TB",
            reading("gb200-nvl72", ask("domain_capacity", "gb200", chips="72 chip"), between("10..20 TB")),
            reading(
                "gb300-nvl72",
                ask("domain_capacity", "gb300", chips="72 chip"),
                between("10..20 TB"),
                may_change=("chips", "hbm_capacity"),
            ),
        ),
        clause(
            "enough for 5 T parameters and 2,000 users with 100k tokens each",
            *(
                reading(
                    f"at {kv} bytes of cache a token, weights of 1 byte",
                    ask(
                        "batch_capacity",
                        "gb200",
                        chips="72 chip",
                        total_parameters="5 Tparameter",
                        bytes_per_parameter="1 byte/parameter",
                        kv_bytes_per_token=f"{kv} byte/token",
                        context="100 ktoken/sequence",
                    ),
                    at_least("2000 sequence"),
                    leaves_open={"bytes_per_parameter": "0.5..2 byte/parameter", "context": "1..200 ktoken/sequence"},
                )
                for kv in ("2000", "70272")
            ),
        ),
    ),
    claim(
        "C14",
        "a model of a trillion parameters needs about 1 TB",
        clause(
            "about 1 TB",
            *(
                reading(
                    f"{size} byte a parameter",
                    ask("weight_bytes", total_parameters="1 Tparameter", bytes_per_parameter=f"{size} byte/parameter"),
                    about("1 TB"),
                    leaves_open={"bytes_per_parameter": "0.5..2 byte/parameter"},
                )
                for size in ("1", "2", "0.5")
            ),
        ),
    ),
    claim(
        "C15",
        "256 experts on 64 GPUs are 4 on each; across two racks half the tokens cross",
        clause(
            "4 on each",
            reading(
                "", ask("experts_per_chip", experts="256", redundant_experts="0", chips="64 chip"), about("4 1/chip")
            ),
        ),
        clause(
            "half the tokens cross",
            reading("sends, one for each of a token's experts", ask("crossing_share", racks="2"), about("0.5")),
            reading(
                "tokens, each with 8 experts",
                ask("token_crossing_share", racks="2", active_experts="8"),
                about("0.5"),
                may_change=("active_experts",),
            ),
        ),
    ),
    claim(
        "C16",
        "pipelining leaves the KV memory of a GPU unchanged; 4 stages with 2 ms a hop add about 10 ms",
        clause(
            "KV memory of a GPU unchanged",
            reading(
                "every stage has a batch of its own in flight",
                ask(
                    "kv_bytes_per_chip",
                    stages="4",
                    chips="8 chip",
                    batch="500 sequence",
                    kv_bytes_per_sequence="1 GB/sequence",
                ),
                Without(("stages",)),
            ),
            reading(
                "the stages share one batch",
                ask(
                    "kv_bytes_per_chip",
                    stages="4",
                    chips="8 chip",
                    pipeline_batch="500 sequence",
                    kv_bytes_per_sequence="1 GB/sequence",
                ),
                about("0"),
                response_to=("stages",),
            ),
        ),
        clause(
            "about 10 ms",
            reading(
                "a hop from each stage, the last one back to the first",
                ask("hop_delay", stages="4", hop_time="2 ms"),
                about("10 ms"),
            ),
            reading(
                "a hop between stages only",
                ask("hop_delay", hops="3", hop_time="2 ms"),
                about("10 ms"),
                leaves_open={"hops": "3..5"},
            ),
        ),
    ),
    claim(
        "C35",
        "scale-up domains have 8 chips in Hopper, 72 in Blackwell, about 500 in Rubin",
        clause("8 in Hopper", reading("h100-sxm", _domain("h100-sxm"), about("8 chip"))),
        clause(
            "72 in Blackwell",
            reading("gb200", _domain("gb200"), about("72 chip")),
            reading("b200-sxm", _domain("b200-sxm"), about("72 chip"), may_change=("scale_up_domain",)),
        ),
        clause(
            "about 500 in Rubin",
            reading("rubin-r200", _domain("rubin-r200"), about("500 chip"), may_change=("scale_up_domain",)),
        ),
    ),
    claim(
        "C36",
        "the bandwidth of a chip grew 1.5 to 2 times a generation, the scale-up domain 8 times",
        *(
            clause(
                f"1.5 to 2 times from {before} to {after}",
                reading(
                    f"{before}, {after}",
                    _faster(before, after),
                    between("1.5..2"),
                    may_change=("present_time/hbm_bandwidth", "baseline_time/hbm_bandwidth"),
                ),
            )
            for before, after in (("a100-sxm-80gb", "h100-sxm"), ("h100-sxm", "b200-sxm"), ("b200-sxm", "rubin-r200"))
        ),
        clause(
            "the domain 8 times, from Hopper to Blackwell",
            reading(
                "72 over 8",
                ask("racks", chips=_domain("gb200"), scale_up_domain=_domain("h100-sxm")),
                about("8"),
            ),
        ),
    ),
    claim(
        "C37",
        "pipelining leaves the latency of inference unchanged",
        clause(
            "unchanged",
            reading(
                "hops of 2 ms",
                ask("speed_up", baseline_time="20 ms", present_time=_piped(hop_time="2 ms")),
                between("0.95..1.05"),
                leaves_open={"present_time/hop_time": "0.001..10 ms"},
            ),
            reading(
                "hops as long as 2,000 activations take on the network between racks of 72",
                ask(
                    "speed_up",
                    baseline_time="20 ms",
                    present_time=ask("pipeline_latency", step_time="20 ms", stages="4", hop_time=_CROSSING),
                ),
                between("0.95..1.05"),
            ),
        ),
    ),
    claim(
        "C38",
        "a boundary between stages carries one activation, and so bears the slower scale-out network",
        clause(
            "the traffic is less by more than the network is slower",
            *(
                reading(
                    f"DeepSeek V3 in {stages} stages: bytes among experts over bytes at the boundary, on {chip}",
                    ask(
                        "stage_exchange_ratio",
                        "deepseek-v3",
                        stages=stages,
                        dispatch_bytes_per_element="1 byte",
                        combine_bytes_per_element="2 byte",
                        activation_bytes_per_element="2 byte",
                    ),
                    at_least(ask("scale_out_slowdown", chip)),
                    leaves_open={"stages": "2..58"},
                )
                for stages, chip in (("4", "gb200"), ("4", "rubin-r200"))
            ),
        ),
    ),
)
