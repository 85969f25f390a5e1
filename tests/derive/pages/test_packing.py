"""The script of a page comes out of its packing as it went in."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from derive.pages.page import packed, page, unpacked
from tests.derive.statements import bare

VALUE = st.sampled_from([0, 1, 2, 3, 99, 100, 101, 102, 250]).map("w{}".format)
LINE = st.one_of(
    st.sampled_from(["a", "b", "c", "d", "", "+", "1", "é", "= w1", "w007", "nw1"]),
    st.builds("var {} = {} * {};".format, VALUE, VALUE, VALUE),
    st.builds("y[0] = {};".format, VALUE),
)


@given(st.lists(st.lists(LINE, max_size=12).map("\n".join), max_size=3))
def test_what_is_unpacked_is_what_was_packed(kernels):
    script = unpacked(packed({"programs": []}, kernels))
    called = ",\n".join(f"{one}(derive)" for one in kernels)
    assert script == f'window.derivePage = {{data: {{"programs":[]}},\nkernels: (derive) => [\n{called}\n]}};'


def test_no_text_of_a_library_leaves_the_script_element():
    hostile = "</script><!-- <b>'\"\u2028 ${x}"
    written = page(bare("x y", {"equation": "y = 2*x", "because": hostile}), "y", (), {"x": "2"})
    assert hostile not in written
    (held,) = re.findall(r'id="packed">([^<]*)</script>', written)
    assert "</script><!-- <b>" in unpacked(held)
