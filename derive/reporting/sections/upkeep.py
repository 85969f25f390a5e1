"""What it takes to keep chips busy: energy and ownership, demand, memory in training, exchanges."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import held, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.solving.answer import Answer

__all__ = ["upkeep"]

_SERVED = ("h100-sxm:fp8", "deepseek-v3")
_RACK = {"chips": "64 chip", "batch": "2048 sequence", "context": "4 ktoken/sequence"}
_POWER = {"power_share": 0.8, "power_usage_effectiveness": 1.2}
_OWNED = {**_POWER, "chip_capital": "30 kUSD/chip", "chip_life": "4 year", "energy_price": "0.08 USD/kW/h"}
_ADAM = {
    "bytes_per_parameter": "2 byte/parameter",
    "gradient_bytes_per_parameter": "2 byte/parameter",
    "master_bytes_per_parameter": "4 byte/parameter",
    "moment_bytes_per_parameter": "8 byte/parameter",
}
_WHOLE = {"tensor_ways": 1, "context_ways": 1, "stages": 1}


def upkeep() -> Iterator[Block]:
    """S30 to S33."""
    yield from _energy()
    yield from _demand()
    yield from _training_memory()
    yield from _exchanges()


def _energy() -> Iterator[Block]:
    yield Heading("S30. Energy and ownership")
    yield Text(
        "A chip draws nearly the same power whether its step carries one sequence or a thousand. So the energy of a "
        "token falls with the batch just as its rent does, and the two stay in proportion."
    )
    yield from stated(
        "drawn_power", "serving_power", "energy_per_token", "capital_price", "power_price", "owned_chip_price"
    )
    speed = solve("throughput", *_SERVED, **_RACK)
    energy = solve(
        "energy_per_token",
        "h100-sxm",
        **_POWER,
        chips="64 chip",
        throughput=f"{speed.to('token/s').magnitude:.5g} token/s",
    )
    yield worked("A token of DeepSeek-V3 on 64 H100 at a batch of 2048", energy)
    back = solve("chip_use", "h100-sxm", **_OWNED, owned_chip_price="2 USD/h/chip")
    own = solve("owned_chip_price", "h100-sxm", **_OWNED)
    power = solve("power_price", "h100-sxm", **_OWNED)
    yield Text(
        "For an owner who pays 30,000 dollars for a chip, writes it off in four years and buys electricity at 8 "
        f"cents, an hour costs {say(own, 3)}, of which {say(power, 2)} is electricity: capital is what a chip-hour is "
        f"made of. All hours have to be paid by those in use; two dollars an hour need a use of {say(back, 3)}."
    )
    yield _ownership_picture(back.to("").magnitude)


def _ownership_picture(even: float) -> Picture:
    swept = library().sweep("owned_chip_price", "h100-sxm", **_OWNED, chip_use=span("0.1..1", 91))
    series = Series.of(swept.axes["chip_use"], swept.columns["owned_chip_price"], "owned", strong=True)
    rent = Series((0.1, 1.0), (2.0, 2.0), "rented at 2 USD", "dashed")
    chart = Chart(
        Axis("share of the hours in use", low=0, high=1),
        Axis("USD/h/chip", low=0),
        (series, rent),
        (Mark(even, "owning breaks even"),),
    )
    return Picture("practice-ownership", (chart,), "What an hour in use costs the owner of an H100, and its rent.")


def _demand() -> Iterator[Block]:
    yield Heading("S31. Demand")
    yield Text(
        "Requests arrive, stay as long as their answers take, and leave. How many are there at once is the rate of "
        "arrival times the stay, whatever the order in which they come: that is Little's law, and it sets the batch "
        "that a fleet can hope for. Chips that wait for demand are paid for by the tokens of those that serve."
    )
    yield from stated("fleet_demand", "sequences_in_flight", "replicas", "loaded_cost")
    arrivals = {"arrival_rate": "100 sequence/s", "output_tokens": "500 token/sequence"}
    yield worked(
        "A hundred requests a second", solve("sequences_in_flight", **arrivals, user_speed="50 token/s/sequence")
    )
    slower = solve("user_speed", **arrivals, sequences_in_flight="2048 sequence")
    yield Text(
        f"To fill a batch of 2048 with the same demand each user would have to be served at {say(slower, 3)} only: who "
        "has few users has small batches, or slow answers, or idle chips."
    )
    rows = {
        f"{use:.0%}": [
            solve(name, *_SERVED, **_RACK, fleet_utilisation=use, fleet_demand="1 Mtoken/s", chip_price="2 USD/h/chip")
            for name in ("replicas", "fleet_chips", "loaded_cost")
        ]
        for use in (0.2, 0.4, 0.6, 0.8, 1.0)
    }
    columns = ("hours in service", "replicas", "chips", "cost of a token")
    yield table(
        rows, columns, "A demand of a million tokens a second on DeepSeek-V3, 64 H100 a replica at 2 USD an hour.", 3
    )


def _training_memory() -> Iterator[Block]:
    yield Heading("S32. Memory in training")
    yield Text(
        "A parameter in training is kept as a weight, a gradient, a weight in full precision and two running means. "
        "Plain data parallelism keeps all of that in every replica; sharding gives each replica a part of it to keep, "
        "first of what the optimizer needs, then of the gradients, then of the weights."
    )
    yield from stated(
        "state_bytes_per_parameter",
        "replicated_state_bytes",
        "zero1_state_bytes",
        "zero2_state_bytes",
        "zero3_state_bytes",
    )
    given = {**_ADAM, **_WHOLE}
    ways = solve("data_ways", "llama3-70b", **given, zero3_state_bytes="40 GB/chip")
    yield worked("The chips that hold the states of Llama 3 70B in half of their memory", ways)
    yield _sharding_picture()
    yield _activation_table()


def _sharding_picture() -> Picture:
    schemes = {
        "replicated_state_bytes": "replicated",
        "zero1_state_bytes": "optimizer sharded",
        "zero2_state_bytes": "and gradients",
        "zero3_state_bytes": "and weights",
    }
    swept = library().sweep(tuple(schemes), "llama3-70b", **_ADAM, **_WHOLE, data_ways=span("1..1024", 61, log=True))
    series = [Series.of(swept.axes["data_ways"], swept.columns[name] / 1e9, label) for name, label in schemes.items()]
    room = library().profile("h100-sxm").values["hbm_capacity"].number
    chart = Chart(
        Axis("replicas", log=True), Axis("GB/chip", log=True), tuple(series), (Mark(room, "an H100 holds", axis="y"),)
    )
    caption = (
        "States of Llama 3 70B on each chip against the number of replicas. Only where the weights are sharded too do "
        "they ever fit."
    )
    return Picture("practice-sharding", (chart,), caption)


def _activation_table() -> Block:
    schemes = {
        "tensor": "split over 8 chips",
        "sequence": "and along the sequence",
        "selective": "and scores computed again",
        "recomputed": "all computed again",
    }
    given = {"micro_batch": "1 sequence", "sequence_length": "2048 token/sequence", "tensor_ways": 8}
    rows = {label: [solve(f"{name}_activations", "gpt3-175b", **given)] for name, label in schemes.items()}
    return table(rows, ("kept", "on a chip"), "Activations of GPT-3 175B for one sequence of 2048 tokens.", 3)


def _exchanges() -> Iterator[Block]:
    yield Heading("S33. Exchanges between chips")
    yield Text(
        "In a gathering every chip receives all shards but its own, so it takes the bytes of the whole over the "
        "bandwidth of one chip, however many take part. From that follow the sizes below which chips wait for each "
        "other: arithmetic grows with tokens or with the width of a layer, sending does not."
    )
    yield from stated("all_gather_time", "all_reduce_time", "all_to_all_time")
    yield from stated("network_ratio", "data_parallel_tokens", "tensor_limit", "expert_size_limit")
    yield _limits()
    tensor = {"collective_bandwidth": "450 GB/s/chip", "activation_bytes_per_element": "2 byte"}
    width = solve("feedforward_size", "h100-sxm:bf16", **tensor, tensor_limit=72, feedforward_matrices=3)
    yield Text(
        f"Asked backwards: for all 72 chips of a rack to split one layer it would have to be {say(width, 3)} wide."
    )
    yield _counts()


def _limits() -> Block:
    rows = {}
    for label, chip in (("H100", "h100-sxm"), ("B200", "b200-sxm")):
        values = library().profile(chip).values
        for level, name in (("inside its domain", "scale_up_bandwidth"), ("beyond it", "scale_out_bandwidth")):
            given = {
                "collective_bandwidth": f"{values[name].number} {values[name].unit.text}",
                "activation_bytes_per_element": "2 byte",
                "gradient_bytes_per_parameter": "2 byte/parameter",
                "replica_chips": "1 chip",
            }
            rows[f"{label}, {level}"] = [
                solve(target, f"{chip}:bf16", *model, **given)
                for target, model in (
                    ("network_ratio", ()),
                    ("data_parallel_tokens", ()),
                    ("tensor_limit", ("llama3-70b",)),
                    ("expert_size_limit", ("deepseek-v3",)),
                )
            ]
    columns = (
        "sent",
        "operations to hide a byte",
        "tokens a chip needs",
        "chips that may split a layer",
        "least expert",
    )
    caption = (
        "In BF16: the least batch of data parallelism, the most chips for a layer of Llama 3 70B, the least inner "
        "size of an expert."
    )
    return table(rows, columns, caption, 3)


def _counts() -> Block:
    models = {"Llama 3 8B": "llama3-8b", "Llama 3 70B": "llama3-70b", "Llama 3.1 405B": "llama3-1-405b"}
    rows: dict[str, list[Answer | str]] = {
        label: [solve("exact_parameters", model), held(model, "total_parameters")] for label, model in models.items()
    }
    rows["DeepSeek-V3"] = [solve("latent_mixture_parameters", "deepseek-v3"), held("deepseek-v3", "total_parameters")]
    return table(rows, ("model", "counted from its shapes", "published"), "Parameters from shapes.", 5)
