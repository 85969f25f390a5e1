"""Worked numbers of training: what papers print, asked forwards, and each given asked back from the answer."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
import sympy

import derive
from derive.expressions.tree import Name, names_in
from derive.tokens.relations import subjects, vocabulary
from tests.ordinary import every, one_in


class Case(NamedTuple):
    name: str
    source: str
    target: str
    expected: str
    within: float
    given: dict[str, str | float]


def case(name: str, source: str, target: str, expected: str | float, within: float, **given: str | float) -> Case:
    return Case(name, source, target, str(expected), within, given)


GPT3 = "Brown et al., arXiv 2005.14165"
CHINCHILLA = "Hoffmann et al., arXiv 2203.15556, table 3"
MEGATRON = "Narayanan et al., arXiv 2104.04473"
NLG = "Smith et al., arXiv 2201.11990, section 5.3"
PALM = "Chowdhery et al., arXiv 2204.02311, appendix B"
LLAMA = "Touvron et al., arXiv 2302.13971, table 15"
LLAMA3 = "Llama team, arXiv 2407.21783"
V3 = "DeepSeek-AI, arXiv 2412.19437, table 1"
ZERO = "Rajbhandari et al., arXiv 1910.02054"
KORTHIKANTI = "Korthikanti et al., arXiv 2205.05198, table 5"
BLOOM = "Luccioni et al., arXiv 2211.02001, section 4"
SUPERPOD = "Austin et al., How to Scale Your Model, 2025, GPUs"
RECOMPUTING = "Korthikanti et al., arXiv 2205.05198, section 5"
PATTERSON = "Patterson et al., arXiv 2104.10350, table 4"
BOOK = "Austin et al., How to Scale Your Model, 2025"
LECTURE = "R. Pope with D. Patel, blackboard lecture, April 2026"
OWN = "worked by hand"


def megatron(layers: int, hidden: int) -> dict[str, float]:
    return {"layers": layers, "hidden_size": hidden, "vocabulary": 51200}


def step(sequences: int, chips: int, seconds: float) -> dict[str, str]:
    return {
        "global_batch": f"{sequences} sequence",
        "sequence_length": "2048 token/sequence",
        "training_chips": f"{chips} chip",
        "training_step_time": f"{seconds} s",
    }


LAW = {
    "irreducible_loss": 1.69,
    "parameter_coefficient": 406.4,
    "parameter_exponent": 0.34,
    "data_coefficient": 410.7,
    "data_exponent": 0.28,
}
TPU = {"peak_compute": "459 TFLOP/s/chip", "collective_bandwidth": "180 GB/s/chip"}
TWO_MATRICES = {
    "feedforward_matrices": 2.0,
    "bytes_per_parameter": "2 byte/parameter",
    "activation_bytes_per_element": "2 byte",
}
ADAM = {
    "total_parameters": "7.5 Gparameter",
    "bytes_per_parameter": "2 byte/parameter",
    "gradient_bytes_per_parameter": "2 byte/parameter",
    "optimizer_bytes_per_parameter": "12 byte/parameter",
}
GPT3_SHAPE = {"attention_heads": 96, "hidden_size": 12288, "sequence_length": "2048 token/sequence"}
LLAMA_8B = {
    "layers": 32,
    "hidden_size": 4096,
    "attention_heads": 32,
    "kv_heads": 8,
    "head_dimension": 128,
    "feedforward_size": 14336,
    "vocabulary": 128256,
    "embedding_matrices": 2,
}
LLAMA_70B = {
    **LLAMA_8B,
    "layers": 80,
    "hidden_size": 8192,
    "attention_heads": 64,
    "feedforward_size": 28672,
}
QWEN_30B = {
    "layers": 48,
    "hidden_size": 2048,
    "attention_heads": 32,
    "kv_heads": 4,
    "head_dimension": 128,
    "experts": 128,
    "expert_size": 768,
    "vocabulary": 151936,
    "embedding_matrices": 2,
}
MIXTRAL = {
    "layers": 32,
    "dense_layers": 0,
    "expert_layers": 32,
    "hidden_size": 4096,
    "attention_heads": 32,
    "kv_heads": 8,
    "head_dimension": 128,
    "feedforward_size": 14336,
    "experts": 8,
    "shared_experts": 0,
    "expert_size": 14336,
    "vocabulary": 32000,
    "embedding_matrices": 2,
}
DEEPSEEK = {
    "layers": 61,
    "dense_layers": 3,
    "expert_layers": 58,
    "hidden_size": 7168,
    "feedforward_size": 18432,
    "attention_heads": 128,
    "query_latent_size": 1536,
    "latent_size": 512,
    "content_dimension": 128,
    "rope_dimension": 64,
    "value_dimension": 128,
    "experts": 256,
    "shared_experts": 1,
    "expert_size": 2048,
    "vocabulary": 129280,
    "embedding_matrices": 2,
}

CASES = [
    # Runs
    case("gpt3_compute", GPT3, "training_compute", "3.14e23 FLOP", 0.002,
         active_parameters="174.6 Gparameter", training_tokens="300 Gtoken"),
    case("llama3_compute", LLAMA3, "training_compute", "3.8e25 FLOP", 0.005,
         active_parameters="405 Gparameter", training_tokens="15.6 Ttoken"),
    case("chinchilla_280b", CHINCHILLA, "training_compute", "9.90e24 FLOP", 0.002,
         active_parameters="280 Gparameter", training_tokens="5.9 Ttoken"),
    case("chinchilla_1b", CHINCHILLA, "training_tokens", "20.2 Gtoken", 0.003,
         active_parameters="1 Gparameter", training_compute="1.21e20 FLOP"),
    case("megatron_gpt3_time", MEGATRON, "classic_training_time", "34 day", 0.005, recomputed_share=1.0,
         active_parameters="175 Gparameter", training_tokens="300 Gtoken", training_chips="1024 chip",
         classic_achieved_compute="140 TFLOP/s/chip"),
    case("megatron_1t_time", MEGATRON, "classic_training_time", "84 day", 0.012, recomputed_share=1.0,
         active_parameters="1008 Gparameter", training_tokens="450 Gtoken", training_chips="3072 chip",
         classic_achieved_compute="163 TFLOP/s/chip"),
    case("book_llama_time", BOOK, "training_time", "44 day", 0.008, training_mfu=0.4,
         active_parameters="70 Gparameter", training_tokens="15 Ttoken", training_chips="8960 chip",
         peak_compute="459 TFLOP/s/chip"),
    case("v3_cost", V3, "training_cost", "5.576 MUSD", 1e-6,
         training_chip_time="2.788e6 h*chip", chip_price="2 USD/h/chip"),
    case("v3_days_per_trillion", V3, "training_time", "3.7 day", 0.012,
         training_chip_time="180000 h*chip", training_chips="2048 chip"),
    case("rate_to_mfu", OWN, "training_mfu", "0.42", 1e-9, training_throughput="78 ktoken/s",
         active_parameters="7 Gparameter", training_chips="25 chip", peak_compute="312 TFLOP/s/chip"),
    case("llama3_mfu_16k", LLAMA3 + ", table 4", "training_mfu", "0.41", 0.015,
         achieved_compute="400 TFLOP/s/chip", peak_compute="989 TFLOP/s/chip"),
    case("megatron_aggregate", MEGATRON + ", table 1", "cluster_compute", "502 PFLOP/s", 0.003,
         achieved_compute="163 TFLOP/s/chip", training_chips="3072 chip"),
    case("palm_hfu", PALM, "training_hfu", "0.578", 0.001, training_mfu=0.462,
         training_compute="3.28 FLOP", hardware_compute="4.10 FLOP"),
    case("full_recomputation", LECTURE, "recomputation_factor", 4 / 3, 1e-9, recomputed_share=1.0),
    case("six", LECTURE, "training_flops_per_parameter", "6 FLOP/parameter/token", 1e-9),
    case("gpt3_petaflop_days", GPT3 + ", table D.1", "training_compute", "3640 PFLOP/s*day", 0.003,
         active_parameters="174.6 Gparameter", training_tokens="300 Gtoken"),
    case("book_6n", BOOK, "training_flops_per_token", "4.2e11 FLOP/token", 1e-9, active_parameters="70 Gparameter"),
    case("llama_65b_days", LLAMA, "training_time", "21 day", 0.01, training_tokens="1.4 Ttoken",
         training_chips="2048 chip", chip_training_throughput="380 token/s/chip"),
    case("v3_throughput", V3, "chip_training_throughput", "1543 token/s/chip", 0.001,
         training_tokens="14.8 Ttoken", training_chip_time="2.664e6 h*chip"),
    case("v3_hours_per_trillion", V3, "training_chip_time_per_token", "180000 h*chip/Ttoken", 1e-9,
         training_tokens="14.8 Ttoken", training_chip_time="2.664e6 h*chip"),
    case("v3_nodes", V3, "training_nodes", 256, 1e-9, training_chips="2048 chip", chips_per_node="8 chip"),
    case("palm_hardware_rate", OWN, "hardware_achieved_compute", "158.9 TFLOP/s/chip", 0.001,
         training_mfu=0.462, peak_compute="275 TFLOP/s/chip", recomputation_factor=1.25),
    case("strong_scaling", OWN, "strong_scaling_efficiency", 0.8775, 0.001,
         small_cluster_time="44.8 min", small_cluster="768 chip", training_time="10.94 min",
         training_chips="3584 chip"),
    # Steps
    case("llama3_batch", LLAMA3 + ", table 4", "batch_tokens", "16 Mtoken", 0.05, data_ways=128.0,
         replica_batch="16 sequence", sequence_length="8192 token/sequence"),
    case("llama3_chips", LLAMA3 + ", table 4", "training_chips", "16384 chip", 1e-9,
         tensor_ways=8.0, context_ways=16.0, stages=16.0, data_ways=8.0),
    case("megatron_data_ways", MEGATRON, "data_ways", 6, 1e-9,
         training_chips="3072 chip", tensor_ways=8.0, stages=64.0),
    case("gpt3_steps", GPT3 + ", table 2.1", "training_steps", 93750, 1e-9,
         training_tokens="300 Gtoken", batch_tokens="3.2 Mtoken"),
    case("book_tokens_per_chip", BOOK, "tokens_per_chip", "468 token/chip", 0.001,
         batch_tokens="4194304 token", training_chips="8960 chip"),
    case("accumulation", OWN, "micro_batches", 8, 1e-9,
         global_batch="1024 sequence", data_ways=64.0, micro_batch="2 sequence"),
    # Exact counts
    case("palm_mfu", PALM, "mfu_with_attention", "0.462", 0.002, active_parameters="540.35 Gparameter", layers=118,
         attention_heads=48, head_dimension=256, sequence_length="2048 token/sequence",
         training_throughput="238.3 ktoken/s", training_chips="6144 chip", peak_compute="275 TFLOP/s/chip"),
    case("nlg_2240", NLG, "classic_achieved_compute", "126 TFLOP/s/chip", 0.007, recomputed_share=1.0,
         **megatron(105, 20480), **step(1920, 2240, 60.1)),
    case("nlg_3360", NLG, "classic_achieved_compute", "113 TFLOP/s/chip", 0.007, recomputed_share=1.0,
         **megatron(105, 20480), **step(1920, 3360, 44.4)),
    case("selective_175b_mfu", KORTHIKANTI, "classic_mfu", "0.514", 0.003,
         **megatron(96, 12288), **step(64, 64, 13.75), peak_compute="312 TFLOP/s/chip"),
    case("selective_1t_mfu", KORTHIKANTI, "classic_mfu", "0.563", 0.003,
         **megatron(128, 25600), **step(512, 512, 71.49), peak_compute="312 TFLOP/s/chip"),
    case("selective_22b_hfu", KORTHIKANTI, "reported_selective_hfu", "0.437", 0.003,
         **megatron(48, 6144), **step(4, 8, 1.10), peak_compute="312 TFLOP/s/chip"),
    case("zero3_384_days", MEGATRON + ", table 2", "classic_training_time", "90 day", 0.03, recomputed_share=1.0,
         active_parameters="174.6 Gparameter", training_tokens="300 Gtoken", training_chips="384 chip",
         classic_achieved_compute="144 TFLOP/s/chip"),
    case("gpt2_124m", "Radford et al., 2019", "classic_parameters", "124439808 parameter", 2e-5,
         layers=12, hidden_size=768, vocabulary=50257, positions=1024),
    case("bloom_176b", BLOOM, "classic_parameters", "176.247 Gparameter", 1e-5,
         layers=70, hidden_size=14336, vocabulary=250880, positions=0),
    case("gpt3_parameters", MEGATRON + ", table 1", "classic_parameters", "174.6 Gparameter", 0.001,
         **megatron(96, 12288), positions=2048),
    case("megatron_1t_parameters", MEGATRON + ", table 1", "classic_parameters", "1008 Gparameter", 0.001,
         **megatron(128, 25600), positions=2048),
    # Shapes
    case("llama3_8b", LLAMA3, "counted_parameters", "8.03 Gparameter", 0.001, **LLAMA_8B),
    case("llama3_8b_exact", LLAMA3, "exact_parameters", "8030261248 parameter", 1e-12, **LLAMA_8B),
    case("llama3_70b_exact", LLAMA3, "exact_parameters", "70553706496 parameter", 1e-12, **LLAMA_70B),
    case("book_feedforward", BOOK, "feedforward_parameters", "56.3 Gparameter", 0.002,
         layers=80, hidden_size=8192, feedforward_size=28672),
    case("qwen3_30b", "Qwen3, arXiv 2505.09388, table 2", "uniform_mixture_parameters", "30.5 Gparameter", 0.002,
         **QWEN_30B),
    case("qwen3_30b_without_zeros", OWN, "mixture_parameters", "30.5 Gparameter", 0.002, **QWEN_30B, expert_layers=48),
    case("mixtral_total", "Jiang et al., arXiv 2401.04088", "mixture_parameters", "46.7 Gparameter", 0.001, **MIXTRAL),
    case("mixtral_active", "Jiang et al., arXiv 2401.04088", "mixture_active_parameters", "12.9 Gparameter", 0.003,
         **MIXTRAL, active_experts=2),
    case("v3_total", V3, "latent_mixture_parameters", "671 Gparameter", 0.0005, **DEEPSEEK),
    case("adapter_r1", "Hu et al., arXiv 2106.09685, table 4", "adapter_parameters", "4.7 Mparameter", 0.005,
         adapter_rank=1, hidden_size=12288, adapted_matrices=192),
    # Attention
    case("book_crossover", BOOK, "layer_crossover", "65536 token/sequence", 1e-9, hidden_size=8192),
    case("book_ratio", BOOK, "layer_attention_ratio", 0.125, 1e-9, hidden_size=8192,
         sequence_length="8192 token/sequence"),
    case("book_projections", BOOK, "projection_crossover", "8192 token/sequence", 1e-9,
         hidden_size=4096, attention_heads=32, kv_heads=32),
    case("palm_attention", OWN, "training_attention_ratio", 0.011, 0.002, active_parameters="540.35 Gparameter",
         layers=118, attention_heads=48, head_dimension=256, sequence_length="2048 token/sequence"),
    case("gpt3_attention_share", OWN, "attention_share", 0.0264, 0.002, active_parameters="174.6 Gparameter", layers=96,
         attention_heads=96, head_dimension=128, context="2005 token/sequence"),
    case("latent_crossover", OWN, "attention_crossover", "14808 token/sequence", 1e-3,
         active_parameters="37 Gparameter", layers=61, attention_heads=128, content_dimension=128,
         rope_dimension=64, value_dimension=128),
    # Scaling
    case("lecture_chinchilla", LECTURE, "chinchilla_tokens", "2 Ttoken", 1e-9, active_parameters="100 Gparameter"),
    case("lecture_over_training", LECTURE, "over_training", 100, 1e-9,
         active_parameters="100 Gparameter", training_tokens="200 Ttoken"),
    case("llama3_8b_ratio", OWN, "tokens_per_parameter", "1875 token/parameter", 1e-9,
         active_parameters="8 Gparameter", training_tokens="15 Ttoken"),
    case("budget_of_gopher", CHINCHILLA, "compute_optimal_parameters", "67 Gparameter", 0.04,
         training_compute="5.76e23 FLOP"),
    case("law_of_chinchilla", "Hoffmann et al., arXiv 2203.15556, equation 10", "loss", 1.937, 0.001, **LAW,
         active_parameters="70 Gparameter", training_tokens="1.4 Ttoken"),
    case("law_of_gopher", "Hoffmann et al., arXiv 2203.15556, equation 10", "loss", 1.993, 0.001, **LAW,
         active_parameters="280 Gparameter", training_tokens="300 Gtoken"),
    case("kaplan_parameters", OWN, "kaplan_parameter_loss", 1.605, 0.001, critical_parameters="8.8e13 parameter",
         kaplan_parameter_exponent=0.076, active_parameters="174.6 Gparameter"),
    case("kaplan_compute", OWN, "kaplan_compute_loss", 1.76, 0.006, critical_compute="3.1e8 PFLOP/s*day",
         kaplan_compute_exponent=0.050, training_compute="3640 PFLOP/s*day"),
    case("llama3_law", LLAMA3 + ", section 3.2.1", "fitted_tokens", "16.55 Ttoken", 0.03,
         fitted_token_coefficient=0.299, fitted_token_exponent=0.537, training_compute="3.8e25 FLOP"),
    case("four_epochs", OWN, "effective_tokens", "372.6 Gtoken", 0.001,
         unique_tokens="100 Gtoken", epochs=4.0, repetition_limit=15.39),
    # Bills
    case("equal_bills", LECTURE, "training_tokens", "1.5 token", 1e-9, rl_bill_ratio=1.0,
         rl_flops_per_parameter="9 FLOP/parameter/token", rl_tokens="1 token"),
    case("equal_rl", LECTURE, "equal_rl_tokens", "100 Ttoken", 1e-9, training_tokens="150 Ttoken",
         rl_flops_per_parameter="4.5 FLOP/parameter/token", rl_efficiency=0.5),
    case("equal_inference", LECTURE, "equal_lifetime_tokens", "150 Ttoken", 1e-9, training_tokens="150 Ttoken",
         inference_efficiency=1 / 3),
    case("two_months", LECTURE, "lifetime_tokens", "259.2 Ttoken", 1e-9, served_rate="50 Mtoken/s", lifetime="60 day"),
    case("opposed", OWN, "best_choice", 2.0, 1e-9, rising_coefficient=1.0, rising_exponent=2.0,
         falling_coefficient=16.0, falling_exponent=1.0),
    # Memory
    case("plain_states", ZERO, "replicated_state_bytes", "120 GB/chip", 1e-9, **ADAM),
    case("zero1", ZERO, "zero1_state_bytes", "31.4 GB/chip", 0.001, **ADAM, data_ways=64.0),
    case("zero2", ZERO, "zero2_state_bytes", "16.6 GB/chip", 0.003, **ADAM, data_ways=64.0),
    case("zero3", ZERO, "zero3_state_bytes", "1.88 GB/chip", 0.003, **ADAM, data_ways=64.0),
    case("zero_gpt2", ZERO, "kept_activations", "60 GB", 0.01, batch_tokens="32768 token", layers=48, hidden_size=1600,
         kept_activation_bytes="24 byte/token"),
    case("book_checkpoints", BOOK, "kept_activations", "15.8 TB", 0.005, batch_tokens="4 Mtoken", layers=80,
         hidden_size=8192, checkpoints_per_layer=3.0, activation_bytes_per_element="2 byte"),
    case("wide_checkpoints", OWN, "kept_activations", "41.94304 TB", 1e-9, batch_tokens="16 Mtoken", layers=40,
         hidden_size=5120, feedforward_size=13824, checkpoints_per_layer=1.0, feedforward_checkpoints_per_layer=2.0,
         activation_bytes_per_element="2 byte"),
    case("book_memory", BOOK, "training_bytes", "16.5 TB", 0.003, total_parameters="70 Gparameter",
         state_bytes_per_parameter="10 byte/parameter", kept_activations="15.8 TB"),
    case("gpt3_layers", OWN, "tensor_activations", "55.566139392 GB/chip", 1e-9, **GPT3_SHAPE, layers=96,
         micro_batch="1 sequence", tensor_ways=8.0),
    case("scores_gpt3", RECOMPUTING, "score_activation_bytes", "80 byte/token", 1e-9, **GPT3_SHAPE),
    case("saving_gpt3", RECOMPUTING, "selective_saving", 0.70, 0.004, **GPT3_SHAPE),
    case("saving_nlg", RECOMPUTING, "selective_saving", 0.65, 0.006, attention_heads=128, hidden_size=20480,
         sequence_length="2048 token/sequence"),
    case("gpt3_layer", OWN, "sequence_layer_activations", "358.612992 MB/chip", 1e-9, **GPT3_SHAPE,
         micro_batch="1 sequence", tensor_ways=8.0),
    case("book_fewest_chips", BOOK, "fewest_training_chips", "225 chip", 1e-9,
         training_bytes="21.6 TB", hbm_capacity="96 GB/chip"),
    case("reversible", LECTURE, "reversible_factor", 4 / 3, 1e-9),
    # Network
    case("book_network_ratio", BOOK, "data_parallel_tokens", "5625 token/chip", 1e-9,
         peak_compute="2250 TFLOP/s/chip", collective_bandwidth="400 GB/s/chip",
         gradient_bytes_per_parameter="2 byte/parameter"),
    case("book_fsdp_tokens", BOOK, "fsdp_tokens", "2550 token/chip", 1e-9, bytes_per_parameter="2 byte/parameter",
         **TPU),
    case("book_mixed", BOOK + ", first edition", "mixed_tokens", "432 token/chip", 0.005, feedforward_size=30000,
         fsdp_axes=2.0, **TWO_MATRICES, **TPU),
    case("book_overlapping", BOOK, "mixed_tokens", "108 token/chip", 0.005, feedforward_size=30000, fsdp_axes=2.0,
         exchanges_in_turn=1.0, **TWO_MATRICES, **TPU),
    case("book_tensor_limit", BOOK, "tensor_limit", "11.2", 0.005, feedforward_size=28672, feedforward_matrices=2.0,
         activation_bytes_per_element="2 byte", **TPU),
    case("book_fsdp_ways", BOOK, "fsdp_ways", 1618, 0.001, batch_tokens="4194304 token", feedforward_size=28672,
         axes_ratio=2.0, training_chips="8960 chip", **TWO_MATRICES),
    case("book_gather", BOOK, "node_gather_time", "1.04 ms", 0.004, gathered_bytes="4288 MB",
         gathering_nodes=8.0, node_bandwidth="3.6 TB/s"),
    case("book_three_axes", BOOK, "fsdp_tokens", "850 token/chip", 1e-9, peak_compute="459 TFLOP/s/chip",
         axis_bandwidth="180 GB/s/chip", network_axes=3.0, bytes_per_parameter="2 byte/parameter"),
    case("book_fsdp_chips", BOOK, "fsdp_chip_limit", "18823 chip", 0.001,
         batch_tokens="16 Mtoken", fsdp_tokens="850 token/chip"),
    case("book_two_replicas", SUPERPOD, "few_replica_tokens", "1237.5 token/chip", 1e-9,
         data_parallel_tokens="2475 token/chip", data_ways=2.0),
    case("book_leaf", SUPERPOD, "gather_bandwidth", "413 GB/s", 0.001, node_bandwidth="400 GB/s", gathering_nodes=32.0),
    case("book_latency", BOOK, "latency_bytes", "45 kB", 1e-9, link_bandwidth="45 GB/s", message_latency="1 us"),
    case("measured_bus", "Bekman, Machine Learning Engineering, network", "bus_bandwidth", "234.89 GB/s/chip", 1e-4,
         collective_bytes="17179869184 byte/chip", measured_all_reduce_time="127997 us", ring_size=8.0),
    case("ring_attention", OWN, "ring_attention_block", "1040 token/sequence", 1e-9,
         peak_compute="312 TFLOP/s/chip", collective_bandwidth="300 GB/s/chip", activation_bytes_per_element="2 byte"),
    case("one_forward_one_back", OWN, "bubble_time", "45 ms", 1e-9, stages=16.0,
         forward_pass_time="1 ms", backward_pass_time="2 ms"),
    case("dualpipe", OWN, "dualpipe_bubble_time", "10.5 ms", 1e-9, stages=16.0, paired_pass_time="2.5 ms",
         backward_pass_time="2 ms", weight_gradient_time="1 ms"),
    case("ring_all_reduce", OWN, "all_reduce_time", "35 ms", 1e-9, collective_bytes="1 GB/chip", ring_size=8.0,
         collective_bandwidth="50 GB/s/chip"),
    case("fsdp_traffic", ZERO, "fsdp_traffic_ratio", 1.5, 1e-9, bytes_per_parameter="2 byte/parameter",
         gradient_bytes_per_parameter="2 byte/parameter"),
    # Energy
    case("llama_65b_energy", LLAMA, "training_energy", "449 MWh", 0.003, training_chip_time="1022362 h*chip",
         chip_power="400 W/chip", power_usage_effectiveness=1.1),
    case("llama_65b_carbon", LLAMA, "training_carbon", "173 t", 0.003, training_energy="449 MWh",
         carbon_intensity="0.385 t/MWh"),
    case("gpt3_energy", PATTERSON, "training_energy", "1287 MWh", 0.003, training_time="14.8 day",
         training_chips="10000 chip", chip_power="330 W/chip", power_usage_effectiveness=1.1),
    case("meena_energy", PATTERSON, "training_energy", "232 MWh", 0.01, training_time="30 day",
         training_chips="1024 chip", chip_power="289 W/chip", power_usage_effectiveness=1.08),
    case("bloom_energy", BLOOM, "training_energy", "433.196 MWh", 1e-6, training_chip_time="1082990 h*chip",
         chip_power="400 W/chip"),
    case("bloom_carbon", BLOOM, "training_carbon", "24.69 t", 0.001, training_energy="433.196 MWh",
         carbon_intensity="57 g/kWh"),
    case("llama2_carbon", "Touvron et al., arXiv 2307.09288, table 2", "training_carbon", "291.42 t", 0.002,
         training_chip_time="1720320 h*chip", chip_power="400 W/chip", carbon_intensity="0.423 kg/kWh"),
    case("token_energy", OWN, "energy_per_token", "1.1 J/token", 1e-9, chips="8 chip", chip_power="500 W/chip",
         power_usage_effectiveness=1.1, throughput="4 ktoken/s"),
    case("owner", OWN, "owned_chip_price", "2.0 USD/h/chip", 1e-9, capital_price="1.1 USD/h/chip",
         power_price="0.1 USD/h/chip", upkeep_price="0.2 USD/h/chip", chip_use=0.7),
    # Chips, matrices, failures, savings
    case("h100_peak", "NVIDIA H100 data sheet", "peak_compute", "989.4 TFLOP/s/chip", 0.001,
         compute_cores="132 1/chip", matrix_units=4.0, flops_per_tick="1024 FLOP", clock="1.83 GHz"),
    case("tpu1_peak", "Jouppi et al., arXiv 1704.04760", "peak_compute", "92 TFLOP/s/chip", 0.003,
         compute_cores="1 1/chip", matrix_units=1.0, array_rows=256, array_columns=256, clock="700 MHz"),
    case("book_product", BOOK, "product_compute_time", "15 us", 0.01, matrix_rows=512, matrix_inner=4096,
         matrix_columns=8192, peak_compute="2300 TFLOP/s/chip", chips="1 chip"),
    case("book_shard", BOOK, "shard_bytes", "16384 byte/chip", 1e-9, matrix_inner=128, matrix_columns=2048,
         right_element_bytes="1 byte", row_shards=2.0, column_shards=8.0),
    case("llama3_failures", LLAMA3 + ", section 3.3.4", "cluster_failure_time", "2.78 h", 0.002,
         wall_time="54 day", interruptions=466.0),
    case("young", OWN, "best_save_interval", "600 s", 1e-9, save_time="10 s", cluster_failure_time="5 h"),
    case("young_loss", OWN, "least_lost_share", 0.02, 1e-9, save_time="1 s", cluster_failure_time="20000 s",
         restart_time="200 s"),
    case("selective_22b", KORTHIKANTI, "throughput_gain", 0.29, 0.004, baseline_time="1.42 s", present_time="1.10 s"),
    case("v2_saving", "DeepSeek-AI, arXiv 2405.04434", "cost_saving", 0.425, 0.001,
         baseline_cost="300.6 USD", present_cost="172.8 USD"),
]  # fmt: skip


def base(text: str | float, name: str) -> float:
    """What is stated of a quantity, in its declared unit."""
    answer = derive.llm.solve(name, **{name: text})
    return float(answer.value.magnitude)


@every("worked", CASES, ids=[one.name for one in CASES], ordinary=16)
def test_the_published_number_follows(worked: Case) -> None:
    expected = base(_stated(worked.expected), worked.target)
    found = derive.solve(worked.target, **worked.given).value.magnitude
    assert found == pytest.approx(expected, rel=worked.within)


BACKWARD = [  # without a dense layer its size is silent, and nought is no number to come back to
    (one, name)
    for one in CASES
    for name in one.given
    if not (one.given.get("dense_layers") == 0 and name in ("dense_layers", "feedforward_size", "shared_experts"))
]


@pytest.mark.thorough
@every("asked", one_in(3, BACKWARD, [f"{one.name}-{name}" for one, name in BACKWARD]), ordinary=8, thorough=3)
def test_each_given_follows_from_the_answer(asked: tuple[Case, str]) -> None:
    worked, name = asked
    answer = derive.solve(worked.target, **worked.given)
    rest = {other: value for other, value in worked.given.items() if other != name}
    rest[worked.target] = answer.value
    expected = base(worked.given[name], name)
    found = [one.value.magnitude for one in derive.solve_all(name, **rest) if one.value is not None]
    assert any(math.isclose(one, expected, rel_tol=1e-6) for one in found), found


# Cases stay apart


def test_a_model_with_experts_is_not_counted_as_a_dense_one() -> None:
    shapes = {**LLAMA_8B, "experts": 8}
    with pytest.raises(derive.UnderdeterminedError, match="experts <= 1 is false"):
        derive.solve("counted_parameters", **shapes)


@pytest.mark.thorough
@every("target", ["layer_attention_parameters", "attention_flops_per_token", "head_dimension"], ordinary=3)
def test_latent_attention_is_not_taken_for_grouped_heads(target: str) -> None:
    latent = {**DEEPSEEK, "kv_bytes_per_token": "70272 byte/token", "kv_bytes_per_element": "2 byte"}
    assert target not in derive.llm.reach(latent)


def test_a_quantity_of_training_follows_from_one_relation_alone() -> None:
    # Two would be one too many where neither is complete: they would seem to fix what they only repeat.
    yielded = [
        relation.written.lhs.name
        for relation in derive.llm.relations.values()
        if isinstance(relation.written.lhs, Name) and relation.is_equation
        if relation.written.lhs.name not in names_in(relation.written.rhs)
    ]
    files = list(subjects())
    mine = {name for subject in files[files.index("training") :] for name in vocabulary(subject)}
    assert [name for name in yielded if name in mine and yielded.count(name) > 1] == []


# Exchanges


def test_the_least_tokens_of_a_mixed_split_are_those_of_a_search_over_all_splits() -> None:
    size, matrices, chips, ratio, axes = 20000, 3, 512, 2550, (2, 1)
    given = {"feedforward_size": size, **TWO_MATRICES, "feedforward_matrices": matrices, "fsdp_axes": axes[0], **TPU}
    given["tensor_axes"] = axes[1]

    def hidden(tokens: float, turns: int) -> bool:
        """Whether arithmetic takes longer than both exchanges at some split; times of a layer in units of D/W."""
        for ways in (1.001**i for i in range(6245)):
            weights = 2 * matrices * size * ways / (chips * axes[0])
            activations = 2 * 2 * tokens * chips / (ways * axes[1])
            exchanges = weights + activations if turns == 2 else max(weights, activations)
            if exchanges <= 2 * matrices * tokens * size / ratio:
                return True
        return False

    for turns in (1, 2):
        least = derive.solve("mixed_tokens", **given, exchanges_in_turn=turns).value.magnitude
        assert hidden(1.01 * least, turns)
        assert not hidden(0.99 * least, turns)


# Optima


def test_the_least_sum_lies_where_the_slopes_cancel_and_not_where_the_terms_are_equal() -> None:
    x, rising, falling, up, down = sympy.symbols("x A B a b", positive=True)
    best = (down * falling / (up * rising)) ** (1 / (up + down))
    slope = sympy.diff(rising * x**up + falling * x**-down, x)
    scaled = sympy.expand(sympy.powsimp(sympy.expand(slope * x ** (1 + down))))
    assert sympy.simplify(scaled.subs(x, best)) == 0
    assert sympy.simplify((rising * x ** (up + down) / falling).subs(x, best) - down / up) == 0


def test_the_library_agrees_with_a_search_for_the_least_sum() -> None:
    given = {"rising_coefficient": 3.0, "rising_exponent": 0.7, "falling_coefficient": 5.0, "falling_exponent": 1.3}
    least = derive.solve("least_cost", **given).value.magnitude
    searched = min(3 * x**0.7 + 5 * x**-1.3 for x in (1 + i / 10000 for i in range(20000)))
    assert least == pytest.approx(searched, rel=1e-7)
    assert derive.solve("best_term_ratio", **given).value.magnitude == pytest.approx(1.3 / 0.7)


def test_the_cheapest_model_of_a_loss_is_the_one_a_search_finds() -> None:
    served = 2e12

    def tokens(parameters: float) -> float:
        return (410.7 / (1.95 - 1.69 - 406.4 / parameters**0.34)) ** (1 / 0.28)

    def bill(parameters: float) -> float:
        return parameters * (6 * tokens(parameters) + 2 * served)

    best = min((1e10 * 1.0001**i for i in range(20000)), key=bill)
    found = derive.solve("lifetime_parameters", **LAW, target_loss=1.95, lifetime_tokens="2 Ttoken")
    assert found.value.magnitude == pytest.approx(best, rel=1e-3)


def test_without_use_the_cheapest_model_is_that_of_the_law() -> None:
    parameters = derive.solve("law_optimal_parameters", **LAW, training_compute="1e24 FLOP").value
    tokens = derive.solve("law_optimal_tokens", **LAW, training_compute="1e24 FLOP").value
    balance = derive.solve("scaling_balance", **LAW, active_parameters=parameters, training_tokens=tokens)
    assert balance.value.magnitude == pytest.approx(1.0)


def test_a_reversible_layer_is_undone_whatever_its_function() -> None:
    x, y = sympy.symbols("x y")
    f, g = sympy.Function("f"), sympy.Function("g")
    left, right = x, y + f(x)
    assert (left, right - f(left)) == (x, y)  # one-sided
    left = x + g(right)
    assert (left - g(right), right - f(left - g(right))) == (x, y)  # two-sided


def _stated(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
