"""A complete list of solutions has a certificate that the checker takes."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from derive.certificates.checker import check
from derive.certificates.proof import Boxes
from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.certification import claim_of
from quantities.domain import Domain


@given(st.floats(1.5, 50))
def test_both_places_at_which_a_line_crosses_a_catenary_are_certified_on_all_numbers(level):
    """The domain has no end to cut from: it is cut beside the solutions."""
    equations = [parse_equation("cosh(x) + x = h")]
    domains = {"x": Domain("real", -math.inf, math.inf)}
    outcome = solve_block(equations, ["x"], {"h": level}, domains)
    claim = claim_of(["crossing"], equations, ["x"], {"h": level}, domains, outcome)
    assert claim is not None
    assert len(claim.solutions) == 2
    assert isinstance(claim.evidence, Boxes)
    check(claim)
