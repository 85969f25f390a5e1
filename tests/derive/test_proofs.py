"""Every proof that an answer has is confirmed, and one that was changed is refused."""

from __future__ import annotations

import copy
import pickle
import random
from dataclasses import replace
from fractions import Fraction

import pytest

import derive
from derive import DeriveError, VerificationError
from derive.certificates.proof import Proof
from tests.derive.classics import BURDEN, MORE, stated
from tests.derive.linear_cases import decimal, questions, random_cases
from tests.derive.planted_solutions import planted_pair, planted_polynomial, planted_waves
from tests.derive.random_cases import cased
from tests.derive.random_cases import hidden as hidden_numbers
from tests.derive.random_libraries import hidden
from tests.derive.statements import bare
from tests.ordinary import every

CHAIN = derive.load(
    """
    [quantities]
    x = { unit = "1" }
    y = { unit = "1", domain = "real" }
    z = { unit = "1", domain = "real" }
    s = { unit = "1" }
    [relations]
    r = { equation = "s = x + exp(x)" }
    t = { equation = "y**2 = x" }
    u = { equation = "z = y + s" }
    """
)
PAIR = derive.load(
    """
    [quantities]
    x = { unit = "1", domain = "-9..9" }
    y = { unit = "1", domain = "-9..9" }
    d = { unit = "1" }
    [relations]
    circle = { equation = "x**2 + y**2 = d" }
    wave = { equation = "cos(y - 4) = x - 2" }
    """
)
DOUBLE = derive.load(
    """
    [quantities]
    x = { unit = "1", domain = "-9..9" }
    d = { unit = "1" }
    [relations]
    touching = { equation = "d*(exp(x) - 1 - x) = 0" }
    """
)


def asked(library: derive.Library, target: str, given: dict[str, str]) -> tuple[derive.Answer, ...]:
    """The answers with numbers; none where the question has none in a few seconds."""
    try:
        with derive.limits(seconds=5):
            answers = library.solve_all(target, **given)
    except DeriveError:
        return ()
    return tuple(answer for answer in answers if answer.base is not None)


def count_of_verified(answers: tuple[derive.Answer, ...]) -> int:
    """How many answers have a proof; every one of those is verified, and others do not speak of one."""
    count = 0
    for answer in answers:
        with derive.limits(seconds=30):
            count += derive.verify(answer)
            told = [one for one in answer.assumptions if "proved by" in one]
        assert not told or answer.proof is not None, (answer, told)
    return count


def test_an_answer_has_a_proof_of_all_its_blocks():
    answers = CHAIN.solve_all("z", s="3")
    assert len(answers) == 2
    for answer in answers:
        assert answer.proof is not None
        assert [claim.relations for claim in answer.proof.claims] == [("r",), ("t",), ("u",), ("u",)]
        assert derive.verify(answer)


def test_a_proof_survives_pickling_and_copying():
    (answer, _) = CHAIN.solve_all("z", s="3")
    for other in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert other.proof == answer.proof
        assert derive.verify(other)
    assert pickle.loads(pickle.dumps(answer.proof)) == answer.proof


def test_a_question_that_is_asked_again_has_a_proof():
    for s in ("3", "4", "5"):
        assert derive.verify(CHAIN.solve("x", s=s))


def test_the_built_in_library_has_proofs():
    answer = derive.solve(
        "kv_bytes_per_token",
        "h100-sxm:fp8",
        active_parameters="100 Gparameter",
        crossover_context="200 ktoken/sequence",
    )
    assert derive.verify(answer)


def test_an_answer_that_claims_no_completeness_has_no_proof():
    (answer,) = asked(DOUBLE, "x", {"d": "2"})
    assert answer.proof is None
    assert not derive.verify(answer)
    assert not any("proved by" in one for one in answer.assumptions)
    assert "proved by" not in answer.text()


def test_an_error_says_that_nothing_fits_is_proved_only_where_it_is(monkeypatch):
    with pytest.raises(derive.NoSolutionError, match="proved by interval arithmetic"):
        PAIR.solve("x", d="0.25")
    monkeypatch.setattr("derive.solving.diagnosis.conflicts.claims_of", lambda *_: None)
    with pytest.raises(derive.NoSolutionError) as caught:
        PAIR.solve("x", d="0.25")
    assert "proved" not in str(caught.value)
    assert "no point of the domains fits all of them" in str(caught.value)


def having(answer: derive.Answer, proof: Proof) -> derive.Answer:
    return replace(answer, _proof=lambda: proof)


def assert_refused(answer: derive.Answer, proof: Proof) -> None:
    with pytest.raises(VerificationError):
        derive.verify(having(answer, proof))


@pytest.mark.parametrize("target", ["z", "y", "x"])
def test_a_proof_that_was_changed_is_refused(target):
    answer = CHAIN.solve_all(target, s="3")[0]
    proof = answer.proof
    assert proof is not None
    assert derive.verify(having(answer, proof))
    for place, claim in enumerate(proof.claims):
        rest = proof.claims[:place], proof.claims[place + 1 :]

        def told(**changes):
            return replace(proof, claims=(*rest[0], replace(claim, **changes), *rest[1]))  # noqa: B023

        assert_refused(answer, replace(proof, claims=(*rest[0], *rest[1])))
        assert_refused(answer, told(solutions=claim.solutions[1:]))
        assert_refused(answer, told(solutions=((claim.solutions[0][0] * 1.001,), *claim.solutions[1:])))
        assert_refused(answer, told(domains=(replace(claim.domains[0], low=0.5),)))
        first = claim.known[0]
        assert_refused(answer, told(known=(replace(first, value=first.value * Fraction(3, 2)), *claim.known[1:])))
        other = replace(claim.equations[0], rhs=claim.equations[0].lhs)
        assert_refused(answer, told(equations=(other,)))


