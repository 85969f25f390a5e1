"""Claims about the menu: trains and their cadence, what a rack serves, and what speed and waiting cost."""

from derive.auditing.claim import Claim, claim, clause, reading
from derive.auditing.criteria import Impossible, about, at_least, at_most, between, less_than
from derive.auditing.question import ask

__all__ = ["CLAIMS"]

_RUBIN_DRAIN = ask("drain_time", "rubin-lecture")


CLAIMS: tuple[Claim, ...] = (
    claim(
        "C04",
        "Rubin reads its 288 GB at 20 TB/s in about 15 ms; on Hopper and Blackwell it takes 15 to 20 ms",
        clause(
            "about 15 ms on Rubin",
            reading("at the lecture's 20 TB/s", _RUBIN_DRAIN, about("15 ms")),
            reading("at the 22 TB/s of its maker", ask("drain_time", "rubin-r200"), about("15 ms")),
        ),
        clause(
            "15 to 20 ms on Hopper",
            *(
                reading(
                    chip, ask("drain_time", chip), between("15..20 ms"), may_change=("hbm_bandwidth", "hbm_capacity")
                )
                for chip in ("h100-sxm", "h200-sxm")
            ),
        ),
        clause(
            "15 to 20 ms on Blackwell",
            *(
                reading(
                    chip, ask("drain_time", chip), between("15..20 ms"), may_change=("hbm_bandwidth", "hbm_capacity")
                )
                for chip in ("b100-sxm", "b200-sxm", "gb200", "b300-sxm", "gb300")
            ),
        ),
    ),
    claim(
        "C05",
        "at a cadence of 20 ms the worst case of queueing is 40 ms",
        clause(
            "at worst 40 ms",
            reading("the wait for the next train and the ride", ask("worst_latency", cadence="20 ms"), about("40 ms")),
            reading("the wait alone", ask("worst_wait", cadence="20 ms"), about("40 ms"), may_change=("cadence",)),
        ),
    ),
    claim(
        "C06",
        "1/20 ms is about 64 a second, so that a rack with a batch of 2,000 serves about 128k tokens a second",
        clause(
            "about 64 steps a second",
            reading(
                "steps of 20 ms, as stated",
                ask("step_rate", step_time="20 ms"),
                about("64 1/s"),
                may_change=("step_time",),
            ),
            reading("steps of 15 ms, as the drain time of Rubin", ask("step_rate", step_time="15 ms"), about("64 1/s")),
        ),
        clause(
            "about 128k tokens a second",
            reading(
                "64 steps a second",
                ask("throughput", batch="2000 sequence", step_rate="64 1/s"),
                about("128 ktoken/s"),
            ),
            reading(
                "steps of 20 ms",
                ask("throughput", batch="2000 sequence", step_time="20 ms"),
                about("128 ktoken/s"),
                may_change=("batch", "step_time"),
            ),
        ),
    ),
    claim(
        "C07",
        "hundreds of millions of tokens a second take about 1,000 such racks",
        clause(
            "about 1,000 racks of 128k tokens a second",
            *(
                reading(
                    f"{demand} tokens a second",
                    ask("replicas", fleet_demand=f"{demand} token/s", throughput="128 ktoken/s"),
                    about("1000"),
                    leaves_open={"fleet_utilisation": "0.5..1"},
                    may_change=("throughput",),
                )
                for demand in ("100e6", "200e6", "500e6")
            ),
        ),
        clause(
            "1,000 racks serve hundreds of millions",
            reading(
                "all of the time",
                ask("fleet_demand", replicas="1000", throughput="128 ktoken/s"),
                between("100e6..999e6 token/s"),
            ),
        ),
    ),
    claim(
        "C09",
        "six times the price for 2.5 times the speed comes from a smaller batch",
        clause(
            "the batch is smaller",
            reading(
                "the ratios as stated",
                ask("fast_batch_ratio", fast_price_ratio="6", fast_speed_ratio="2.5"),
                less_than("1"),
            ),
            reading(
                "the price sheet of Opus 4.6",
                ask("fast_batch_ratio", "claude-opus-4-6-prices"),
                less_than("1"),
            ),
        ),
        clause(
            "a smaller batch can be so much faster",
            reading(
                "the share of weights in a step that memory fills",
                ask("weight_share", fast_price_ratio="6", fast_speed_ratio="2.5", memory_share="1"),
                at_most("1"),
            ),
            reading(
                "DeepSeek V3 on a rack, 2,000 sequences of 4k tokens",
                ask(
                    "fast_speed_limit",
                    "deepseek-v3",
                    "gb200:fp8",
                    chips="72 chip",
                    batch="2000 sequence",
                    context="4 ktoken/sequence",
                ),
                at_least("2.5"),
                leaves_open={"context": "1000..200000 token/sequence"},
            ),
        ),
    ),
    claim(
        "C10",
        "a slow mode that is ten times cheaper is impossible",
        clause(
            "impossible",
            reading(
                "beside a normal mode that computes all of the time",
                ask("kv_share", slow_discount="10", mfu="1"),
                Impossible(),
            ),
            reading(
                "beside one whose steps read weights for half of the time",
                ask("slow_discount", weight_share="0.5", memory_share="1", mfu="0.5"),
                less_than("10"),
            ),
            reading(
                "beside one of 20 sequences of 4k tokens of DeepSeek V3 on a rack",
                ask(
                    "slow_discount",
                    "deepseek-v3",
                    "gb200:fp8",
                    chips="72 chip",
                    batch="20 sequence",
                    context="4 ktoken/sequence",
                ),
                less_than("10"),
            ),
        ),
    ),
    claim(
        "C33",
        "it is physically impossible to run trains faster than the drain time",
        clause(
            "impossible",
            reading(
                "a step that reads all of the memory",
                ask("hbm_read_share", cadence="10 ms", drain_time="20 ms", hbm_read_share="1"),
                Impossible(),
            ),
            reading(
                "a step that reads as much as it needs",
                ask("hbm_read_share", cadence="10 ms", drain_time="20 ms"),
                Impossible(),
            ),
            reading(
                "DeepSeek V3 with a batch of 2,000 on a rack",
                ask(
                    "cadence",
                    "deepseek-v3",
                    "gb200",
                    chips="72 chip",
                    batch="2000 sequence",
                    context="4 ktoken/sequence",
                ),
                at_least(ask("drain_time", "gb200")),
                leaves_open={"batch": "1..100000 sequence", "context": "100..1000000 token/sequence"},
            ),
        ),
    ),
)
