"""Pictures and texts have the same bytes whatever instructions the processor has.

Numpy, OpenBLAS and the C library choose their loops by the processor, and the last digits of logarithms, exponentials
and sums depend on the choice. The same program runs twice: as it is, and with the newer instructions taken away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib
import json
from random import Random
import numpy
import derive
from derive.presentation.charts import Axis, Chart, Series
from derive.presentation.plotting import as_picture
from derive.tables.table_charts import charts

def falling(draw):
    "A picture; with one seed of nine its layout has other last digits on another processor, as with these six."
    low, high = draw.uniform(1, 9), 10 ** draw.uniform(2.2, 4)
    x = [low * (high / low) ** (i / 6) for i in range(7)]
    line = Series.of(x, [draw.uniform(50, 100) / one for one in x], "a line")
    point = Series.of([16], [3], style="points", tags=("16",))
    return Chart(Axis("chips", log=True), Axis("time [ms]", log=True), (line, point), title=draw.choice(["", "Title"]))

tank = derive.load('''
[quantities]
level = { unit = "m" }
inflow = { unit = "m**3/s" }
area = { unit = "m**2" }
delay = { unit = "s" }
age = { unit = "s" }
wear = { unit = "m" }
[relations]
filling = { equation = "level = inflow*delay/area*(1 - exp(-age/delay)) + wear*log(1 + age/delay)" }
weather = { equation = "wear = max(0.3*sqrt(area), inflow*delay/area)" }
''')
given = {"area": "3 m**2", "delay": "70 s"}
table = tank.sweep("level", age=derive.span("1..1000 s", 13), inflow=derive.span("0.01..1 m**3/s", 13), **given)
answer = tank.solve("age", level="0.9 m", inflow="0.1 m**3/s", **given)

made = {"text": answer.text(), "markdown": answer.markdown(), "latex": answer.latex()}
drawn = {f"falling-{seed}": [falling(Random(seed))] for seed in (12, 17, 20, 41, 42, 49)}
drawn["map"] = charts(table)
for name, panels in drawn.items():
    for ending in (".svg", ".png") if name == "falling-12" else (".svg",):
        picture = as_picture(ending, name, *panels)
        content = picture if isinstance(picture, bytes) else picture.encode()
        made[name + ending] = hashlib.sha256(content).hexdigest()

numbers = numpy.linspace(0.1, 10, 1000)
unrounded = [numpy.exp(numbers), numpy.log(numbers), numpy.vander(numbers, 20) @ numpy.ones(20)]
print(json.dumps({"made": made, "unrounded": [one.tobytes().hex() for one in unrounded]}))
"""
FEATURES = """
from importlib import import_module
try:
    module = import_module("numpy._core._multiarray_umath")
except ImportError:  # before numpy 2
    module = import_module("numpy.core._multiarray_umath")
print(*(name for name in module.__cpu_dispatch__ if module.__cpu_features__[name]))
"""


def printed(program: str, **settings: str) -> str:
    asked = [sys.executable, "-c", program]
    done = subprocess.run(asked, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.long
def test_the_bytes_do_not_depend_on_the_instructions_of_the_processor():
    settings = {
        "NPY_DISABLE_CPU_FEATURES": printed(FEATURES).strip(),
        "OPENBLAS_CORETYPE": "Prescott",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4",
    }
    here, elsewhere = json.loads(printed(PROGRAM)), json.loads(printed(PROGRAM, **settings))
    assert elsewhere["made"] == here["made"]
    if elsewhere["unrounded"] == here["unrounded"]:
        pytest.skip("this processor has no instructions that could be taken away")
