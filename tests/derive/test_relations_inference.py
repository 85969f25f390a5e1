"""Worked numbers of serving: what papers and price sheets print, asked forwards, and each given asked back."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import derive
from derive.expressions.tree import Name
from derive.tokens.relations import subjects
from tests.ordinary import every, one_in

SUBJECTS = (
    "roofline", "costs", "cache", "capacity", "schedule", "menu", "experts", "network", "pipeline", "context",
    "serving", "revenue", "prices", "tiers", "readings", "speculation", "classic", "silicon", "matrices",
)  # fmt: skip

LECTURE = "R. Pope with D. Patel, blackboard lecture, April 2026"
BOOK = "Austin et al., How to Scale Your Model, 2025"
OVERVIEW = "DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025"
INSIGHTS = "DeepSeek-AI, arXiv 2505.09343"
TENSOR = "Tensor Economics, LLM inference economics from first principles, 2025"
CHEN = "C. Chen, Transformer Inference Arithmetic, 2022"
LEVIATHAN = "Leviathan et al., arXiv 2211.17192, table 1"
PAGED = "Kwon et al., arXiv 2309.06180"
HANDOVER = "Zhong et al., arXiv 2401.09670, section 3.3"
FLEXGEN = "Sheng et al., arXiv 2303.06865, section 3"
POPE = "Pope et al., arXiv 2211.05102"
BASETEN = "V. Shenoy and P. Kiely, A guide to LLM inference and performance, Baseten, 2023"
DATABRICKS = "Agarwal et al., LLM Inference Performance Engineering, 2023"
SHEET = "arithmetic on a public price sheet"
OWN = "worked by hand"
COUNTED = f"worked by hand from {OVERVIEW}"


class Case(NamedTuple):
    name: str
    source: str
    target: str
    expected: str
    within: float
    given: dict[str, str | float]


def case(name: str, source: str, target: str, expected: str | float, within: float, **given: str | float) -> Case:
    return Case(name, source, target, str(expected), within, given)


V5E = {"hbm_capacity": "16 GB/chip", "hbm_bandwidth": "820 GB/s/chip"}
EXCHANGE = {
    "step_tokens_per_chip": "32 token/chip",
    "sends_per_token": "9 1/token",
    "hidden_size": 7000,
    "dispatch_bytes_per_element": "1 byte",
    "combine_bytes_per_element": "2 byte",
}
BALANCED = {
    "peak_compute": "1000 TFLOP/s/chip",
    "hbm_bandwidth": "4 TB/s/chip",
    "active_parameters": "50 Gparameter",
    "total_parameters": "400 Gparameter",
    "bytes_per_parameter": "1 byte/parameter",
}

CASES = [
    # The roofline
    case("optimal_batch", LECTURE, "optimal_batch", "2400 sequence", 1e-9, balance_tokens="300 token", sparsity=8),
    case("active_share", LECTURE, "optimal_batch", "2400 sequence", 1e-9, balance_tokens="300 token",
         active_share=0.125),
    case("balance", BOOK, "balance_tokens", "240 token", 2e-3, peak_compute="197 TFLOP/s/chip",
         hbm_bandwidth="820 GB/s/chip", bytes_per_parameter="2 byte/parameter"),
    case("quantized_balance", BOOK, "balance_tokens", "120 token", 2e-3, peak_compute="197 TFLOP/s/chip",
         hbm_bandwidth="820 GB/s/chip", bytes_per_parameter="1 byte/parameter"),
    case("weights", TENSOR, "weight_bytes", "141 GB", 2e-3, total_parameters="70553706496 parameter",
         bytes_per_parameter="2 byte/parameter"),
    case("weight_latency", BOOK, "weight_time", "1.4 ms", 0.02, weight_bytes="18.4 GB", chips="16 chip",
         hbm_bandwidth="810 GB/s/chip"),
    case("train", LECTURE, "throughput", "128000 token/s", 1e-9, batch="2000 sequence", step_rate="64 Hz"),
    case("decode_of_13b", BOOK, "memory_throughput", "4529.34 token/s", 1e-5, batch="240 sequence",
         weight_bytes="26 GB", kv_bytes_per_sequence="1.34 GB/sequence", chips="8 chip", hbm_bandwidth="820 GB/s/chip"),
    case("bandwidth_use", DATABRICKS, "mbu", 0.5, 1e-9, bytes_read="14 GB", step_time="14 ms", chips="1 chip",
         hbm_bandwidth="2 TB/s/chip"),
    case("in_turns", BOOK, "sequential_step_time", "21 ms", 0.02, batch="256 sequence", chips="16 chip",
         kv_bytes_per_sequence="819 MB/sequence", hbm_bandwidth="810 GB/s/chip", weight_bytes="30 GB",
         active_parameters="30 Gparameter", peak_compute="197 TFLOP/s/chip"),
    case("both_terms", OWN, "scaled_step_time", 1.25, 1e-9, scaled_batch=2, scaled_context=0.75),
    case("kv_moves_the_optimum", OWN, "kv_optimal_batch", "3200 sequence", 1e-9, optimal_batch="2400 sequence",
         scaled_context=0.25),
    case("classic", CHEN, "classic_weight_time", "8.4 ms", 3e-3, layers=40, hidden_size=5120, chips="2 chip",
         bytes_per_parameter="2 byte/parameter", hbm_bandwidth="1.5 TB/s/chip"),
    case("ridge", CHEN, "balance_tokens", "208 token", 1e-9, peak_compute="312 TFLOP/s/chip",
         hbm_bandwidth="1.5 TB/s/chip", bytes_per_parameter="2 byte/parameter"),
    # What it costs
    case("chip_time", POPE, "chip_time_per_token", "0.029 chip*s/token", 1e-9, chips="64 chip", step_time="29 ms",
         batch="64 sequence"),
    case("unbatched", OWN, "lone_cost", "1.1875 USD/Mtoken", 1e-9, compute_cost="0.05 USD/Mtoken",
         weight_cost="0.01875 USD/Mtoken", batch="63 sequence", kv_cost="0.00625 USD/Mtoken"),
    case("idle_chips", OWN, "loaded_cost", "2 USD/Mtoken", 1e-9, cost_per_token="1 USD/Mtoken", fleet_utilisation=0.5),
    # The cache
    case("grouped", "Llama team, arXiv 2407.21783, table 3", "kv_bytes_per_token", "516096 byte/token", 1e-9,
         layers=126, kv_heads=8, head_dimension=128, kv_bytes_per_element="2 byte"),
    case("latent", INSIGHTS, "kv_bytes_per_token", "70272 byte/token", 1e-9, layers=61, latent_size=512,
         rope_dimension=64, kv_bytes_per_element="2 byte"),
    case("one_cache_for_all_layers", LECTURE, "kv_bytes_per_token", "2048 byte/token", 1e-9, kv_layers=1, kv_heads=8,
         head_dimension=128, kv_bytes_per_element="1 byte"),
    case("opt_13b", PAGED, "kv_bytes_per_token", "800 KiB/token", 1e-9, layers=40, kv_heads=40, head_dimension=128,
         kv_bytes_per_element="2 byte"),
    case("kv_beside_weights", FLEXGEN, "kv_to_weights", 3.8, 0.01, kv_bytes="1.195 TiB", weight_bytes="324 GiB"),
    case("windows", OWN, "kv_bytes_per_sequence", "120 MB/sequence", 1e-9, kv_bytes_per_layer="1 kB/token",
         layers=60, global_layers=10, context="7 ktoken/sequence", attention_window="1 ktoken/sequence"),
    case("selection", OWN, "kv_read_share", 0.35, 1e-9, selected_tokens="2 ktoken/sequence",
         context="8 ktoken/sequence", kv_bytes_per_token="70 kB/token", index_bytes_per_token="7 kB/token"),
    case("square_root", LECTURE, "selected_tokens", "10 ktoken/sequence", 1e-9, context="1 Mtoken/sequence",
         selection_scale="100 token/sequence"),
    case("prefix", OWN, "shared_kv_bytes", "520 MB/sequence", 1e-9, context="10 ktoken/sequence",
         prefix_tokens="6 ktoken/sequence", prefix_sharers=5, kv_bytes_per_token="100 kB/token"),
    case("microscaling", "OCP Microscaling Formats, version 1.0", "bytes_per_parameter", "4.25 bit/parameter", 1e-9,
         code_bytes_per_parameter="4 bit/parameter", scale_bytes="8 bit", scale_group="32 parameter"),
    # What fits
    case("batch_capacity", BOOK, "batch_capacity", "43 sequence", 0.02, chips="16 chip", weight_bytes="140 GB",
         hbm_capacity="16 GB/chip", kv_bytes_per_sequence="2.654 GB/sequence"),
    case("smallest_slice", BOOK, "weight_chips", "8.75 chip", 1e-9, total_parameters="70 Gparameter",
         bytes_per_parameter="2 byte/parameter", hbm_capacity="16 GB/chip"),
    case("weights_on_two", TENSOR, "weight_memory_share", 0.88, 3e-3, weight_bytes="141 GB", domain_capacity="160 GB"),
    case("slots", PAGED + ", table 1", "token_capacity", "15.7 ktoken", 0.01, kv_capacity="12 GiB",
         kv_bytes_per_token="800 KiB/token"),
    case("head_sharding", POPE + ", table 1", "kv_ways", 32, 0.02, split_context="43000 token/sequence",
         replicated_context="1320 token/sequence"),
    # Trains
    case("drain", LECTURE, "drain_time", "14.4 ms", 1e-9, hbm_capacity="288 GB/chip", hbm_bandwidth="20 TB/s/chip"),
    case("full_memory", BOOK, "drain_time", "19.5 ms", 1e-3, **V5E),
    case("worst_wait", LECTURE, "worst_latency", "40 ms", 1e-9, cadence="20 ms"),
    case("racks", LECTURE, "replicas", 1000, 0.03, fleet_demand="128 Mtoken/s", throughput="128 ktoken/s"),
    case("in_flight", OVERVIEW, "sequences_in_flight", "92593 sequence", 1e-3, all_output_tokens="168 Gtoken",
         user_speed="21 token/s/sequence"),
    # The menu
    case("fast_batch", LECTURE, "fast_batch_ratio", 1 / 15, 1e-9, fast_price_ratio=6, fast_speed_ratio=2.5),
    case("fast_share", LECTURE, "kv_share", 9 / 14, 1e-9, fast_price_ratio=6, fast_speed_ratio=2.5, memory_share=1),
    case("slow", OWN, "slow_discount", 1.25, 1e-9, mfu=0.5, kv_share=0.8),
    # Experts
    case("sparsity_pays", LECTURE, "return_exponent", 0.302, 2e-3, dense_equivalent="1.3 Gparameter",
         active_parameters="370 Mparameter", experts=64),
    case("four_experts", LECTURE, "experts_per_chip", "4 1/chip", 1e-9, experts=256, chips="64 chip"),
    case("redundant", OVERVIEW, "experts_per_chip", "2 1/chip", 1e-9, experts=256, redundant_experts=32,
         chips="144 chip"),
    case("half_cross", LECTURE, "crossing_share", 0.5, 1e-9, racks=2),
    case("scale_out", INSIGHTS, "crossing_time", "120.96 us", 1e-9, **EXCHANGE, crossing_share=1,
         scale_out_bandwidth="50 GB/s/chip"),
    case("scale_up", INSIGHTS, "exchange_time", "6.72 us", 1e-9, **EXCHANGE, remote_share=1,
         scale_up_bandwidth="900 GB/s/chip"),
    case("all_layers", INSIGHTS, "communication_time", "14.76 ms", 1e-3, exchange_time="120.96 us", expert_layers=61,
         overlapped_batches=2),
    case("all_read", OWN, "experts_read", 150, 0.01, experts=256, active_experts=8, batch="28 sequence"),
    # Stages
    case("bubble", "Narayanan et al., arXiv 2104.04473, section 2.2", "bubble_share", 3 / 11, 1e-9, stages=4,
         micro_batches=8),
    case("hops", LECTURE, "hop_delay", "8 ms", 1e-9, hops=4, hop_time="2 ms"),
    # Long contexts
    case("cliff", LECTURE, "implied_kv_bytes_per_token", "1692.86 byte/token", 1e-5, active_parameters="100 Gparameter",
         price_cliff="200 ktoken/sequence", peak_compute="1978.9 TFLOP/s/chip", hbm_bandwidth="3.35 TB/s/chip"),
    case("cliff_by_ratio", LECTURE, "kv_bytes_per_token", "1667 byte/token", 1e-3, hardware_ratio="300 FLOP/byte",
         active_parameters="100 Gparameter", crossover_context="200 ktoken/sequence",
         flops_per_parameter="1 FLOP/parameter/token"),
    # A request
    case("prefill", BOOK, "prefill_time", "0.91 s", 2e-3, active_parameters="70 Gparameter", chips="16 chip",
         prompt_tokens="8192 token/sequence", peak_compute="197 TFLOP/s/chip", prefill_efficiency=0.4),
    case("queries", BOOK, "request_rate", "4.42 sequence/s", 1e-3, batch="43 sequence", step_time="19 ms",
         output_tokens="512 token/sequence"),
    case("eviction", BOOK, "evicted_tokens", "96 token", 1e-9, batch="32 sequence",
         prompt_tokens="8192 token/sequence", output_tokens="4096 token/sequence"),
    case("latency", POPE + ", table 2", "time_per_output_token", "29 ms*sequence/token", 0.025,
         generation_time="1.82 s", output_tokens="64 token/sequence"),
    case("queue", OWN, "queue_time", "0.15 s", 1e-9, prefill_time="0.1 s", server_arrival_rate="7.5 sequence/s"),
    case("handover", HANDOVER, "handover_bytes", "1.13 GiB/sequence", 5e-3, prompt_tokens="512 token/sequence",
         layers=64, kv_heads=72, head_dimension=128, kv_bytes_per_element="2 byte"),
    case("handover_traffic", HANDOVER, "handover_traffic", "11.3 GB/s", 1e-9, arrival_rate="10 sequence/s",
         handover_bytes="1.13 GB/sequence"),
    # The accounts
    case("hits", OVERVIEW, "cache_hit_rate", 0.563, 2e-3, cached_input_tokens="342 Gtoken",
         all_input_tokens="608 Gtoken"),
    case("day", OVERVIEW, "revenue", "562027 USD", 5e-4, cached_input_tokens="342 Gtoken",
         uncached_input_tokens="266 Gtoken", all_output_tokens="168 Gtoken", cache_read_price="0.14 USD/Mtoken",
         input_price="0.55 USD/Mtoken", output_price="2.19 USD/Mtoken"),
    case("rent", OVERVIEW, "serving_cost", "87072 USD", 1e-5, nodes=226.75, chips_per_node="8 chip",
         chip_price="2 USD/h/chip"),
    case("margin", OVERVIEW, "markup", 5.45, 1e-3, revenue="562027 USD", serving_cost="87072 USD"),
    case("charged", TENSOR, "charged_price", "1.72 USD/Mtoken", 0.01, fleet_rent="0.0028 USD/s", request_time="8.96 s",
         batch="16 sequence", prompt_tokens="2035 token/sequence", output_tokens="300 token/sequence",
         input_charge=0.3),
    # Prices
    case("five_minutes", SHEET, "write_premium_5min", 1.25, 1e-9, cache_write_price_5min="6.25 USD/Mtoken",
         input_price="5 USD/Mtoken"),
    case("one_hit", SHEET, "break_even_reads_5min", 5 / 18, 1e-9, write_premium_5min=1.25, cache_read_ratio=0.1),
    case("storage", SHEET, "implied_storage_price", 3.75 / 55 * 60, 1e-9, cache_write_price_1h="10 USD/Mtoken",
         cache_write_price_5min="6.25 USD/Mtoken"),
    case("decode_mfu", LECTURE, "implied_decode_mfu", 0.2, 1e-9, output_price="25 USD/Mtoken",
         input_price="5 USD/Mtoken"),
    case("surcharge", LECTURE, "output_surcharge", 0.5, 1e-9, output_price="10 USD/Mtoken",
         output_price_above_cliff="15 USD/Mtoken"),
    # Tiers
    case("flash", LECTURE, "tier_drain_time", "1 min", 0.2, tier_capacity="1 TB", tier_bandwidth="14 GB/s"),
    case("retrieve", OWN, "retrieve_cost", 2 / 3600 * 2048 / 64e9 * 1e6, 1e-9, kv_bytes_per_token="2048 byte/token",
         chip_price="2 USD/h/chip", host_link_bandwidth="64 GB/s/chip"),
    # Drafts
    case("five_drafts", LEVIATHAN, "tokens_per_step", 3.69, 1e-3, acceptance_rate=0.8, draft_tokens=5),
    case("operations", LEVIATHAN, "speculative_compute", 1.63, 5e-3, acceptance_rate=0.8, draft_tokens=5),
    case("second_token", INSIGHTS, "tokens_per_step", 1.85, 1e-9, acceptance_rate=0.85, draft_tokens=1),
    case("free", OWN, "free_batch", "600 sequence", 1e-9, optimal_batch="2400 sequence", draft_tokens=3),
    # Kernels, and what a chip is made of
    case("dot_product", BOOK, "product_intensity", "0.5 FLOP/byte", 1e-3, matrix_rows=1, matrix_inner=4096,
         matrix_columns=1, left_element_bytes="2 byte", right_element_bytes="2 byte", product_element_bytes="2 byte"),
    case("small_matmul", BOOK, "product_memory_time", "8.6 us", 0.01, matrix_rows=64, matrix_inner=4096,
         matrix_columns=8192, left_element_bytes="2 byte", right_element_bytes="2 byte",
         product_element_bytes="2 byte", hbm_bandwidth="8 TB/s/chip", chips="1 chip"),
    case("matmul_balance", BOOK + " (271, with rounded bytes)", "balance_rows", 262.7086, 1e-6, matrix_inner=4096,
         matrix_columns=16384, left_element_bytes="1 byte", right_element_bytes="1 byte",
         product_element_bytes="1 byte", peak_compute="394 TFLOP/s/chip", hbm_bandwidth="810 GB/s/chip"),
    case("vector_sum", BOOK, "kernel_memory_time", "3.84 ms", 3e-3, kernel_bytes="12 GiB", chips="1 chip",
         hbm_bandwidth="3.35 TB/s/chip"),
    case("vector_intensity", BOOK, "kernel_intensity", 1 / 12, 1e-9, kernel_compute="1 GFLOP", kernel_bytes="12 GB"),
    case("under_the_roof", BOOK, "attainable_compute", "82 TFLOP/s/chip", 1e-9, kernel_intensity="100 FLOP/byte",
         hbm_bandwidth="820 GB/s/chip", peak_compute="197 TFLOP/s/chip"),
    case("systolic", BOOK, "unit_compute", "5e13 FLOP/s", 0.02, array_rows=128, array_columns=128, clock="1.5 GHz"),
    case("whole_chip", BOOK, "peak_compute", "197 TFLOP/s/chip", 3e-3, array_rows=128, array_columns=128,
         clock="1.5 GHz", matrix_units=4, compute_cores="1 1/chip"),
    case("tensor_core", BOOK, "flops_per_tick", "2048 FLOP", 3e-3, peak_compute="2250 TFLOP/s/chip", matrix_units=4,
         compute_cores="148 1/chip", clock="1.86 GHz"),
    case("tensor_cores", BOOK, "chip_matrix_units", "528 1/chip", 1e-9, compute_cores="132 1/chip", matrix_units=4),
    case("cuda_cores", BOOK, "vector_lanes", "16896 1/chip", 1e-9, compute_cores="132 1/chip", core_lanes=128),
    case("vectors", BOOK, "vector_compute", "26.9 TFLOP/s/chip", 2e-3, compute_cores="132 1/chip", core_lanes=128,
         lane_flops="1 FLOP", clock="1.59 GHz"),
    case("shared_memory", BOOK, "on_chip_capacity", "33.8 MB/chip", 1e-3, compute_cores="132 1/chip",
         core_memory="256 kB"),
    case("with_sparsity", "NVIDIA H100 data sheet", "sparse_peak_compute", "1979 TFLOP/s/chip", 1e-3,
         peak_compute="989.4 TFLOP/s/chip"),
    # Wires
    case("pod", BOOK, "pod_chips", "8960 chip", 1e-9, pod_length=16, pod_width=20, pod_height=28),
    case("over_pcie", BOOK, "host_link_ratio", "61000 FLOP/byte", 0.01, peak_compute="920 TFLOP/s/chip",
         host_link_bandwidth="15 GB/s/chip"),
    case("load", BOOK, "weight_load_time", "66 ms", 0.02, weight_bytes="8 GB", chips="8 chip",
         host_link_bandwidth="15 GB/s/chip"),
    case("links", BOOK, "scale_up_bandwidth", "450 GB/s/chip", 1e-9, scale_up_links="18 1/chip",
         scale_up_link_bandwidth="25 GB/s"),
    case("switches", BOOK, "switch_bandwidth", "6.4 TB/s", 1e-9, switches=4, switch_ports=64,
         scale_up_link_bandwidth="25 GB/s"),
    case("halves", BOOK + " (3.6 TB/s, both ways)", "bisection_bandwidth", "1.8 TB/s", 1e-9, chips="8 chip",
         scale_up_bandwidth="450 GB/s/chip"),
    case("sums", OWN, "layer_sum_time", "81.92 us", 1e-9, batch="256 sequence", chips="4 chip",
         boundary_bytes_per_token="16 kB/token", scale_up_bandwidth="75 GB/s/chip"),
    case("grid", POPE + ", section 3.2.2: 8 B L E over the root of the chips", "grid_layer_time", "69.9 us", 1e-3,
         batch="512 sequence", hidden_size=18432, feedforward_size=73728, activation_bytes_per_element="2 byte",
         chips="64 chip", scale_up_bandwidth="270 GB/s/chip"),
    case("grid_pays", POPE + ", section 3.2.2", "grid_chips", "16 chip", 1e-9, feedforward_size=65536,
         hidden_size=16384),
    case("latencies", OWN, "tensor_sum_time", "1.024 ms", 1e-9, layers=64, layer_sum_time="0 s", sum_latency="8 us"),
    # Attention, and reservations
    case("prefill_attention", BOOK, "pass_attention_intensity", "4096 FLOP/byte", 1e-9, query_group=1,
         context="8192 token/sequence", tokens_per_pass="8192 token/sequence", kv_bytes_per_element="2 byte"),
    case("unfused", BASETEN, "unfused_attention_intensity", "62 FLOP/byte", 0.01, context="4096 token/sequence",
         head_dimension=128, activation_bytes_per_element="2 byte"),
    case("smaller", INSIGHTS, "kv_reduction", 4.66, 2e-3, kv_bytes_per_token="70.272 kB/token",
         baseline_kv_bytes_per_token="327.68 kB/token"),
    case("reserved", OWN, "reservation_use", 0.204, 1e-3, context="418 token/sequence",
         context_limit="2048 token/sequence"),
    case("blocks", OWN, "cache_blocks", 1000, 1e-9, kv_capacity="12.8 GB", block_tokens="16 token",
         kv_bytes_per_token="800 kB/token"),
    case("free_memory", OWN, "kv_capacity_per_chip", "14.34 GB/chip", 1e-3, hbm_capacity="16 GB/chip",
         chips="128 chip", weight_bytes="212 GB"),
    case("keys_and_values", CHEN, "classic_kv_compute_share", 1 / 6, 1e-3,
         classic_kv_compute_per_token="17.18 GFLOP/token", classic_block_parameters="51.54 Gparameter"),
    # Use, and machines
    case("prefill_use", POPE + ", table 2", "mfu", 0.76, 0.01, batch="512 sequence", chips="64 chip",
         tokens_per_pass="2048 token/sequence", active_parameters="540 Gparameter", peak_compute="275 TFLOP/s/chip",
         step_time="85.2 s"),
    case("decode_use", COUNTED, "serving_mfu", 0.0692, 1e-3, chip_throughput="1850 token/s/chip",
         active_parameters="37 Gparameter", peak_compute="1979 TFLOP/s/chip"),
    case("delivered", DATABRICKS, "achieved_bandwidth", "1 TB/s", 1e-9, bytes_read="14 GB", step_time="14 ms"),
    case("words", DATABRICKS, "reading_speed", "450 1/min/sequence", 1e-9, words_per_token="0.75 1/token",
         user_speed="10 token/s/sequence"),
    case("local_use", OWN, "single_user_speed", "26 token/s/sequence", 1e-9, active_parameters="21 Gparameter",
         bytes_per_parameter="4 bit/parameter", hbm_bandwidth="273 GB/s/chip", chips="1 chip"),
    case("prefill_machines", COUNTED, "prefill_nodes", 95.5, 1e-3, all_input_tokens="608 Gtoken",
         node_prefill_throughput="73.7 ktoken/s"),
    case("decode_machines", COUNTED, "decode_nodes", 131.4, 1e-3, all_output_tokens="168 Gtoken",
         node_decode_throughput="14.8 ktoken/s"),
    case("whole_bill", COUNTED, "serving_cost_per_token", "0.5183 USD/Mtoken", 1e-3, serving_cost="87072 USD",
         all_output_tokens="168 Gtoken"),
    case("two_to_one", HANDOVER, "pool_request_rate", "10 sequence/s", 1e-9, prefill_servers=2, decode_servers=1,
         prefill_rate="5.6 sequence/s", request_rate="10 sequence/s"),
    case("goodput", HANDOVER, "chip_goodput", "3.3 sequence/s/chip", 0.02, pool_request_rate="10 sequence/s",
         pool_chips="3 chip"),
    case("input_rent", OWN, "prefill_cost", "0.138 USD/Mtoken", 1e-3, chip_prefill_throughput="4026 token/s/chip",
         chip_price="2 USD/h/chip"),
    case("request_rent", OWN, "request_cost", "0.0008 USD/sequence", 1e-9, prompt_tokens="2 ktoken/sequence",
         prefill_cost="0.15 USD/Mtoken", output_tokens="500 token/sequence", cost_per_token="1 USD/Mtoken"),
    case("host_memory", OWN, "tier_sequences", "183 sequence", 1e-3, tier_capacity="450 GiB",
         kv_bytes_per_sequence="2.64 GB/sequence"),
]  # fmt: skip
BACKWARDS = [(one, name) for one in CASES for name in one.given]


@every("one", CASES, ids=lambda one: one.name, ordinary=16, thorough=8)
def test_a_published_number_follows(one: Case) -> None:
    answer = derive.solve(one.target, **one.given)
    assert answer.base == pytest.approx(_in_base(one.target, one.expected), rel=one.within)


@pytest.mark.thorough
@every("asked", one_in(3, BACKWARDS, [f"{one.name}-{name}" for one, name in BACKWARDS]), ordinary=8, thorough=3)
def test_each_given_follows_from_the_answer(asked: tuple[Case, str]) -> None:
    one, name = asked
    answer = derive.solve(one.target, **one.given).value
    others = {other: value for other, value in one.given.items() if other != name}
    stated = _in_base(name, one.given[name])
    found = derive.solve_all(name, **others, **{one.target: answer})
    assert any(_holds(other, stated) for other in found)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_relation_has_a_reason_a_source_and_a_direction(subject: str) -> None:
    for relation in map(derive.llm.relations.__getitem__, subjects()[subject].relations):
        assert relation.because, relation.name
        assert relation.source, relation.name
        if relation.is_equation:  # written for a quantity, so that operating points follow it
            assert isinstance(relation.written.lhs, Name), relation.name


# Two operating points

POINT = {
    "chips": "8 chip",
    "chip_price": "2 USD/h/chip",
    "context": "2 ktoken/sequence",
    "kv_bytes_per_token": "100 kB/token",
    **BALANCED,
}


@pytest.mark.thorough
def test_the_ratios_of_the_menu_are_those_of_two_points() -> None:
    both = derive.llm.at("fast", ["batch"])
    given = {**POINT, "batch": "3000 sequence", "fast.batch": "60 sequence"}
    ratios = derive.llm.solve_all("fast_speed_ratio", **POINT, batch="3000 sequence", fast_batch="60 sequence")
    speeds = [both.solve(name, **given).value for name in ("fast.user_speed", "user_speed")]
    assert ratios[0].value.magnitude == pytest.approx(float(speeds[0] / speeds[1]))
    costs = [both.solve(name, **given).value for name in ("fast.cost_per_token", "cost_per_token")]
    price = derive.solve("fast_price_ratio", **POINT, batch="3000 sequence", fast_batch="60 sequence")
    assert price.value.magnitude == pytest.approx(float(costs[0] / costs[1]))


@pytest.mark.thorough
def test_prefill_and_decode_are_two_points_of_one_step() -> None:
    both = derive.llm.at("prefill", ["tokens_per_pass", "batch", "context"])
    prompt = {
        "prefill.tokens_per_pass": "8 ktoken/sequence",
        "prefill.context": "8 ktoken/sequence",
        "prefill.batch": "1 sequence",
    }
    given = {**POINT, **prompt, "batch": "64 sequence"}
    prefill = both.solve("prefill.mfu", **given).value.magnitude
    decode = both.solve("mfu", **given).value.magnitude
    assert prefill == pytest.approx(1.0)
    assert decode == pytest.approx((64 * 50e9 * 2 / 1e15) / ((400e9 + 64 * 2000 * 1e5) / 4e12))


@pytest.mark.thorough
def test_two_points_of_a_model_with_experts_read_different_shares_of_it() -> None:
    both = derive.llm.at("fast", ["batch"])
    given = {"chips": "16 chip", "context": "8 ktoken/sequence", "batch": "256 sequence", "fast.batch": "1 sequence"}
    shares = [both.solve(name, "deepseek-v3", **given).value.magnitude for name in ("fast.read_share", "read_share")]
    assert shares == [pytest.approx(0.06, abs=0.03), pytest.approx(1.0, abs=0.01)]


def test_communication_binds_where_it_is_given() -> None:
    given = {**POINT, "batch": "64 sequence", "network_time": "1 s"}
    answer = derive.solve("step_time", **given)
    assert (answer.value.to("s").magnitude, answer.regime) == (1.0, {"step_time": "network_time"})


# What cancels, and what is a case


def test_stages_cancel_from_the_cache_and_not_from_the_weights() -> None:
    kv = derive.llm.formula("kv_bytes_per_chip", ["stages", "chips", "batch", "context", "kv_bytes_per_token"])
    weights = derive.llm.formula("weight_bytes_per_chip", ["stages", "chips", "weight_bytes"])
    assert {symbol.name for symbol in kv.free_symbols} == {"chips", "batch", "context", "kv_bytes_per_token"}
    assert {symbol.name for symbol in weights.free_symbols} == {"stages", "chips", "weight_bytes"}


def test_the_scaled_form_is_the_roofline_in_other_units() -> None:
    given = {**POINT, "batch": "300 sequence"}
    scaled = derive.solve("scaled_memory_time", **given).value.magnitude
    plain = derive.solve("memory_to_compute", **given).value.magnitude
    assert scaled == pytest.approx(plain)


def test_a_small_step_reads_only_the_experts_in_use() -> None:
    mixture = {
        **BALANCED,
        "experts": 128,
        "active_experts": 4,
        "expert_size": 2048,
        "hidden_size": 4096,
        "expert_layers": 60,
    }
    routed = 3 * 4096 * 2048 * 128 * 60 / 400e9
    lone = derive.solve("read_share", **mixture, batch="1 sequence").value.magnitude
    many = derive.solve("read_share", **mixture, batch="2000 sequence").value.magnitude
    assert lone == pytest.approx(1 - routed * (1 - 4 / 128))
    assert many == pytest.approx(1.0)
    whole = derive.solve("weight_time", **BALANCED, chips="8 chip").value
    assert whole.to("ms").magnitude == pytest.approx(12.5)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("target", "expected", "given"),
    [
        ("crossing_time", 0.0, {**EXCHANGE, "racks": 1, "scale_out_bandwidth": "50 GB/s/chip"}),
        ("exchange_time", 0.0, {**EXCHANGE, "chips": "1 chip", "scale_up_bandwidth": "50 GB/s/chip"}),
        ("kv_time", 0.0, {"memory_time": "5 ms", "weight_time": "5 ms"}),
        ("step_time", 0.0125, {**POINT, "context": "0 token/sequence", "batch": "1 sequence"}),
        ("tokens_per_step", 1.0, {"acceptance_rate": 0.8, "draft_tokens": 0}),
        ("cache_hit_rate", 0.0, {"cached_input_tokens": "0 token", "all_input_tokens": "10 token"}),
        ("queue_time", 0.0, {"prefill_load": 0, "prefill_time": "1 s"}),
    ],
)
def test_nothing_is_an_answer_where_nothing_is_sent_kept_or_drafted(target: str, expected: float, given: Any) -> None:
    assert derive.solve(target, **given).base == pytest.approx(expected)


def test_a_model_fits_if_the_layers_of_a_stage_do() -> None:
    node = {"chips": "8 chip", "batch": "256 sequence", "context": "8 ktoken/sequence"}
    for stages, fits in ((1, False), (2, True)):
        answer = derive.solve("step_time", "h100-sxm:fp8", "deepseek-v3", **node, stages=stages)
        (found,) = [check for check in answer.checks if "kv_bytes <=" in check.statement]
        assert found.passed is fits
    left = derive.solve("kv_capacity", "h100-sxm", "deepseek-v3", chips="8 chip", stages=4).to("GB").magnitude
    assert left == pytest.approx(8 * 80 - 671 / 4)
    largest = derive.solve(
        "parameter_capacity",
        "h100-sxm",
        chips="8 chip",
        stages=4,
        kv_bytes="0 byte",  # of no sequences: those of a batch have a cache
        bytes_per_parameter="1 byte/parameter",
    )
    assert largest.to("Gparameter").magnitude == pytest.approx(4 * 8 * 80)


def test_no_exchange_is_timed_by_a_network_that_does_not_reach() -> None:
    given = {**EXCHANGE, "scale_up_bandwidth": "450 GB/s/chip", "scale_up_domain": "8 chip"}
    assert derive.solve("exchange_time", **given, chips="8 chip").base
    with pytest.raises(derive.UnderdeterminedError):
        derive.solve("exchange_time", **given, chips="64 chip")


def test_latent_attention_is_not_read_as_grouped_heads() -> None:
    shape = {"layers": 61, "latent_size": 512, "rope_dimension": 64, "kv_bytes_per_element": "2 byte"}
    with pytest.raises(derive.UnderdeterminedError):
        derive.solve("kv_heads", **shape, head_dimension=128)


def _holds(answer: derive.Answer, stated: float) -> bool:
    """Whether an answer is this value, or bounds it: the shorter arm of a maximum is only bounded."""
    if answer.base is None:
        return answer.bounds is not None and answer.bounds[0] <= stated <= answer.bounds[1]
    return bool(answer.base == pytest.approx(stated, rel=1e-6))


def _in_base(name: str, value: str | float) -> float:
    stated = value if isinstance(value, str) and " " in value else f"{value} {derive.llm.quantities[name].unit.text}"
    return float(derive.solve(name, **{name: stated}).base)
