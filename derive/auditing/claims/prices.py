"""Claims about what prices give away: the cliff, the cache, output against input, tiers of memory."""

from derive.auditing.claim import Claim, claim, clause, reading
from derive.auditing.criteria import about, between
from derive.auditing.question import Question, ask

__all__ = ["CLAIMS"]

_DDR = ("ddr5-4800-12ch-socket", "ddr5-4800-8ch-socket", "ddr5-6400-12ch-socket", "ddr5-6400-typical-server")
_FLASH = ("nvme-gen5-30tb", "nvme-gen6-30tb", "nvme-gen4-qlc-122tb", "nvme-gen5-8x-node", "sata-ssd-8tb")
_DISKS = ("hdd-lecture", "hdd-exos-m-30tb", "hdd-exos-x24-24tb", "hdd-exos-x20-20tb")
_SPEEDS = ("tier_bandwidth", "tier_capacity")


def _cliff(*profiles: str, **given: str) -> Question:
    """Bytes of cache for which a model of 100 B active parameters has its crossover at 200k tokens."""
    return ask(
        "kv_bytes_per_token",
        *profiles,
        active_parameters="100 Gparameter",
        crossover_context="200 ktoken/sequence",
        **given,
    )


def _shared(layers_per_cache: str, size: str) -> Question:
    """Bytes of cache with 8 heads of 128 in 80 layers, of which some share one cache."""
    return ask(
        "kv_bytes_per_token",
        kv_heads="8",
        head_dimension="128",
        layers="80",
        layers_per_cache=layers_per_cache,
        kv_bytes_per_element=size,
        latent_size="0",
    )


CLAIMS: tuple[Claim, ...] = (
    claim(
        "C22",
        "a cliff at 200k tokens and 100 B active parameters give 1,667 bytes of KV cache a token, about 2 KB",
        clause(
            "1,667 bytes",
            reading(
                "300 tokens of balance, weights of 1 byte",
                _cliff(balance_tokens="300 token", bytes_per_parameter="1 byte/parameter"),
                about("1667 byte/token"),
            ),
            reading(
                "300 FLOP for each byte, two FLOP a parameter",
                _cliff(hardware_ratio="300 FLOP/byte"),
                about("1667 byte/token"),
                leaves_open={"hardware_ratio": "150..1200 FLOP/byte"},
                may_change=("flops_per_parameter", "active_parameters", "crossover_context"),
            ),
            reading(
                "300 tokens of balance, weights of half a byte",
                _cliff(balance_tokens="300 token", bytes_per_parameter="0.5 byte/parameter"),
                about("1667 byte/token"),
                leaves_open={"bytes_per_parameter": "0.5..2 byte/parameter"},
            ),
            reading("an H100 at fp8", _cliff("h100-sxm:fp8"), about("1667 byte/token")),
            reading(
                "a B200 at fp4",
                _cliff("b200-sxm:fp4"),
                about("1667 byte/token"),
                may_change=("peak_compute", "hbm_bandwidth", "active_parameters", "crossover_context"),
            ),
        ),
        clause(
            "about 2 KB",
            reading(
                "300 tokens of balance, weights of 1 byte",
                _cliff(balance_tokens="300 token", bytes_per_parameter="1 byte/parameter"),
                about("2 kB/token"),
            ),
        ),
    ),
    claim(
        "C23",
        "8 KV heads of 128 with caches shared across layers come to about 2 KB a token",
        clause(
            "about 2 KB",
            reading("one cache for all layers, 1 byte an element", _shared("80", "1 byte"), about("2 kB/token")),
            reading(
                "one cache for all layers, 2 byte an element",
                _shared("80", "2 byte"),
                about("2 kB/token"),
                leaves_open={"kv_bytes_per_element": "0.5..2 byte"},
            ),
            reading(
                "a cache for every 3 of 80 layers, 1 byte an element",
                _shared("3", "1 byte"),
                about("2 kB/token"),
                may_change=("layers_per_cache", "kv_heads", "head_dimension", "kv_bytes_per_element"),
            ),
        ),
    ),
    claim(
        "C24",
        "above the cliff a token costs 50 % more",
        clause(
            "50 % more",
            reading(
                "output of", ask("output_surcharge"), about("0.5"), each=("output_price", "output_price_above_cliff")
            ),
            reading("input of", ask("input_surcharge"), about("0.5"), each=("input_price", "input_price_above_cliff")),
        ),
    ),
    claim(
        "C25",
        "output costs 3 to 5 times as much as input, so that decode is memory-bound about 5 to 1, and its MFU is a "
        "fifth of that of prefill",
        clause(
            "3 to 5 times",
            reading("", ask("output_input_ratio"), between("3..5"), each=("output_price", "input_price")),
        ),
        clause(
            "an MFU of a fifth",
            *(
                reading(
                    f"at {ratio} times, if prefill computes all of the time",
                    ask("implied_decode_mfu", output_input_ratio=ratio),
                    about("0.2"),
                    leaves_open={"output_input_ratio": "3..5"},
                )
                for ratio in ("5", "3")
            ),
        ),
        clause(
            "memory-bound about 5 to 1",
            reading(
                "a decode MFU of a fifth",
                ask("memory_to_compute", mfu="0.2", compute_time="1 ms"),
                about("5"),
            ),
            reading(
                "DeepSeek's own service on 144 chips, at the rated bandwidth",
                ask(
                    "memory_to_compute",
                    "deepseek-v3",
                    "h800-sxm:fp8",
                    chips="144 chip",
                    context="4989 token/sequence",
                    batch=ask("batch", "served-deepseek-2025", chips="144 chip"),
                ),
                about("5"),
                may_change=("context",),
            ),
        ),
    ),
    claim(
        "C26",
        "HBM is drained in 20 ms, DDR in seconds, flash in about a minute, disk in about an hour; so caches for 5 "
        "minutes and for an hour lie on flash and on disk",
        clause(
            "20 ms for HBM",
            *(
                reading(chip, ask("drain_time", chip), about("20 ms"), may_change=("hbm_bandwidth",))
                for chip in ("h100-sxm", "b200-sxm", "rubin-r200")
            ),
        ),
        clause("seconds for DDR", *(reading(tier, ask("tier_drain_time", tier), between("1..20 s")) for tier in _DDR)),
        clause(
            "a minute for flash",
            *(reading(tier, ask("tier_drain_time", tier), about("1 min"), may_change=_SPEEDS) for tier in _FLASH),
        ),
        clause(
            "an hour for disk",
            *(reading(tier, ask("tier_drain_time", tier), about("1 h"), may_change=_SPEEDS) for tier in _DISKS),
        ),
        clause(
            "5 minutes match flash",
            *(
                reading(
                    tier, ask("matched_share", tier, hold_time="5 min"), about("1"), may_change=("hold_time", *_SPEEDS)
                )
                for tier in _FLASH
            ),
        ),
        clause(
            "an hour matches disk",
            *(
                reading(
                    tier, ask("matched_share", tier, hold_time="1 h"), about("1"), may_change=("hold_time", *_SPEEDS)
                )
                for tier in _DISKS
            ),
        ),
    ),
    claim(
        "C27",
        "a cache hit is about 10 times cheaper than a miss",
        clause(
            "about 10 times", reading("", ask("cache_discount"), about("10"), each=("cache_read_price", "input_price"))
        ),
    ),
)
