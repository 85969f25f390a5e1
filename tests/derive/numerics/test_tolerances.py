"""The ladder that the tolerances stand on, and that no other module has a tolerance of its own."""

import ast
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest

import derive
from derive import tolerances
from quantities import tolerances as declared

ROOT = Path(derive.__file__).parents[1]

RISING = {
    "rounding": "EPSILON LAST_DIGIT HANDFUL EXPRESSION BLUR TIGHT MET AGREEMENT",
    "from givens to answers": "EXPRESSION BLUR MET AGREEMENT CONTRADICTION SAME_MULTIPLE NEAR_MULTIPLE",
    "roots": "EXPRESSION SAME_ROOT SAME_SOLUTION SAME_MULTIPLE NEAR_MULTIPLE",
    "what is cut no further": "FINEST_BOX FINEST_PART SAME_ROOT SAME_SOLUTION",
    "a box, and what hides a form in it": "HANDFUL EXPRESSION FINEST_BOX SAME_ROOT",
    "residuals of a search": "BLUR MET AGREEMENT",
    "an interval that is a number": "MET SAME_SOLUTION EXTREME",
    "rank": "EXPRESSION RANK RANK_OF_SLOPES",
    "bounds": "TIGHT EXTREME",
    "in many digits": "NEGLIGIBLE LAST_DIGIT VANISHED",
    "sizes": "LEAST UNDERFLOW SMALLEST LEAST_FACTOR",
    "large ones": "MOST_FACTOR LARGEST MOST",
}

ROLES = {
    "bounds a rounding, in a proof or for a computed number": "EPSILON HANDFUL EXPRESSION UNDERFLOW BLUR",
    "is the contract's own: sides agree, two answers are one": "AGREEMENT SAME_ROOT CONTRADICTION",
    "decides": """
        LAST_DIGIT TIGHT MET SAME_SOLUTION SAME_MULTIPLE NEAR_MULTIPLE RANK RANK_OF_SLOPES EXTREME NEGLIGIBLE VANISHED
    """,
    "steers a search: a step, or where it stops": "FINEST_BOX FINEST_PART AROUND_ZERO ASIDE",
    "says what is worth a word": "MOVED WORTH_TELLING TOLD CORNER",
    "is a size": "LEAST MOST SMALLEST LARGEST LEAST_FACTOR MOST_FACTOR",
}
"""What each constant is for. Those that decide stand where exact numbers do not decide yet: none may be added."""

MOST_THAT_DECIDE = 11

OWN = {
    "derive.expressions.special_functions._BRANCH_REST": "digits of a constant",
    "derive.numerics.algebra.evaluation._NEAR": "where a residual is looked at beside a root",
    "derive.numerics.algebra.refinement._FINEST_STEP": "step of a difference quotient",
    "derive.numerics.algebra.multiprecision._INWARDS": "points at which a stretch is looked at",
    "derive.numerics.local_solvers.minpack._SHORTEST": "how far a step is halved",
    "derive.numerics.local_solvers.newton._STEP": "step of a difference quotient",
    "derive.numerics.local_solvers.newton._DAMPED": "how strongly a step is damped",
    "derive.numerics.root_finding.branch_and_prune._AROUND": "where a solution is tried to stand alone",
    "derive.numerics.root_finding.krawczyk._SHARES": "the same, one size after the other",
    "derive.optimization.points._SHORTEST": "how far a step is halved",
    "derive.solving.answering.explanation._STEP": "step of a difference quotient",
    "derive.solving.blocks.certification._NARROW": "where a solution is tried to exist",
    "derive.solving.blocks.certification._REGIONS": "where a solution is tried to stand alone",
    "derive.solving.blocks.sample_points._SIZES": "points all over a domain",
    "derive.solving.blocks.propagation._PAYS": "whether another round is worth while",
    "derive.tables.table_charts._BESIDE_KNEE": "how near a knee a curve is looked at",
    "derive.tables.sweep_question._SLOW": "seconds",
}
"""The small numbers that other modules have: none of them says what is the same, or what is nothing."""


@pytest.mark.parametrize("names", RISING.values(), ids=RISING)
def test_each_rung_is_above_the_one_before(names):
    rungs = [getattr(tolerances, name) for name in names.split()]
    assert all(low < high for low, high in pairwise(rungs))


def test_every_constant_has_one_role():
    listed = [name for names in ROLES.values() for name in names.split()]
    assert sorted(listed) == sorted(name for name in dir(tolerances) if name.isupper())
    assert len(ROLES["decides"].split()) <= MOST_THAT_DECIDE


def test_what_one_kind_lets_pass_the_next_can_bear():
    assert math.sqrt(tolerances.TIGHT) <= tolerances.SAME_MULTIPLE
    assert tolerances.AGREEMENT <= tolerances.SAME_ROOT
    assert tolerances.SAME_ROOT**2 < tolerances.EPSILON  # a step that leads to the same root is the last


def test_declared_numbers_are_told_apart_no_less_sharply_than_answers():
    assert tolerances.HANDFUL < declared.UNIT_ROUNDING < declared.SAME_DEFAULT < tolerances.AGREEMENT


def test_products_of_sizes_are_numbers():
    powers = {"LARGEST": 5, "MOST_FACTOR": 6}
    assert all(getattr(tolerances, name) ** power <= tolerances.MOST * 1.001 for name, power in powers.items())
    assert all(getattr(tolerances, name) > 0 for name in dir(tolerances) if name.isupper())


def sources():
    for package in ("derive", "quantities"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.stem != "tolerances":
                yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path.read_text(encoding="utf-8")


MAY_BE_SMALL = re.compile(r"[eE]-\d|\.0000|\*\* ?-")


def is_small(node):
    """A literal below a ten-thousandth, or a power with so negative an exponent."""
    match node:
        case ast.Constant(value=float(number)):
            return 0 < number < 1e-4
        case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=power))):
            return power > 4
    return False


def test_no_other_module_has_a_tolerance_of_its_own():
    found = set()
    for module, text in sources():
        for statement in ast.parse(text).body if MAY_BE_SMALL.search(text) else ():
            if any(map(is_small, ast.walk(statement))):
                target = statement.targets[0] if isinstance(statement, ast.Assign) else statement
                found.add(f"{module}.{getattr(target, 'id', getattr(target, 'name', statement.lineno))}")
    assert found == OWN.keys()


def test_every_tolerance_is_used():
    own = {name for module in (tolerances, declared) for name in dir(module) if name.isupper()}
    imported = re.compile(r"^ *from (?:derive|quantities)\.tolerances import (\([^)]*\)|.*)$", re.MULTILINE)
    used = set()
    for _, text in sources():
        named = {name for found in imported.findall(text) for name in re.findall(r"\w+", found)}
        used |= {name for name in named if len(re.findall(rf"\b{name}\b", text)) > 1}
    assert not own - used
