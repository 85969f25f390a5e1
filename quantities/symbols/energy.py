"""Energy, carbon and water of a run or a token, and what a chip-hour costs its owner."""

from quantities.declaration import Declaration

chip_power = Declaration(
    "chip_power",
    "W/chip",
    "rated power of one chip, with its share of the server if so stated",
    latex="P_c",
    aliases=["TDP", "thermal design power"],
)
power_share = Declaration("power_share", "", "share of the rated power that is drawn", default=1.0, latex="f_P")
power_usage_effectiveness = Declaration(
    "power_usage_effectiveness",
    "",
    "power of the building over that of its computers; 1 counts the computers alone",
    default=1.0,
    latex=r"\mathrm{PUE}",
    aliases=["PUE"],
)
drawn_power = Declaration(
    "drawn_power", "W/chip", "power drawn for one chip, the building's share included", latex="P_d"
)
flops_per_joule = Declaration(
    "flops_per_joule", "FLOP/J", "operations for each joule of rated power, at the peak", aliases=["FLOPS per watt"]
)

# A run
training_energy = Declaration("training_energy", "MWh", "electricity (energy) of a run", aliases=["energy consumption"])
carbon_intensity = Declaration(
    "carbon_intensity", "kg/kWh", "carbon dioxide emitted for a unit of electricity", aliases=["grid carbon intensity"]
)
training_energy_per_token = Declaration("training_energy_per_token", "J/token", "electricity for one token trained on")
flops_per_joule_achieved = Declaration(
    "flops_per_joule_achieved",
    "FLOP/J",
    "operations that a run needs for each joule that it draws",
    aliases=["FLOPS per watt"],
)
training_carbon = Declaration(
    "training_carbon", "t", "carbon dioxide (CO2) emitted for a run", aliases=["carbon footprint", "CO2 emissions"]
)
water_intensity = Declaration(
    "water_intensity", "l/kWh", "water used for a unit of electricity", aliases=["WUE", "water usage effectiveness"]
)
training_water = Declaration("training_water", "l", "water used for a run", aliases=["water footprint"])
energy_price = Declaration(
    "energy_price", "USD/kWh", "price of electricity", latex="p_e", aliases=["electricity price"]
)
training_energy_cost = Declaration("training_energy_cost", "USD", "electricity bill of a run")
cluster_power = Declaration("cluster_power", "MW", "power of the building for a whole training cluster")

# A token
serving_power = Declaration("serving_power", "kW", "power of the building for the chips that serve", latex="P_s")
energy_per_token = Declaration(
    "energy_per_token", "J/token", "electricity for one served token", latex="e_t", aliases=["joules per token"]
)
energy_cost_per_token = Declaration(
    "energy_cost_per_token", "USD/Mtoken", "electricity bill for one served token", latex="c_e"
)
carbon_per_token = Declaration("carbon_per_token", "g/Mtoken", "carbon dioxide emitted for one served token")

# Ownership
chip_capital = Declaration(
    "chip_capital", "USD/chip", "purchase of one chip with its share of the machine", latex="K_c", aliases=["GPU capex"]
)
chip_life = Declaration(
    "chip_life",
    "year",
    "time over which the purchase is written off",
    latex="T_c",
    aliases=["depreciation period", "useful life"],
)
chip_use = Declaration(
    "chip_use", "", "share of the hours that are sold or used", domain="0..1", default=1.0, latex="u_c"
)
capital_price = Declaration("capital_price", "USD/h/chip", "purchase spread over the hours of its life", latex="p_K")
power_price = Declaration("power_price", "USD/h/chip", "electricity for one chip and hour", latex="p_P")
upkeep_price = Declaration(
    "upkeep_price",
    "USD/h/chip",
    "hosting and staff for one chip and hour",
    domain="nonnegative",
    default="0 USD/h/chip",
    latex="p_u",
)
owned_chip_price = Declaration(
    "owned_chip_price",
    "USD/h/chip",
    "what a used chip-hour costs the owner; chip_price is a rent",
    latex="p_{own}",
    aliases=["TCO per GPU-hour"],
)
rent_margin = Declaration("rent_margin", "", "share of the rent that the owner keeps", domain="real")
owned_training_cost = Declaration("owned_training_cost", "USD", "cost of a run on chips of one's own")
break_even_time = Declaration(
    "break_even_time", "year", "time after which buying has cost less than renting", aliases=["break-even point"]
)
cluster_capital = Declaration("cluster_capital", "USD", "purchase of the whole training cluster")
