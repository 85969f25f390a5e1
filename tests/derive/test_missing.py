"""What a refusal says would do: every set suffices and none of it can be spared; no single that suffices is missing.

Brute force tries every quantity of the library as a further given. The long run has as many refusals as one has
patience for: `DERIVE_REFUSALS=500..1000 pytest -m long --override-ini addopts= tests/derive/test_missing.py`.
"""

from __future__ import annotations

import copy
import os
import pickle
import random
from collections.abc import Iterator
from itertools import combinations

import numpy
import pytest

import derive
from derive import DeriveError, UnderdeterminedError
from derive.numerics.algebra.evaluation import value
from derive.planning.basis import basis_of
from derive.planning.incidence import structure_of
from derive.solving.answering import one_case
from derive.solving.diagnosis import missing_givens
from derive.solving.diagnosis.missing_givens import missing_sets
from derive.solving.execution.question import ask, stated_at
from derive.time_limits import tick
from tests.derive.random_libraries import Hidden, hidden
from tests.derive.statements import bare
from tests.derive.states import LIBRARY, Asked, refusal, state
from tests.ordinary import every

SHORT, BATCH = 15, 15
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_REFUSALS", f"{SHORT}..630").split(".."))


def fixes(asked: Asked, names: tuple[str, ...], numbers) -> bool | None:
    """Whether the target is fixed with more givens; None where that does not show at these numbers, or in time.

    Of `y = x if n > 1 else 0` a y that is not zero fixes x, which is a matter of its number: the answer says that the
    relation is assumed to apply.
    """
    further = {name: stated_at(LIBRARY, name, usual(name, numbers)) for name in names}
    try:
        with derive.limits(seconds=5):
            answers = LIBRARY.solve_all(asked.target, *asked.profiles, **asked.stated, **further)
    except UnderdeterminedError as error:
        is_of_numbers = "singular at these numbers" in error.what or "is left out, because" in error.what
        return None if is_of_numbers else False
    except DeriveError:
        return None
    bounded = any(answer.value is None for answer in answers)
    assumed = any("is assumed to apply" in note for answer in answers for note in answer.assumptions)
    if bounded or assumed:
        return None
    return not any("nothing else determines it" in note for answer in answers for note in answer.assumptions)


def usual(name: str, numbers) -> float:
    """The number of a state, or a plausible one: none at which something vanishes or saturates, such as one."""
    number = numbers.get(name) or LIBRARY.plausible(name)
    if name in numbers and number and abs(number - 1) > 1e-6:
        return number
    return 0.83 * number if 0.83 * number in LIBRARY.declared[name].domain else number


def alike(asked: Asked, left_out: frozenset[str], numbers) -> set[str]:
    """The names that could fix the target, by the null space of the slopes in floating point."""
    base = basis_of(structure_of(LIBRARY, left_out), asked.target, asked.given, weak_of(asked))
    point = {name: numbers.get(name) or LIBRARY.plausible(name) for name in LIBRARY.declared}
    columns = sorted({n for r in base.relations for n in base.structure.members[r]} - {*asked.given, *base.weak})
    if not base.relations:
        return set()
    places = {name: i for i, name in enumerate(columns)}
    rows = numpy.zeros((len(base.relations), len(columns)))
    for i, relation in enumerate(base.relations):
        written = LIBRARY.relations[relation].written
        for name in set(base.structure.members[relation]) & places.keys():
            ends = [{**point, name: point[name] * (1 + step)} for step in (1e-6, -1e-6)]
            up, down = (value(written.lhs, end) - value(written.rhs, end) for end in ends)
            rows[i, places[name]] = up - down
    sizes = numpy.abs(rows).max(axis=1, keepdims=True)
    rows = numpy.nan_to_num(rows / numpy.where(sizes > 0, sizes, 1))
    return {columns[i] for i in parallel(rows, places[asked.target])}


def parallel(rows, at: int) -> set[int]:
    _, sizes, right = numpy.linalg.svd(rows)
    moves = right[(sizes > 1e-7 * sizes[0]).sum() :].T
    lengths = numpy.linalg.norm(moves, axis=1)
    cosines = numpy.abs(moves @ moves[at]) / numpy.where(lengths > 1e-9, lengths * lengths[at], numpy.inf)
    return {int(i) for i in numpy.flatnonzero(cosines > 1 - 1e-6)} - {at}


