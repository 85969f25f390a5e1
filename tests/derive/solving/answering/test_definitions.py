"""A definition yields to a number typed for it, and to nothing that follows from other givens."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import derive
from tests.derive.linear_cases import decimal

FALL = """
[quantities]
k = { unit = "1", value = "%s", kind = "exact", source = "by definition" }
both = { unit = "1" }
v = { unit = "1" }
w = { unit = "1" }
x = { unit = "1" }
y = { unit = "1" }
z = { unit = "1" }
[relations]
y = { equation = "y = k*x" }
w = { equation = "w = k*v" }
z = { equation = "z = w + y" }
both = { equation = "both = 2*k" }
"""


@pytest.mark.parametrize("seed", range(25))
def test_a_definition_stands_or_the_givens_contradict_each_other(seed: int) -> None:
    draw = random.Random(seed)
    k, x, v = (Fraction(draw.randint(1, 300), 10) for _ in range(3))
    off = draw.choice([Fraction(1), Fraction(3, 2), Fraction(101, 100)])
    library = derive.load(FALL % decimal(k))
    given = {"x": decimal(x), "y": decimal(k * x * off), "v": decimal(v)}
    assert library.solve("k", x=given["x"], y=given["y"]).base == pytest.approx(float(k * off))
    for target, right in (("w", k * v), ("z", k * (v + x))):
        if off == 1:
            assert library.solve(target, **given).base == pytest.approx(float(right))
        else:
            with pytest.raises(derive.InconsistentError, match=r"y = k\*x"):
                library.solve(target, **given)
    with pytest.raises(derive.InconsistentError, match=r"both = 2\*k"):
        library.solve("w", v=given["v"], both=decimal(2 * k + 1))
    typed = library.solve("w", v=given["v"], k=decimal(k + 1), both=decimal(2 * k + 2))  # instead of the definition
    assert typed.base == pytest.approx(float((k + 1) * v))


EXPERTS = {
    "layers": "26",
    "latent_layer_parameters": "50.6 parameter",
    "output_parameters": "5.52 parameter",
    "expert_layers": "1",
    "router_parameters": "1.71 parameter",
    "shared_experts": "1",
    "expert_parameters": "3.62 parameter",
    "embedding_parameters": "0.651 parameter",
    "positions": "16.3",
    "hidden_size": "5.43",
    "idle_expert_parameters": "12.4 parameter",
    "uncounted_parameters": "0.473 parameter",
    "code_bytes_per_parameter": "6.53 byte/parameter",
    "scale_bytes": "1.88 byte",
    "scale_group": "1.06 parameter",
    "gradient_bytes_per_parameter": "2.72 byte/parameter",
    "optimizer_bytes_per_parameter": "3.76 byte/parameter",
    "data_ways": "1.84",
    "replica_chips": "5.59 chip",
    "zero2_state_bytes": "3056.143936393214 byte/chip",
}


@pytest.mark.thorough
def test_nobody_is_told_to_give_another_definition() -> None:
    with pytest.raises(derive.NoSolutionError, match="no point of the domains fits all of them") as caught:
        derive.llm.solve("active_experts", **EXPERTS)
    definitions = [name for name, value in derive.llm.defaults.items() if value.source.kind == "exact"]
    assert definitions
    assert not [name for name in definitions if f"{name} is not given" in str(caught.value)]
