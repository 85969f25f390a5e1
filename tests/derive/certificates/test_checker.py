"""The checker confirms what is true of equations in one unknown, and nothing that was changed."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from derive.certificates.checker import check
from derive.certificates.proof import Boxes, Claim, Count, Cut, Isolation, KnownNumber
from derive.errors import VerificationError
from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.certification import claim_of
from derive.solving.blocks.complete_search import NOWHERE, contractors_refute
from derive.solving.blocks.one_unknown import values_of
from derive.solving.blocks.system import System
from quantities.domain import Domain
from tests.derive.certified import counted_by_intervals, counted_by_sturm
from tests.derive.known_roots import known
from tests.derive.solving.test_certified import polynomial, sum_of_terms
from tests.ordinary import every

REAL = Domain("real", -math.inf, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
GIVEN = {"a": 3.0, "b": 1.0 / 3.0}

ISOLATED = (
    ("x = a", REAL),
    ("a = 2*sqrt(x - b)", POSITIVE),
    ("x**2 = a", REAL),
    ("x**2 = a", POSITIVE),
    ("x**2 = -a", REAL),
    ("a = 1/(x + b)", REAL),
    ("exp(x/b) = a", REAL),
    ("b**x = a", REAL),
    ("(x - 1)**3 = -a", REAL),
    ("cosh(x) = a", REAL),
    ("abs(x - b) = a", REAL),
    ("max(x, b) = a", POSITIVE),
    ("min(x, 4) = a", POSITIVE),
    ("(2*x if b < 1 else a) = a", POSITIVE),
    ("tanh(atan(x)) = b", REAL),
)
COUNTED = (
    ("x**3 - 6*x**2 + 11*x = 6", POSITIVE),
    ("x**2 - 2*x + 1 = 0", REAL),
    ("x/(1 + x) = 0.25", POSITIVE),
    ("a*x = x**2", POSITIVE),
    ("(x**2 - 1)/(x - 1) = a", REAL),
    ("x**2 + x + 1 = 0", REAL),
)
BOXED = (
    ("x + exp(x) = a", REAL),
    ("x*exp(x) = a", POSITIVE),
    ("exp(x) = a*x", Domain("", 0.0, 10.0)),
    ("sin(x) = x/a", REAL),
    ("max(x, 2*x - 3) = a", POSITIVE),
    ("x + sqrt(x) = a", POSITIVE),
    ("x + exp(-x) = b", REAL),
    ("sin(x) = x", POSITIVE),
)


def claim(text: str, domain: Domain) -> Claim:
    equation = parse_equation(text)
    certified = claim_of(["r"], [equation], ["x"], GIVEN, {"x": domain}, values_of(equation, "x", GIVEN, domain))
    assert certified is not None, text
    return certified


def refused(claim: Claim) -> None:
    with pytest.raises(VerificationError):
        check(claim)


@pytest.mark.parametrize(("text", "domain"), [*ISOLATED, *COUNTED, *BOXED[:-1]])
def test_a_list_of_solutions_has_a_certificate(text, domain):
    check(claim(text, domain))


@pytest.mark.parametrize(("kind", "cases"), [(Isolation, ISOLATED), (Count, COUNTED), (Boxes, BOXED[:-1])])
def test_the_cheapest_evidence_is_chosen(kind, cases):
    assert all(isinstance(claim(text, domain).evidence, kind) for text, domain in cases)


RING = ("o = a/t", "c = b*t", "e = 1 - f**t", "r = 1 - d*(1 - e)", "g = c*(1 - r*o)")


def ring(seed: int) -> System:
    """Five quantities, each a function of others, at numbers that may leave them no values."""
    draw = random.Random(seed)
    numbers = {name: 10 ** draw.uniform(-2, 2) for name in "abdg"} | {"f": draw.uniform(0.05, 0.95)}
    domains = dict.fromkeys("tocr", POSITIVE) | {"e": Domain("0..1", 0.0, 1.0)}
    return System(tuple(map(parse_equation, RING)), tuple(domains), numbers, domains)


DENIED = (1, 5, 7, 10, 11, 12, 17, 21, 25, 29, 33, 34, 36, 38)  # of the first forty


@pytest.mark.thorough
@every("seed", DENIED, ordinary=7, thorough=8)
def test_what_contractors_deny_of_five_equations_has_a_certificate(seed):
    system = ring(seed)
    assert contractors_refute(system)
    of_ring = claim_of([*RING], system.equations, system.unknowns, system.known, system.domains, NOWHERE)
    assert of_ring is not None
    check(of_ring)


@every("seed", range(60), ordinary=8)
def test_contractors_deny_nothing_that_has_a_solution(seed):
    draw = random.Random(seed)
    t, a, b, d, f = draw.uniform(0.1, 9), draw.uniform(0.1, 9), draw.uniform(0.1, 9), draw.random(), draw.random()
    o, c, r = a / t, b * t, 1 - d * f**t
    planted = {"a": a, "b": b, "d": d, "f": f, "g": c * (1 - r * o)}
    assert not contractors_refute(replace(ring(seed), known=planted))


def test_what_holds_only_to_the_third_order_has_no_certificate():
    text, domain = BOXED[-1]
    equation = parse_equation(text)
    certified = claim_of(["r"], [equation], ["x"], {}, {"x": domain}, values_of(equation, "x", {}, domain))
    assert certified is None


@pytest.mark.parametrize(("text", "domain"), [*ISOLATED, *COUNTED, *BOXED[:-1]])
def test_a_solution_that_is_left_out_moved_or_made_up_is_noticed(text, domain):
    sound = claim(text, domain)
    for place in range(len(sound.solutions)):
        others = sound.solutions[:place] + sound.solutions[place + 1 :]
        refused(replace(sound, solutions=others))
        for share in (1e-6, -0.1):
            moved = sound.solutions[place][0] * (1 + share) or share
            refused(replace(sound, solutions=(*others, (moved,))))
    refused(replace(sound, solutions=(*sound.solutions, (7.25,))))
    refused(replace(sound, solutions=(*sound.solutions, *sound.solutions[:1], (7.25,))))


@pytest.mark.parametrize(("text", "domain"), [*ISOLATED, *COUNTED, *BOXED[:-1]])
def test_another_number_is_noticed(text, domain):
    told = claim(text, domain)
    for place, one in enumerate(told.known):
        known = list(told.known)
        known[place] = replace(one, value=one.value * Fraction(101, 100))
        if told.solutions and "if" not in text and "max" not in text and not ("min" in text and one.name == "b"):
            refused(replace(told, known=tuple(known)))


@pytest.mark.parametrize(("text", "domain"), BOXED[:-1])
def test_boxes_that_are_moved_or_missing_are_noticed(text, domain):
    sound = claim(text, domain)
    evidence = sound.evidence
    assert isinstance(evidence, Boxes)
    refused(replace(sound, evidence=replace(evidence, tree=evidence.tree[:-1])))
    refused(replace(sound, evidence=replace(evidence, tree=(*evidence.tree, None))))
    if evidence.places:
        refused(replace(sound, evidence=replace(evidence, places=evidence.places[1:])))
    for index, node in enumerate(evidence.tree):
        if isinstance(node, int):
            tree = (*evidence.tree[:index], None, *evidence.tree[index + 1 :])
            refused(replace(sound, evidence=replace(evidence, tree=tree)))
    for index, place in enumerate(evidence.places):
        ((low, high),) = place.narrow
        aside = replace(place, narrow=((low + 0.125, high + 0.125),))
        places = (*evidence.places[:index], aside, *evidence.places[index + 1 :])
        refused(replace(sound, evidence=replace(evidence, places=places)))


def test_a_cut_outside_its_box_is_noticed():
    sound = claim("exp(x) = a*x", Domain("", 0.0, 10.0))
    assert isinstance(sound.evidence, Boxes)
    first = sound.evidence.tree[0]
    assert isinstance(first, Cut)
    refused(replace(sound, evidence=replace(sound.evidence, tree=(replace(first, at=11.0), *sound.evidence.tree[1:]))))


@pytest.mark.parametrize("evidence", [Isolation(("pow",)), Count(1), Boxes((), (None,))])
def test_evidence_of_another_kind_proves_nothing(evidence):
    for text, domain in (*ISOLATED, *BOXED[:-1]):
        sound = claim(text, domain)
        is_other = bool(sound.solutions) and type(sound.evidence) is not type(evidence)
        if is_other and "x**2" not in text and not isinstance(evidence, Count):
            refused(replace(sound, evidence=evidence))


def test_a_blur_that_hides_the_number_of_solutions_is_noticed():
    sound = claim("x**2 - 2*x + 1 = 0", REAL)
    text = parse_equation("x**2 - 2*x + c = 0")
    blurred = replace(sound, equations=(text,), known=(KnownNumber("c", Fraction(1), 1e-13),))
    refused(blurred)


def verdict(seed: int) -> str:
    """What is wrong with a certificate for a random equation; nothing, if nothing is."""
    draw = random.Random(seed)
    if draw.random() < 0.4:
        text, coefficients, low, high = polynomial(draw)
        count = counted_by_sturm(coefficients, Fraction(low), Fraction(high))
    else:
        text, low, high = sum_of_terms(draw)
        count = counted_by_intervals(parse_equation(f"{text} = 0").lhs, low, high)
    equation, domain = parse_equation(f"{text} = 0"), Domain("", low, high)
    outcome = values_of(equation, "x", {}, domain)
    certified = claim_of(["r"], [equation], ["x"], {}, {"x": domain}, outcome)
    if certified is None or count is None:
        return ""
    return "" if len(certified.solutions) == count else f"{text}: {count} solutions, certified {certified.solutions}"


@pytest.mark.thorough
def test_a_certified_list_is_as_long_as_an_independent_count():
    assert not [flaw for flaw in map(verdict, range(60)) if flaw]


@pytest.mark.long
@pytest.mark.parametrize("batch", range(20))
def test_a_certified_list_is_as_long_as_an_independent_count_at_length(batch):
    assert not [flaw for flaw in map(verdict, range(500 * batch, 500 * batch + 500)) if flaw]


def lacking(seed: int) -> str:
    """Which known root a certified list lacks; nothing, if it has all."""
    case = known(seed)
    domain, equation = Domain("", case.low, case.high), parse_equation(case.text)
    outcome = values_of(equation, "x", case.givens, domain)
    certified = claim_of(["r"], [equation], ["x"], case.givens, {"x": domain}, outcome)
    if certified is None:
        return ""
    missing = [x for x in case.roots if not any(abs(x - y) <= 1e-6 * abs(x) for (y,) in certified.solutions)]
    return f"{case.text}: {missing or case.spans} missing" if missing or case.spans else ""


def test_no_known_root_is_missing_from_a_certified_list():
    assert not [missing for missing in map(lacking, range(60)) if missing]


def test_solutions_of_a_system_have_a_certificate():
    pair = [parse_equation("x**2 + y**2 = 25"), parse_equation("cos(y - 4) = x - 2")]
    domains = dict.fromkeys("xy", Domain("-9..9", -9.0, 9.0))
    certified = claim_of(["r", "s"], pair, ["x", "y"], {}, domains, solve_block(pair, ["x", "y"], {}, domains))
    assert certified is not None
    check(certified)
    assert isinstance(certified.evidence, Boxes)
    refused(replace(certified, solutions=certified.solutions[1:]))
    fewer = replace(certified.evidence, places=certified.evidence.places[1:])
    refused(replace(certified, solutions=certified.solutions[1:], evidence=fewer))
    refused(replace(certified, evidence=replace(certified.evidence, tree=certified.evidence.tree[:-2])))


def test_a_linear_system_needs_no_boxes_even_without_bounds():
    pair = [parse_equation("x + y = a"), parse_equation("x - 2*y = b")]
    domains = dict.fromkeys("xy", REAL)
    certified = claim_of(["r", "s"], pair, ["x", "y"], GIVEN, domains, solve_block(pair, ["x", "y"], GIVEN, domains))
    assert certified is not None
    assert isinstance(certified.evidence, Boxes)
    assert certified.evidence.tree == (0,)
