"""Small libraries that the tests of sweeps share."""

from __future__ import annotations

import derive

ROOFLINE = derive.load("""[quantities]
batch = { unit = "1" }
step = { unit = "ms" }
reading = { unit = "ms" }
working = { unit = "ms" }
weights = { unit = "ms", value = "4 ms" }
each = { unit = "ms", value = "0.05 ms" }
rate = { unit = "1/s" }
[relations]
reading = { equation = "reading = weights + 0.01*weights*batch/4" }
working = { equation = "working = each*batch" }
step = { equation = "step = max(reading, working)" }
rate = { equation = "rate = batch/step" }
""")
"""Reading and working take equally long at a batch of 100."""

GAS = derive.load("""[quantities]
p = { unit = "bar" }
V = { unit = "litre" }
n = { unit = "mol" }
T = { unit = "degC" }
R = { unit = "J/(mol*K)", value = "8.314462618 J/(mol*K)" }
W = { unit = "J" }
[relations.gas]
equation = "p*V = n*R*T"
[relations.work]
equation = "W = p*V"
[profiles.room]
T = "20 degC"
""")
