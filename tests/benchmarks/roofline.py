"""The five equations of a token's cost, in the tongues of several packages.

compute = flops*tokens/peak          weights = size/bandwidth          kv = cache*tokens/bandwidth
step = max(compute, weights + kv)    cost = price*step/tokens
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

UNITS = {
    "price": "USD/s",
    "tokens": "token",
    "flops": "FLOP/token",
    "peak": "FLOP/s",
    "size": "GB",
    "bandwidth": "GB/s",
    "cache": "GB/token",
}
NUMBERS = {
    "price": 2.0,
    "tokens": 64.0,
    "flops": 1.4e11,
    "peak": 1e15,
    "size": 70.0,
    "bandwidth": 3350.0,
    "cache": 0.001,
}
GIVEN = {name: f"{number!r} {UNITS[name]}" for name, number in NUMBERS.items()}
COST = 0.0006  # USD/token: what is asked backwards
UNKNOWNS = {"cost": "USD/token", "step": "s", "compute": "s", "weights": "s", "kv": "s"}
EQUATIONS = (
    "compute = flops*tokens/peak",
    "weights = size/bandwidth",
    "kv = cache*tokens/bandwidth",
    "step = max(compute, weights + kv)",
    "cost = price*step/tokens",
)
TEXT = "\n".join(
    [
        "[quantities]",
        *(f'{name} = {{ unit = "{unit}" }}' for name, unit in (UNITS | UNKNOWNS).items()),
        "[relations]",
        *(f'r{i} = {{ equation = "{equation}" }}' for i, equation in enumerate(EQUATIONS, 1)),
    ]
)
BACKWARDS = {**{name: text for name, text in GIVEN.items() if name != "bandwidth"}, "cost": f"{COST!r} USD/token"}
BANDWIDTH = (NUMBERS["size"] + NUMBERS["cache"] * NUMBERS["tokens"]) / (COST * NUMBERS["tokens"] / NUMBERS["price"])
"""The answer backwards, where memory binds."""


def cost(
    price: Any, tokens: Any, flops: Any, peak: Any, size: Any, bandwidth: Any, cache: Any, *, larger: Any = max
) -> Any:
    """The same by hand, of numbers, arrays or quantities."""
    compute = flops * tokens / peak
    weights = size / bandwidth
    kv = cache * tokens / bandwidth
    return price * larger(compute, weights + kv) / tokens


def steps(
    price: Any, tokens: Any, flops: Any, peak: Any, size: Any, bandwidth: Any, cache: Any, *, larger: Any = max
) -> dict[str, Any]:
    """The cost and what leads to it, each worked out once."""
    compute = flops * tokens / peak
    kv = cache * tokens / bandwidth
    step = larger(compute, size / bandwidth + kv)
    return {"compute": compute, "kv": kv, "step": step, "cost": price * step / tokens}


def in_pint() -> dict[str, Any]:
    """The givens as quantities of a registry of pint's that knows these units."""
    registry: Any = import_module("pint").UnitRegistry()
    for definition in ("USD = [money]", "token = [token]", "FLOP = [operation]", "GB = 1e9 * byte"):
        registry.define(definition)
    return {name: registry.Quantity(number, UNITS[name]) for name, number in NUMBERS.items()}


def in_unyt() -> dict[str, Any]:
    """The givens as unyt's quantities, which know tokens, dollars and FLOPs once they are defined."""
    unyt: Any = import_module("unyt")
    registry = unyt.UnitRegistry()
    for name in ("USD", "token", "FLOP", "GB"):  # it takes no dimensions of one's own: numbers without any
        registry.add(name, 1.0, unyt.dimensions.dimensionless)
    return {name: unyt.unyt_quantity(number, UNITS[name], registry=registry) for name, number in NUMBERS.items()}


DERIVE_PROGRAM = """
import sys, time
start = time.perf_counter()
import derive
library = derive.load({text!r})
answer = library.solve({target!r}, **{given!r})
print(answer)
print(time.perf_counter() - start, file=sys.stderr)
"""
BUILT_IN_PROGRAM = """
import sys, time
start = time.perf_counter()
import derive
print(derive.solve({target!r}, {profiles}, **{given!r}))
print(time.perf_counter() - start, file=sys.stderr)
"""
SYMPY_PROGRAM = """
import sys, time
import sympy
from sympy import Eq, Max
start = time.perf_counter()
cost, step, compute, weights, kv = unknowns = sympy.symbols("cost step compute weights kv", positive=True)
names = "price tokens flops peak size bandwidth cache"
price, tokens, flops, peak, size, bandwidth, cache = sympy.symbols(names, positive=True)
equations = [
    Eq(compute, flops*tokens/peak),
    Eq(weights, size/bandwidth),
    Eq(kv, cache*tokens/bandwidth),
    Eq(step, Max(compute, weights + kv)),
    Eq(cost, price*step/tokens),
]
try:
    print(sympy.solve(equations, [{unknowns}], dict=True))
except NotImplementedError as error:
    print("refused:", error)
print(time.perf_counter() - start, file=sys.stderr)
"""