def test_a_proof_of_another_answer_is_refused():
    proofs = [CHAIN.solve("x", s=s).proof for s in ("3", "4")]
    assert None not in proofs
    assert_refused(CHAIN.solve("x", s="3"), proofs[1])


def test_a_proof_of_another_quantity_is_refused_where_that_is_the_same_number():
    answer = bare("c k x", "k = 2*x**3 + x - c").solve("x", c=3, k=54)
    assert answer.base == answer.given["c"].base[1] == 3
    assert derive.verify(answer)
    with pytest.raises(VerificationError, match=r"of c, and not of x"):
        derive.verify(replace(answer, _proof=lambda: replace(answer.proof, target="c")))


@every("seed", range(12), ordinary=4)
def test_a_proof_that_takes_a_computed_number_for_exact_is_refused(seed: int) -> None:
    draw = random.Random(f"exact {seed}")
    first = draw.choice(("a = y**2 + y", "exp(y) = a", "a = y**3", "y*a = 1 + a"))
    second = draw.choice(("x + exp(x) = b + y", "x**3 + x*y = b", "b = 2*x + y**2"))
    answer = bare("a b x y", first, second).solve("x", a=draw.choice((3, 5, 7)), b=draw.choice((30, 41)))
    assert derive.verify(answer)
    claims = answer.proof.claims
    exact = tuple(replace(claim, known=tuple(replace(one, blur=0.0) for one in claim.known)) for claim in claims)
    assert exact != claims
    with pytest.raises(VerificationError):
        derive.verify(replace(answer, _proof=lambda: replace(answer.proof, claims=exact)))


def test_a_proof_of_boxes_that_was_changed_is_refused():
    answers = PAIR.solve_all("x", d="25")
    assert len(answers) == 2
    proof = answers[0].proof
    assert proof is not None
    (claim,) = proof.claims
    places, tree = claim.evidence.places, claim.evidence.tree
    assert derive.verify(answers[0])
    assert derive.verify(answers[1])

    def told(evidence, **changes):
        return Proof(proof.target, (replace(claim, evidence=evidence, **changes),))

    assert_refused(answers[0], told(replace(claim.evidence, tree=tree[:-1])))
    assert_refused(answers[0], told(replace(claim.evidence, tree=(0,))))
    assert_refused(answers[0], told(replace(claim.evidence, places=places[:1]), solutions=claim.solutions[:1]))
    aside = replace(places[0], narrow=tuple((low + 0.25, high + 0.25) for low, high in places[0].narrow))
    assert_refused(answers[0], told(replace(claim.evidence, places=(aside, *places[1:]))))
    wide = replace(places[0], region=((-9.0, 9.0), (-9.0, 9.0)))
    assert_refused(answers[0], told(replace(claim.evidence, places=(wide, *places[1:]))))


@every("seed", range(60), ordinary=6)
def test_every_proof_of_a_planted_polynomial_is_confirmed(seed):
    planted = planted_polynomial(seed)
    count_of_verified(asked(planted.library, "x", planted.given))


@pytest.mark.thorough
@every("seed", range(20), ordinary=2, thorough=12)
def test_every_proof_of_planted_waves_is_confirmed(seed):
    planted = planted_waves(seed)
    count_of_verified(asked(planted.library, "xy"[seed % 2], planted.given)[:2])


@every("seed", [5, 10, 1], ordinary=1)
def test_every_proof_of_a_planted_pair_is_confirmed(seed):
    planted = planted_pair(seed)
    count_of_verified(asked(planted.library, "xy"[seed % 2], planted.given)[:2])


def test_proofs_of_random_libraries_are_confirmed():
    verified = asked_in_all = 0
    for seed in range(12):
        case = hidden(seed)
        draw = random.Random(seed)
        target = draw.choice([name for name in case.numbers if name.startswith("q")])
        given = {name: repr(number) for name, number in case.numbers.items() if name != target}
        for left_out in ("", draw.choice(sorted(given))):
            answers = asked(case.library, target, {name: text for name, text in given.items() if name != left_out})
            asked_in_all += len(answers)
            verified += count_of_verified(answers)
    assert verified > asked_in_all / 2


@every("seed", range(60), ordinary=6)
def test_every_proof_of_relations_by_case_is_confirmed(seed):
    draw = random.Random(seed)
    case = cased(seed)
    numbers = hidden_numbers(case, draw)
    if numbers is not None:
        for target in case.arms:
            given = {name: repr(numbers[name]) for name in case.bases}
            count_of_verified(asked(case.library, target, given))


@every("seed", range(40), ordinary=4)
def test_every_proof_of_linear_cases_is_confirmed(seed):
    draw = random.Random(seed)
    cases = random_cases(draw)
    library = derive.load(cases.text)
    for target, given in questions(draw, cases, is_ranged=False):
        count_of_verified(asked(library, target, {name: decimal(span[0]) for name, span in given.items()}))


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("classic", [pytest.param(one, id=one.name) for one in (*BURDEN, *MORE) if len(one.start) < 4])
def test_every_proof_of_a_classical_system_is_confirmed(classic):
    answers = asked(stated(classic, with_start=False), "x1", {})
    count_of_verified(answers[:2])
