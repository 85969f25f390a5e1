"""The report on walls and trades, against arithmetic of its own."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
import sympy

from derive.errors import VerificationError
from derive.reports.proofs import identical, unknown_function, unknown_symbol
from tests.derive.tokens.reports.reading import chart, lines
from tests.derive.tokens.reports.rendered import curve, row, told

pytestmark = pytest.mark.thorough

H100_BYTES, H100_HBM, H100_BF16 = 3.35e12, 80e9, 989.4e12
LLAMA = {"size": 70.6e9, "layers": 80, "heads": 64, "kv_heads": 8, "dimension": 128}
KV = 2 * LLAMA["layers"] * LLAMA["kv_heads"] * LLAMA["dimension"] * 2
HEAD_WORK = 2 * 2 * LLAMA["layers"] * LLAMA["heads"] * LLAMA["dimension"]


def crossing(points):
    """Where a line of straight pieces in the logarithms reaches one."""
    (x0, y0), (x1, y1) = next((a, b) for a, b in pairwise(points) if a[1] < 1 <= b[1])
    return x0 * (x1 / x0) ** (sympy.log(1 / y0) / sympy.log(y1 / y0))


def test_attention_equals_the_parameters_where_the_table_and_the_picture_say():
    level = 2 * LLAMA["size"] / HEAD_WORK
    (_, (told_level,), (ratio,)) = row("walls", "Where attention does", "Llama 3 70B")
    assert told_level == pytest.approx(level, rel=5e-3)
    assert ratio == pytest.approx(128e3 / level, rel=5e-3)
    assert crossing(curve(chart("walls", "walls-attention"), "Llama 3 70B")) == pytest.approx(level, rel=1e-3)


def test_windows_move_the_wall_of_gemma_beyond_three_hundred_thousand_tokens():
    work = 2 * 2 * 32 * 128
    level = (2 * 27.4e9 / work - 52 * 1024) / 10
    (_, (told_level,), _) = row("walls", "Where attention does", "Gemma 3 27B")
    assert told_level * 1e3 == pytest.approx(level, rel=5e-3)


def test_a_latent_is_worked_on_as_it_lies_in_decode():
    (_, (decode,), _) = row("walls", "Where attention does", "DeepSeek-V3, decode")
    (_, (prefill,), _) = row("walls", "Where attention does", "DeepSeek-V3, prefill")
    assert decode == pytest.approx(2 * 37e9 / (2 * 61 * 128 * (512 + 64 + 512)), rel=5e-3)
    assert prefill == pytest.approx(2 * 37e9 / (2 * 61 * 128 * (128 + 64 + 128)), rel=5e-3)


def test_the_quotient_of_the_walls_is_that_of_the_intensities():
    (near,), (far,), (quotient,), (used,) = row("walls", "Both walls", "Llama 3 70B")
    assert near == pytest.approx(2 * LLAMA["size"] * H100_BYTES / (H100_BF16 * KV), rel=5e-3)
    assert used == 2 * 64 / 8 / 2
    assert quotient == pytest.approx(far / near, rel=1e-2)
    assert quotient == pytest.approx(H100_BF16 / H100_BYTES / used, rel=5e-3)


def test_eight_chips_read_so_much_context_in_twenty_milliseconds():
    room = 8 * H100_BYTES * 0.02 - 2 * LLAMA["size"]
    (alone,), (shared,), (chips,) = row("walls", "The context that can be read", "Llama 3 70B, 8 H100")
    assert (alone * 1e6, shared) == pytest.approx((room / KV, room / KV / 32), rel=5e-3)
    assert chips == pytest.approx((1e8 * KV + 2 * LLAMA["size"]) / (H100_BYTES * 0.02), rel=5e-3)


def test_a_memory_that_is_full_is_read_in_the_drain_time():
    """On the border of what fits, a step lasts as long as the memory takes to be read: shorter ones lie below it."""
    drawn = chart("walls", "walls-frontier")
    fits, made_for = sorted(drawn.series, key=lambda one: min(one.y))
    assert list(made_for.y) == pytest.approx([8192] * len(made_for.y))  # the context that the model was made for
    drain = H100_HBM / H100_BYTES
    for batch, context in zip(fits.x, fits.y, strict=True):
        read = (2 * LLAMA["size"] + batch * context * KV) / (8 * H100_BYTES)
        assert read == pytest.approx(drain, rel=1e-6)
    assert {"10 ms", "20 ms", "50 ms"} <= {*drawn.levels.names}
    assert (r"L_\tau", r"L_{\mathrm{fit}}") in lines("walls")


def test_a_square_root_is_read_by_who_selects_one_and_a_line_by_who_keeps_an_index():
    drawn = chart("walls", "walls-sparse")
    root = dict(curve(drawn, "a square root of it"))
    index = dict(curve(drawn, "a fixed selection and an index of all"))
    ends = sorted(root)[-17], sorted(root)[-1]  # sixteen steps of a picture with sixteen to a decade
    assert ends[1] / ends[0] == pytest.approx(10)
    assert root[ends[1]] / root[ends[0]] == pytest.approx(10**0.5)
    assert index[ends[1]] / index[ends[0]] == pytest.approx(10, rel=0.01)


def test_rent_cancels_from_the_time_that_a_cached_token_is_worth_holding():
    (form,) = [right for left, right in lines("walls") if left == "t_{hbm}" and "p_C" not in right]
    assert "p" not in form.replace(r"\kappa", "").replace("kappa", "")
    held = 2 * LLAMA["size"] / H100_BF16 * 141e9 / KV
    *_, (seconds,) = row("walls", "What the cache saves", "Llama 3 70B")
    assert seconds == pytest.approx(held, rel=5e-3)


@pytest.mark.parametrize("form", [0, 1], ids=["one-sided", "two-sided"])
def test_the_way_back_that_is_shown_leads_back_from_functions_that_have_no_inverse(form):
    shown = [line for line in lines("walls") if line[0] in ("y_1", "y_2", "x_1", "x_2")][4 * form : 4 * form + 4]
    there, back = shown[:2], sorted(shown[2:], key=lambda line: "x" in line[1])  # what the other needs comes first
    draw = random.Random(25)
    for _ in range(20):
        before = {"x_1": draw.randint(-9, 9), "x_2": draw.randint(-9, 9)}
        after = followed(back, {name: value for name, value in followed(there, before).items() if name[0] == "y"})
        assert {name: value for name, value in after.items() if name[0] == "x"} == before


def followed(steps, values):
    """The values, and those that the steps add to them."""
    for name, form in steps:
        values = {**values, name: eval(plain(form), {"f": lambda z: z * z - 3, "g": abs}, values)}
    return values


def plain(form):
    return form.replace(r"{\left(", "(").replace(r" \right)}", ")").replace("{", "").replace("}", "")


def test_a_map_that_is_not_undone_does_not_get_onto_the_page():
    x, y, f = unknown_symbol("x"), unknown_symbol("y"), unknown_function("f")
    with pytest.raises(VerificationError, match="not"):
        identical((y + f(x)).at(y=x + f(x)), x)


def test_a_reversible_model_keeps_one_layer_of_ninety_six():
    kept = 2048 * 12288 * (34 + 5 * 96 * 2048 / 12288) / 8
    caption = "Activations of GPT-3"
    (whole,), _, (once,) = row("walls", caption, "everything")
    (layer,), (share,), (work,) = row("walls", caption, "reversible")
    assert (whole * 1e9, layer * 1e6) == pytest.approx((96 * kept, kept), rel=5e-3)
    assert share == pytest.approx(100 / 96, abs=5e-3)
    assert (once, work) == (1, pytest.approx(4 / 3, abs=5e-3))
    assert r"1 - \frac{1}{n_l}" in told("walls")
