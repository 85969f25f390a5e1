"""Energy and what follows from it, and the price of a chip-hour for its owner."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import capacity, energy, roofline, training, vocabulary

_state = partial(
    relate,
    source="Patterson et al., Carbon Emissions and Large Neural Network Training, arXiv 2104.10350",
    quantities=vocabulary(roofline, capacity, training, energy),
)

_define = partial(_state, source="by definition")

relations = [
    _state(
        "drawn_power",
        "drawn_power = chip_power*power_share*power_usage_effectiveness",
        because="cooling and conversion add to what the chip draws",
    ),
    _define("flops_per_joule", "flops_per_joule = peak_compute/chip_power", because="rates over the same second"),
    # A run
    _state("training_energy", "training_energy = training_chip_time*drawn_power", because="power over all chip-hours"),
    _define(
        "training_energy_per_token",
        "training_energy_per_token = training_energy/training_tokens",
        because="every token costs the same work",
    ),
    _define(
        "flops_per_joule_achieved",
        "flops_per_joule_achieved = training_compute/training_energy",
        because="its definition",
    ),
    _state(
        "training_carbon", "training_carbon = training_energy*carbon_intensity", because="the grid emits by the kWh"
    ),
    _define(
        "training_water", "training_water = training_energy*water_intensity", because="cooling evaporates by the kWh"
    ),
    _define(
        "training_energy_cost",
        "training_energy_cost = training_energy*energy_price",
        because="electricity is sold by the kWh",
    ),
    _define("cluster_power", "cluster_power = training_chips*drawn_power", because="powers add up"),
    # A token
    _define("serving_power", "serving_power = chips*drawn_power", because="powers add up"),
    _define(
        "energy_per_token",
        "energy_per_token = serving_power/throughput",
        because="power is shared by the tokens of a second",
    ),
    _define(
        "energy_cost_per_token",
        "energy_cost_per_token = energy_per_token*energy_price",
        because="electricity is sold by the kWh",
    ),
    _define(
        "carbon_per_token", "carbon_per_token = energy_per_token*carbon_intensity", because="the grid emits by the kWh"
    ),
    # Ownership
    _define("capital_price", "capital_price = chip_capital/chip_life", because="a purchase is written off evenly"),
    _define("power_price", "power_price = drawn_power*energy_price", because="electricity is sold by the kWh"),
    _define(
        "owned_chip_price",
        "owned_chip_price = (capital_price + power_price + upkeep_price)/chip_use",
        because="the hours in use pay for all hours",
    ),
    _define(
        "owned_training_cost",
        "owned_training_cost = training_chip_time*owned_chip_price",
        because="every chip-hour costs the same",
    ),
    _define("rent_margin", "rent_margin = 1 - owned_chip_price/chip_price", because="what the rent leaves"),
    _define(
        "break_even_time",
        "chip_capital = break_even_time*(chip_price*chip_use - power_price - upkeep_price)",
        because="the rent saved, less running costs, repays the purchase",
    ),
    _define("cluster_capital", "cluster_capital = training_chips*chip_capital", because="purchases add up"),
]
