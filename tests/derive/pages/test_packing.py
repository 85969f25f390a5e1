"""The script of a page comes out of its packing as it went in, but for the names that its functions give."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from derive.pages.packing import alike, packed, unpacked
from derive.pages.page import page
from tests.derive.statements import bare

LINE = st.sampled_from(["a", "b", "c", "d", "", "+", "1", "é"])


@given(st.lists(st.lists(LINE, max_size=12).map("\n".join), max_size=3))
def test_what_is_unpacked_is_what_was_packed(kernels):
    script = unpacked(packed({"programs": []}, kernels))
    called = ",\n".join(f"{one}(derive)" for one in kernels)
    assert script == f'window.derivePage = {{data: {{"programs":[]}},\nkernels: (derive) => [\n{called}\n]}};'


OPERAND = st.sampled_from(["v0", "v1", "v2", "v3", "v4", "x0", "x1"])
BODY = st.lists(st.tuples(st.integers(2, 6), OPERAND, st.sampled_from("+-*"), OPERAND), max_size=8)


def functions(body: list[tuple[int, str, str, str]]) -> str:
    """Two functions of the same names, which read what is assigned before, some of it twice."""
    lines, known = [], {"v0", "v1"}
    for place, left, sign, right in body:
        read = [one if one in known else "v0" for one in (left, right)]
        lines.append(f"var v{place} = {read[0]} {sign} {read[1]};")
        known.add(f"v{place}")
    last = lines[-1].split()[1] if lines else "v0"
    written = "\n".join(["(x) {", "var v0 = x[0];", "var v1 = x[1];", *lines, f"return {last};", "}"])
    return f"function f0{written}\nfunction f1{written}"


def value(function: str, x: list[float]) -> float:
    """The number of such a function, by Python."""
    body = re.sub(r"^function.*\n|^var |;$|^}$", "", function, flags=re.MULTILINE)
    *lines, last = body.strip().split("\n")
    space = {"x": x}
    exec("\n".join(lines), {}, space)
    return space[last.removeprefix("return ")]


@given(st.lists(BODY, min_size=1, max_size=3), st.permutations(["I", "V"]))
def test_renamed_functions_have_the_numbers_that_they_had(bodies, inputs):
    kernels = [functions(body) for body in bodies]
    for before, after in zip(kernels, alike(kernels, [inputs] * len(kernels)), strict=True):
        for one, other in zip(before.split("function ")[1:], after.split("function ")[1:], strict=True):
            assert value(f"function {other}", [2.0, 3.0]) == value(f"function {one}", [2.0, 3.0])


def test_no_text_of_a_library_leaves_the_script_element():
    hostile = "</script><!-- <b>'\"\u2028 ${x}"
    written = page(bare("x y", {"equation": "y = 2*x", "because": hostile}), "y", (), {"x": "2"})
    assert hostile not in written
    (held,) = re.findall(r'id="packed">([^<]*)</script>', written)
    assert "</script><!-- <b>" in unpacked(held)
