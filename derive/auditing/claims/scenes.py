"""What several claims say of one thing, to be asked for at once."""

from derive.auditing.scene import Scene, said

__all__ = ["SCENES"]

_AT_PEAK = (("bandwidth_efficiency", "1"), ("compute_efficiency", "1"), ("tokens_per_pass", "1 token/sequence"))

SCENES: tuple[Scene, ...] = (
    Scene(
        "one model on one rack",
        _AT_PEAK,
        (
            *said("C01", balance_tokens="300 token"),
            *said("C02", optimal_batch="2400 sequence"),
            *said("C02", printed=True, active_parameters="37 Gparameter", total_parameters="700 Gparameter"),
            *said("C03", batch="2000..3000 sequence", scaled_batch="2..3"),
        ),
    ),
    Scene(
        "one step of a rack",
        (),
        (
            *said("C05", printed=True, step_time="20 ms"),
            *said("C06", batch="2000 sequence", step_rate="64 1/s", throughput="128 ktoken/s"),
        ),
    ),
    Scene(
        "a fleet of such racks",
        (("fleet_utilisation", "1"),),
        (
            *said("C06", throughput="128 ktoken/s"),
            *said("C07", replicas="1000"),
            *said("C20", fleet_demand="500e6 token/s"),
        ),
    ),
    Scene(
        "the cliff of one model",
        (
            *_AT_PEAK,
            ("flops_per_parameter", "2 FLOP/parameter/token"),
            ("hbm_bandwidth", "1 TB/s/chip"),
        ),  # any chip will do
        (
            *said("C01", hardware_ratio="300 FLOP/byte"),
            *said("C22", printed=True, active_parameters="100 Gparameter", crossover_context="200 ktoken/sequence"),
            *said("C22", kv_bytes_per_token="1667 byte/token"),
        ),
    ),
    Scene(
        "one deployment, in units of its balance",
        (),
        (
            *said("C03", scaled_batch="2..3"),
            *said("C22", crossover_context="200 ktoken/sequence"),
            *said("C25", scaled_memory_time="5"),
            *said("C39", context="100..200 ktoken/sequence"),
        ),
    ),
    Scene(
        "a pipeline of 4 stages",
        (("step_time", "20 ms"), ("stages", "4")),
        (*said("C16", hop_time="2 ms", hop_delay="10 ms"), *said("C37", printed=True, pipeline_latency="20 ms")),
    ),
    Scene(
        "equal bills",
        (
            ("flops_per_parameter", "2 FLOP/parameter/token"),
            ("training_flops_per_parameter", "6 FLOP/parameter/token"),
            ("training_tokens", "1 Ttoken"),  # any number will do
        ),
        (
            *said("C18", inference_efficiency="0.1", served_per_trained="1"),
            *said("C18", printed=True, inference_bill_ratio="1"),
        ),
    ),
    Scene(
        "the life of one model of 100 B active parameters",
        (("active_parameters", "100 Gparameter"), ("chinchilla_ratio", "20 token/parameter")),
        (
            *said("C18", served_per_trained="1"),
            *said("C20", lifetime_tokens="200 Ttoken"),
            *said("C21", training_tokens="150 Ttoken", over_training="100"),
        ),
    ),
    Scene(
        "a cache on flash",
        (),
        (
            *said("C26", tier_drain_time="1 min", matched_share="1"),
            *said("C26", printed=True, hold_time="5 min"),
        ),
    ),
    Scene(
        "weights that each token loads for itself, in full, from DeepSeek V3",
        (
            ("experts", "256"),
            ("active_experts", "8"),
            ("tokens_per_pass", "1 token/sequence"),
            ("one_token", "1 token"),
        ),
        (
            *said("C42", printed=True, batch="1 sequence"),
            *said("C42", expert_read_share="0.99"),
        ),
    ),
    Scene(
        "generations of scale-up domains",
        (),
        (*said("C35", printed=True, chips="72 chip", scale_up_domain="8 chip"), *said("C36", racks="8")),
    ),
)
