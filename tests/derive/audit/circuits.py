"""A library small enough to be audited with a pencil."""

from __future__ import annotations

import derive

CIRCUIT = derive.load("""
[quantities]
voltage = { unit = "V" }
current = { unit = "A" }
resistance = { unit = "ohm" }
power = { unit = "W" }
loss = { unit = "1", domain = "0..1" }
efficiency = { unit = "1", domain = "0..1" }
[relations.ohm]
equation = "voltage = current*resistance"
[relations.joule]
equation = "power = voltage*current"
[relations.whole]
equation = "efficiency = 1 - loss"
[profiles.lamp]
resistance = "24 ohm"
voltage = "12 V"
[profiles.heater]
resistance = "10..40 ohm"
voltage = "230 V"
""")
