"""Why a question has no answer: what is missing, or which givens conflict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import examples


@examples(16, ordinary=2)
@given(a=st.integers(1, 50), b=st.integers(1, 50), factor=st.integers(2, 9))
def test_what_is_typed_contradicts_itself_also_where_the_target_is_open(a: int, b: int, factor: int) -> None:
    """That more is missing is no answer to one who typed what cannot be: `d` is unknown either way."""
    library = bare("a b c d", f"b = {factor}*a", "c = b*d")
    if b == factor * a:
        b += 1
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("c", a=a, b=b)
    assert set(caught.value.conflicts) == {"r1", f"a = {a}", f"b = {b}"}
    with pytest.raises(derive.UnderdeterminedError) as open_target:
        library.solve("c", a=a, b=factor * a)
    assert open_target.value.missing == (("d",),)
