"""The checker: it confirms a proof from the equations alone, and uses nothing of the searches that it checks.

A claim lists solutions. What has to be shown is that each exists and that there is no other, whatever the known numbers
are within their blur. Three kinds of evidence show it: the operations around one unknown are undone, the zeros of a
polynomial are counted, or boxes cover the domains (`solutions`). Of an optimum it is shown that its goal is nowhere
less (`lower_bounds`), and that its points are attained (`attained_points`). The theory of each stands above its module.

The claims of an answer are followed from the givens on, each block with every solution of those before it. What is
confirmed is that the answer's number is among all that its equations allow. Which relations apply is no part of it, nor
that a choice without a program has no answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

from derive.certificates.attained_points import flaw_of_points
from derive.certificates.lower_bounds import flaw_of
from derive.certificates.proof import Boxes, Claim, Count, Isolation, KnownNumber, Proof, ProofOfOptimum
from derive.certificates.solutions import flaw_of_boxes, flaw_of_count, flaw_of_isolation
from derive.errors import ExpressionError, VerificationError
from derive.expressions.arithmetic import NoElement
from derive.tolerances import SAME_ROOT

_SIGNS = {"least": 1.0, "most": -1.0}


def verify(result: Any) -> bool:
    """Whether each claim of a result's proof passes the checker: its solutions are complete, or no choice is better.

    False where the result claims no such thing. A proof that does not hold, or that is of another answer, is a
    VerificationError.
    """
    if not hasattr(result, "proof"):
        what = f"a {type(result).__name__} has no proof."
        raise ExpressionError(what, hint="Give the answer of `solve`, or the optimum of `least` or `most`.")
    proof: Proof | ProofOfOptimum | None = result.proof
    if proof is None:
        return False
    if isinstance(proof, ProofOfOptimum):
        return _is_best(result, proof)
    if proof.target != result.quantity.name:
        raise VerificationError(f"The proof is of {proof.target}, and not of {result.quantity.name}.")
    steps = chain.from_iterable(step.together or (step,) for step in result.steps)
    stated = {step.stated for step in steps}
    for claim in proof.claims:
        is_of_answer = stated.issuperset(claim.equations)
        pairs = zip(claim.unknowns, claim.domains, strict=True)
        if not is_of_answer or any(result.quantities[name].domain != domain for name, domain in pairs):
            raise VerificationError(f"{claim}: the proof is of other relations or domains.", relation=str(claim))
    given = {name: value.base[1] for name, value in result.given.items()}
    if not any(math.isclose(x, result.base, rel_tol=SAME_ROOT) for x in _targets(proof, given)):
        raise VerificationError(f"{proof.target}: the proof is of other numbers than {result.base}.")
    return True


def _is_best(result: Any, proof: ProofOfOptimum) -> bool:
    """Check an optimum's proof, bound by bound: no choice is better by more than a distance that counts as none."""
    if proof.sign != _SIGNS.get(result.sense):
        raise VerificationError(f"The proof of the optimum is not of what is {result.sense}.")
    value = proof.sign * result.answer.base
    if len(proof.bounds) != len(result.choices):
        raise VerificationError("The proof of the optimum is of fewer choices.")
    flaw = flaw_of_points(proof, value, result.chosen, result.choices, is_zero=result.gap_is_absolute)
    if flaw:
        raise VerificationError(flaw)
    for i, bounds in enumerate(proof.bounds):
        flaws = [flaw_of(bound) for bound in bounds]
        if any(not abs(bound.floor - value) <= 2 * proof.distance for bound in bounds):  # true of NaN too
            flaws.append("its floor is not next to the value")
        if any(flaws):
            raise VerificationError(f"The bound of choice {i + 1} does not hold: {', '.join(filter(None, flaws))}.")
    return True


def _targets(proof: Proof, given: Mapping[str, float]) -> list[float]:
    """Check a proof's claims, each block with every solution before it; the numbers of the target that they leave."""
    states = [dict(given)]
    for relations in dict.fromkeys(claim.relations for claim in proof.claims):
        following = []
        for state in states:
            of_block = (claim for claim in proof.claims if claim.relations == relations)
            claim = next((claim for claim in of_block if _starts_from(claim, state)), None)
            if claim is None:
                raise VerificationError(f"{', '.join(relations)}: there is no claim for some numbers before.")
            check(claim)
            following += [state | dict(zip(claim.unknowns, point, strict=True)) for point in claim.solutions]
        states = following
    return [state.get(proof.target, math.nan) for state in states]


def _starts_from(claim: Claim, state: Mapping[str, float]) -> bool:
    """Whether a claim's known numbers are those of a state in the proof, and all that its equations need.

    What was computed before is rounded, so that a claim has to hold for all that it may be.
    """
    spans = claim.spans
    if claim.needed != spans.keys() or not state.keys() >= spans.keys():
        return False
    if any(known.blur < KnownNumber.of(known.name, state[known.name]).blur for known in claim.known):
        return False
    return all(low <= state[name] <= high for name, (low, high) in spans.items())


def check(claim: Claim) -> None:
    """Confirm a claim of a proof; a VerificationError says what does not hold."""
    try:
        match claim.evidence:
            case Isolation():
                flaw = flaw_of_isolation(claim, claim.evidence)
            case Count():
                flaw = flaw_of_count(claim, claim.evidence)
            case Boxes():
                flaw = flaw_of_boxes(claim, claim.evidence)
    except (NoElement, LookupError, ValueError, ZeroDivisionError):
        flaw = "its evidence cannot be followed"
    if flaw:
        raise VerificationError(f"{claim}: the proof does not hold: {flaw}.", relation=claim.relations[0])