def wrong(asked: Asked, numbers, names: set[str], search: bool) -> list[str]:
    """What is wrong with the singles that a refusal offers; brute force is among these names, and those alike."""
    try:
        LIBRARY.solve_all(asked.target, *asked.profiles, **asked.stated)
    except UnderdeterminedError as error:
        sets = error.missing
    except DeriveError:
        return []
    else:
        return []
    offered = {one for (one, *rest) in sets if not rest}
    base = basis_of(structure_of(LIBRARY), asked.target, asked.given, weak_of(asked))
    counted = {name for name in names if base.matching.given((name,)).settles(asked.target)}
    tried = (
        counted
        | (alike(asked, frozenset(), numbers) if search else set())
        | ({*structure_of(LIBRARY).otherwise} if search else set())
    )
    asked_too = sorted(offered)[: None if search else 2] + sorted(tried - offered - asked.given.keys() - {asked.target})
    found = {name: fixes(asked, (name,), numbers) for name in asked_too}
    told = [
        f"{asked}: {name} suffices and is not offered" for name, does in found.items() if does and name not in offered
    ]
    told += [f"{asked}: {name} is offered and does not suffice" for name in offered if found.get(name) is False]
    for several in [several for several in sets if len(several) > 1][:: 1 if search else 8][:16]:
        told += [f"{asked}: {several} does not suffice" for _ in "." if fixes(asked, several, numbers) is False]
        spared = [several[:i] + several[i + 1 :] for i in range(len(several))] if search else []
        told += [f"{asked}: {fewer} of {several} does already" for fewer in spared if fixes(asked, fewer, numbers)]
    return told


def weak_of(asked: Asked) -> list[str]:
    return list(ask(LIBRARY, asked.target, asked.profiles, asked.stated).weak)


# What counting relations cannot see: wherever reading memory takes longest, the utilisation of its bandwidth is one.
# And of names that only elimination confirms, the first six are tried: this one comes seventh.
UNSEEN = {202: ": mbu is offered and does not suffice", 22: ": reversible_saving suffices and is not offered"}


def failures(seeds: range, share: float, search: bool) -> list[str]:
    told = []
    for seed in seeds:
        asked, draw = refusal(seed), random.Random(f"tried {seed}")
        names = {name for name in LIBRARY.declared if draw.random() < share} - {asked.target, *asked.given}
        faults = wrong(asked, state(seed % 50), names, search)
        told += [fault for fault in faults if not fault.endswith(UNSEEN.get(seed, "never"))]
    return told


@pytest.mark.long
def test_the_sets_that_a_refusal_offers_suffice_and_none_is_missing():
    assert not failures(range(SHORT), 0.05, False)


def test_what_cancels_is_offered_where_a_part_of_a_sum_is_stated():
    """Nothing that `kv_time` follows from is known, and random bytes do not come to it."""
    with pytest.raises(UnderdeterminedError) as caught:
        LIBRARY.solve("memory_share", kv_time="10 ms")
    assert caught.value.missing == (("mbu",),)
    assert LIBRARY.solve("memory_share", kv_time="10 ms", mbu=0.7).base == pytest.approx(0.7)


def test_what_cancels_counts_and_what_is_measured_comes_first():
    found = {}
    for target, given in (
        ("kv_bytes_per_token", {"kv_heads": 8, "head_dimension": 128, "layers": 80}),
        ("scale_out_ratio", {"domain_compute": "1e18 FLOP/s"}),
    ):
        with pytest.raises(UnderdeterminedError) as caught:
            LIBRARY.solve(target, **given)
        found[target] = caught.value
    assert found["kv_bytes_per_token"].missing[0] == ("kv_bytes_per_element",)
    assert found["scale_out_ratio"].missing == (("domain_egress",),)
    assert str(found["kv_bytes_per_token"]).endswith("These givens determine kv_layers.")


def random_refusals(seeds: range) -> Iterator[tuple[Hidden, str, set[str], tuple[tuple[str, ...], ...]]]:
    """Questions to random libraries that their givens do not answer, and what the refusal says would do."""
    for seed in seeds:
        case, draw = hidden(seed, relations=3), random.Random(f"missing {seed}")
        names = [name for name in case.numbers if name not in case.factors]
        target = draw.choice(names)
        given = {*draw.sample([name for name in names if name != target], draw.randint(0, 2)), *case.factors}
        try:
            case.library.solve_all(target, **{name: case.numbers[name] for name in given})
        except UnderdeterminedError as error:
            yield case, target, given, error.missing
        except DeriveError:
            pass


def does(case: Hidden, target: str, given: set[str]) -> bool | None:
    try:
        with derive.limits(seconds=1):
            case.library.solve_all(target, **{name: case.numbers[name] for name in given})
    except UnderdeterminedError:
        return False
    except DeriveError:
        return None
    return True


@pytest.mark.parametrize("start", range(0, 20, 10))
def test_singles_and_pairs_are_those_of_brute_force_in_random_libraries(start):
    for case, target, given, sets in random_refusals(range(start, start + 10)):
        others = [name for name in case.numbers if name not in given and name != target]
        singles = {(one,): does(case, target, given | {one}) for one in others}
        alone = {one for (one,), verdict in singles.items() if verdict is not False}
        rest = [one for one in others if one not in alone]
        pairs = {pair: does(case, target, given | {*pair}) for pair in combinations(rest, 2)}
        verdicts = singles if True in singles.values() else pairs
        found = {tuple(name for name in others if name in names) for names in sets if len(names) < 3}
        wanted = {names for names, verdict in verdicts.items() if verdict}
        wrong = {names for names, verdict in {**singles, **pairs}.items() if verdict is False}
        assert wanted <= found, (stated(case), target, given)
        assert found.isdisjoint(wrong), (stated(case), target, given)


def stated(case: Hidden) -> list[str]:
    return [str(relation) for relation in case.library.relations.values()]


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_the_sets_that_a_refusal_offers_are_those_of_brute_force(start):
    assert not failures(range(start, min(start + BATCH, LAST)), 1.0, True)


@every("seed", range(40), ordinary=4)
def test_a_default_that_the_givens_make_another_number_leaves_open_what_it_would_contradict(seed):
    """Two relations hold the same sum of unknowns, and the default is what they differ by."""
    draw = random.Random(f"yielding {seed}")
    names = ["p", "q", "r"][: draw.randint(2, 3)]
    factors = [draw.choice((1, 2, -3, 5)) for _ in names]
    whole = " + ".join(f"({factor})*{name}" for factor, name in zip(factors, names, strict=True))
    more, less = draw.sample(range(-9, 10), 2)
    library = bare(
        " ".join([*names, "w", "u"]),
        f"{whole} + w = ({more})*u",
        f"{whole} = ({less})*u",
        domains=dict.fromkeys([*names, "w", "u"], "real"),
        values={"w": "1"},
    )
    assert library.solve("w", u=2).base == pytest.approx(2 * (more - less))
    with pytest.raises(UnderdeterminedError) as caught:
        library.solve(names[0], u=2)
    others = dict.fromkeys(names[1:], 1)
    assert {*others} in map(set, caught.value.missing)
    assert library.solve(names[0], u=2, **others).base == pytest.approx((2 * less - sum(factors[1:])) / factors[0])


@pytest.mark.parametrize("cases", [2, 4])
def test_what_is_missing_is_searched_for_once_however_many_cases_are_singular(cases, monkeypatch):
    """In each case the sum of both unknowns is stated twice; a search takes as long as a question."""
    searches = []

    def searched(*question):
        searches.append(question)
        return missing_sets(*question)

    monkeypatch.setattr(one_case, "missing_sets", searched)
    monkeypatch.setattr(missing_givens, "missing_sets", searched)
    conditions = [f"w >= {i} and w < {i + 1}" for i in range(cases)]
    library = derive.load(
        "[quantities]\n"
        + "".join(f'{name} = {{ unit = "1" }}\n' for name in ("w", "x", "u", "a"))
        + '[relations]\ntwice = { equation = "2*x + 2*u = 2*a" }\n'
        + "".join(f'sum{i} = {{ equation = "x + u = a", when = ["{one}"] }}\n' for i, one in enumerate(conditions))
    )
    with pytest.raises(UnderdeterminedError) as caught:
        library.solve("x", a=1)
    assert not searches  # whoever asks only whether there is an answer does not wait for it
    assert caught.value.missing == (("u",),)
    assert "Give u" in str(caught.value)
    assert len(searches) == 1


def _open_question() -> UnderdeterminedError:
    """The error of a question whose answer needs one of two quantities, before anyone has read it."""
    with pytest.raises(UnderdeterminedError) as caught:
        derive.load("circuits").solve("dissipated_power", resistance="2 ohm")
    return caught.value


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copy_of_an_error_has_what_is_missing(copied):
    error = copied(_open_question())
    assert error.missing == (("current",), ("voltage",))
    assert "Give current, or voltage." in str(error)


def test_an_error_stands_without_a_proposal_if_the_search_for_one_takes_too_long(monkeypatch):
    def endless(*question: object) -> Iterator[tuple[str, ...]]:
        while True:
            tick()
            yield from ()

    error = _open_question()
    monkeypatch.setattr(missing_givens, "_smallest_sets", endless)
    with derive.limits(seconds=0.1):
        assert error.missing == ()
    assert str(error).startswith("dissipated_power is not determined by what is given.")


@pytest.mark.parametrize("seed", range(5))
def test_what_a_condition_compares_is_named_in_the_order_in_which_it_is_read(seed):
    names = [f"{letter}{seed}" for letter in "abcdefgh"]
    random.Random(seed).shuffle(names)
    quantities = "".join(f'{name} = {{ unit = "1", value = "1", source = "an estimate" }}\n' for name in names)
    alone = "".join(f'of_{name} = {{ equation = "y = 3*x", when = ["{name} > 100"] }}\n' for name in sorted(names))
    library = derive.load(
        f"""[quantities]
        x = {{ unit = "1" }}
        y = {{ unit = "1" }}
        z = {{ unit = "1" }}
        {quantities}
        [relations]
        always = {{ equation = "y = x*z" }}
        together = {{ equation = "y = 2*x", when = ["{" + ".join(names)} > 100"] }}
        {alone}"""
    )
    sets = missing_sets(library, ask(library, "y", (), {"x": 3}))
    assert [*sets] == [("z",), *((name,) for name in names)]
