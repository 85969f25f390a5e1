"""What cancels is eliminated; what is only too small to be seen is not."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

import derive
from derive.errors import InconsistentError, NoSolutionError, UnderdeterminedError
from derive.expressions.grammar import parse_equation
from derive.expressions.tree import Equation
from derive.solving.cancellation import elimination
from tests.derive.random_products import Products, products
from tests.derive.statements import bare, library, number, numbers, span
from tests.ordinary import every

NOT_NEGATIVE = {"dense": "nonnegative"}
UPGRADE = library(
    {"before": "FLOP/s", "after": "FLOP/s", "ratio": "", "saving": ""},
    "ratio = after/before",
    "saving = 1 - 1/ratio",
)


def test_a_term_too_small_to_be_seen_beside_another_does_not_cancel():
    with pytest.raises(UnderdeterminedError, match="before"):
        UPGRADE.solve("saving", after="2 PFLOP/s")


def test_nor_does_it_where_there_is_no_closed_form():
    with pytest.raises(UnderdeterminedError):
        bare("x y n", "x**5 + x + n = 1e20", "y = x + 1").solve("y")


def test_relations_that_a_plan_has_only_enclosed_are_eliminated():
    loose = bare("m u w y", "m = min(u, 3)", "y = u - 2*u", "w = u - y*u", domains={"y": "0..100", "w": "-5..5"})
    with pytest.raises(NoSolutionError, match="nothing in its domain"):
        loose.solve_all("w", m=3)  # y is -3 at most; of w alone, intervals would leave all of its domain


def test_relations_that_a_plan_has_carried_out_are_not_eliminated_again(monkeypatch):
    monkeypatch.setattr(elimination, "eliminate", lambda *_: pytest.fail("it was"))
    (answer,) = bare("m u w", "m = min(u, 3)", "w = 2*u").solve_all("w", m=3)
    assert span(answer) == (6, math.inf)


def test_a_mass_cancels_from_a_collision():
    collision = library(
        {"m": "kg", "u": "m/s", "v": "m/s", "w": "m/s"},
        "m*u = m*v + 3*m*w",
        "m*u**2 = m*v**2 + 3*m*w**2",
        domains={"v": "real", "w": "0.1..100 m/s"},
    )
    answer = collision.solve("w", u="4 m/s")
    assert number(answer) == pytest.approx(2)
    assert any("m cancels" in note for note in answer.assumptions)


def test_a_voltage_cancels_from_a_bridge():
    bridge = bare("V a b c d left right", "left = V*b/(a + b)", "right = V*d/(c + d)", "left = right")
    assert number(bridge.solve("d", a=1, b=2, c=3)) == pytest.approx(6)


def test_what_plays_no_part_at_the_numbers_cancels():
    share = bare("stages pieces share", "share = (stages - 1)/pieces", domains={"share": "nonnegative"})
    assert number(share.solve("share", stages=1)) == 0
    with pytest.raises(UnderdeterminedError):
        share.solve("share", stages=2)


def test_nor_does_what_is_counted_by_a_number_that_comes_out_as_zero():
    layers = bare(
        "all sparse dense size whole", "dense = all - sparse", "whole = dense*size + 3*sparse", domains=NOT_NEGATIVE
    )
    assert number(layers.solve("whole", all=48, sparse=48)) == 144
    with pytest.raises(UnderdeterminedError):
        layers.solve("whole", all=48, sparse=47)


def test_a_range_that_cancels_leaves_no_width():
    gain = bare(
        "price alone together gain", "alone = price*(3 + 5)", "together = price*(3 + 5/4)", "gain = alone/together"
    )
    answer = gain.solve("gain", price="1..12")
    assert number(answer) == pytest.approx(8 / 4.25)
    assert float(answer.low.magnitude) == float(answer.high.magnitude)


def test_the_built_in_library_knows_no_saving_without_a_baseline():
    with pytest.raises(UnderdeterminedError):
        derive.solve("upgrade_saving", "h100-sxm:fp8")


def test_chains_of_products_are_eliminated_however_many_quantities_cancel():
    run = derive.solve("training_time", training_steps="1000", training_step_time="2 s")
    assert run.to("s").magnitude == pytest.approx(2000)
    step = {"batch_tokens": "4 Mtoken", "training_chips": "1000 chip", "training_step_time": "5 s"}
    answer = derive.solve("training_mfu", peak_compute="1 PFLOP/s/chip", active_parameters="70 Gparameter", **step)
    assert number(answer) == pytest.approx(6 * 70e9 * 4e6 / 5 / 1000 / 1e15)


def test_the_closed_form_holds_nothing_of_what_cancels():
    gas = bare("p V n R T m M rho", "p*V = n*R*T", "m = n*M", "rho = m/V")
    answer = gas.solve("rho", p=3, R=2, T=5, M=7)
    assert number(answer) == pytest.approx(3 * 7 / 2 / 5)
    assert {str(symbol) for symbol in answer.formula.free_symbols} == {"p", "R", "T", "M"}
    assert answer.elasticities == pytest.approx({"p": 1, "R": -1, "T": -1, "M": 1})


def test_a_sum_in_two_relations_cancels_like_a_quantity():
    mixed = bare("a b c d", "c = 3*(a + b)", "d = a*c/(b + a)")
    assert number(mixed.solve("a", d=12)) == pytest.approx(4)


def test_a_sum_of_two_quantities_in_a_fixed_ratio_is_a_product():
    parted = bare("a b c d e", "c = a/d", "c = b*a/(b + e)", "d = 2*(b + a)", "b = 3*e")
    assert number(parted.solve("d")) == pytest.approx(4 / 3)


def test_what_is_left_when_products_are_eliminated_is_solved_with_the_sums():
    pair = bare("a b c d e f", "a = b + d**2", "b*c = 6*a*f", "c = a*e*f", "a = 4*d")
    # b = 6/e = 4, whatever f is, and so 4*d = 4 + d**2
    assert number(pair.solve("d", e=1.5)) == pytest.approx(2)


def test_what_may_be_zero_and_comes_to_something_positive_cancels_too():
    domains = dict.fromkeys(["room", "each"], "nonnegative")
    store = bare(
        "room each size count total", "count = room/each", "each = size*3", "total = room/size", domains=domains
    )
    assert number(store.solve("count", total=12)) == pytest.approx(4)


@pytest.mark.parametrize("least", [0, 1, 5])
@pytest.mark.parametrize("other", [0, 2, 7])
def test_a_factor_of_one_arm_of_a_choice_cancels_whatever_the_others_are(least, other):
    costs = bare("each total count share alone price work cost least other", "each = total*share*price/count",
                 "cost = work*price", "alone = max(cost, count*each/share, least, other)",
                 domains={"least": "nonnegative", "other": "nonnegative"})  # fmt: skip
    assert number(costs.solve("alone", total=3, price=1, work=2, least=least, other=other)) == max(3, least, other)


def test_a_function_that_two_relations_share_cancels():
    shared = bare("a b q s", "q = a*log(1 + s)", "q = b*log(1 + s)", "q = s*3*a/b**2")
    assert number(shared.solve("a", b=7)) == pytest.approx(7)


def test_a_potential_cancels_from_differences():
    chain = bare("u v w i r s t", "u - v = r*i", "v - w = s*i", "t = u - w", domains={"u": "real", "v": "real"})
    assert number(chain.solve("i", r=2, s=3, t=10)) == pytest.approx(2)


def test_what_cancels_has_to_exist():
    tank = bare("level filled share", "filled = 3*share*level", "level = filled/12*share", domains={"share": "0..1"})
    with pytest.raises((NoSolutionError, UnderdeterminedError)):
        tank.solve("share")


@pytest.mark.parametrize(
    ("relation", "domains"),
    [
        ("m = -2*n", {}),
        ("m = x*n", {}),
        ("m = 2*n", {"m": "1..2", "n": "5..9"}),
        ("m = 2*n", {"m": "1..2", "n": "0.9999999..9e5"}),  # there is one from 0.9999999 to 1, which no trial hits
    ],
)
def test_where_no_trial_of_what_cancels_fits_its_domain_nothing_is_said_of_the_target(relation, domains):
    shares = bare("m n x y", "x*m = y*n", relation, domains={"x": "real", "y": "real", **domains})
    with pytest.raises(UnderdeterminedError):
        shares.solve("y", x=-3)


@pytest.mark.parametrize("share", ["b = a", "b = a*c"])
def test_a_factor_that_may_be_zero_does_not_cancel(share):
    """Where a is zero, y may be anything."""
    shares = bare("a b c x y", "a*x = b*y", share, domains=dict.fromkeys("abcxy", "real"))
    with pytest.raises(UnderdeterminedError):
        shares.solve("y", x=3, **({"c": 2} if "c" in share else {}))


@pytest.mark.parametrize("balance", ["n*x = -(m*y)", "-n*x = m*y"])
def test_what_cancels_leaves_the_sign(balance):
    shares = bare("m n x y", balance, "m = 2*n", domains={"x": "real", "y": "real"})
    assert number(shares.solve("x", y=3)) == -6
    assert number(shares.solve("y", x=3)) == -1.5


def test_givens_that_do_not_fit_together_are_a_conflict_though_what_is_asked_follows_from_some():
    run = {"training_steps": "1000", "training_step_time": "2 s", "training_throughput": "1 Mtoken/s"}
    assert derive.solve("training_time", training_tokens="2 Gtoken", **run).to("s").magnitude == pytest.approx(2000)
    with pytest.raises(InconsistentError) as caught:
        derive.solve("training_time", training_tokens="1 Gtoken", **run)
    assert {"training_step_time", "training_tokens"} <= set(caught.value.conflicts)
    with pytest.raises(InconsistentError):
        derive.solve("training_time", wall_time="1 h", goodput=0.9, **run)


def test_what_is_named_as_missing_does():
    gas = bare("p V n R T m M rho", "p*V = n*R*T", "m = n*M", "rho = m/V")
    with pytest.raises(UnderdeterminedError) as caught:
        gas.solve("rho", p=3, R=2, M=7)
    assert ("T",) in caught.value.missing
    with pytest.raises(UnderdeterminedError) as caught:
        bare("a b c d e", "a = b*c", "d = b*c*e", "e = d/a").solve("b", a=2)
    assert set(caught.value.missing) == {("c",)}


def wrong(case: Products) -> str:
    """What is wrong with the reply to a question about products; nothing, if nothing is."""
    try:
        answers = case.library.solve_all(case.target, **case.stated())
    except UnderdeterminedError as error:
        if case.is_fixed():
            return f"refused, though fixed: {error}"
        named = [names for names in error.missing if case.target not in names]
        idle = [names for names in named if not case.is_fixed(*names)]
        return f"{idle} would not do" if idle else next(filter(None, (_undone(case, names) for names in named[:2])), "")
    found = [number(answer) for answer in answers if answer.value is not None]
    if found and not case.is_fixed():
        return "answered, though open"
    hidden = case.numbers[case.target]
    return (
        ""
        if not case.is_fixed() or any(math.isclose(x, hidden, rel_tol=1e-6) for x in found)
        else f"{found}, not {hidden}"
    )


def _undone(case: Products, names: tuple[str, ...]) -> str:
    """What is wrong with a set of further givens: that they do not do."""
    try:
        answers = case.library.solve_all(case.target, **case.stated(*names))
    except UnderdeterminedError:
        return f"{names} did not do"
    hidden = case.numbers[case.target]
    return "" if any(math.isclose(x, hidden, rel_tol=1e-6) for x in numbers(answers)) else f"{names} led elsewhere"


@every("sums", [0.0, 0.3], ordinary=2)
@every("start", range(0, 20, 20))
def test_whatever_products_fix_is_answered_and_nothing_else(start, sums):
    assert not {seed: told for seed in range(start, start + 20) if (told := wrong(products(seed, sums)))}


@pytest.mark.long
@pytest.mark.parametrize("sums", [0.0, 0.3])
@pytest.mark.parametrize("start", range(20, 3020, 100))
def test_whatever_products_fix_is_answered_and_nothing_else_in_the_long_run(start, sums):
    assert not {seed: told for seed in range(start, start + 100) if (told := wrong(products(seed, sums)))}


def test_an_answer_without_a_closed_form_by_what_cancels_has_no_elasticities_rather_than_an_error():
    given = {"all_to_all_time": "5 s", "delayed_all_reduce_time": "0.7 s"}
    more = {"sparse_all_to_all_time": "1000 s", "small_all_gather_time": "5 s"}
    for answer in derive.llm.solve_all("ring_hop_time", "deepseek-v3", **given, **more):
        assert answer.elasticities == {}


@pytest.mark.parametrize("seed", range(12))
def test_a_factor_of_any_sign_cancels(seed):
    draw = random.Random(seed)
    transfer = bare("q G U A D", "q = U*A*D", "G = U*A", domains=dict.fromkeys("qGUAD", "real"))
    q, other = (draw.choice([-1, 1]) * draw.randint(1, 90) for _ in "ab")
    assert number(transfer.solve("D", q=str(q), G=str(other))) == pytest.approx(q / other, rel=1e-12)
    assert number(transfer.solve("G", q=str(q), D=str(other))) == pytest.approx(q / other, rel=1e-12)
    with pytest.raises(UnderdeterminedError):  # where U*A is zero, D may be any
        transfer.solve("D", q="0", G="0")


def resistance(resistors, count):
    """What a network shows between its first and its last node, by Gaussian elimination in fractions."""
    rows = [[Fraction(0)] * count for _ in range(count)]
    for (one, other), ohms in resistors.items():
        for i, j in ((one, other), (other, one)):
            rows[i][i] += Fraction(1, ohms)
            rows[i][j] -= Fraction(1, ohms)
    rows = [[*row[:-1], Fraction(i == 0)] for i, row in enumerate(rows[:-1])]  # one ampere in, the last node at zero
    for i in range(count - 1):
        pivot = next(k for k in range(i, count - 1) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(count - 1):
            if k != i:
                rows[k] = [entry - rows[k][i] * own for entry, own in zip(rows[k], rows[i], strict=True)]
    return rows[0][-1]


@pytest.mark.parametrize("seed", range(6))
def test_of_potentials_only_differences_count(seed):
    draw = random.Random(seed)
    count = draw.randint(3, 5)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    ring = [(i, i + 1) for i in range(count - 1)]
    resistors = {pair: draw.randint(1, 9) for pair in pairs if pair in ring or draw.random() < 0.6}
    potentials = [f"V{i}" for i in range(count)]
    names = {pair: f"R{pair[0]}{pair[1]}" for pair in resistors}
    laws = []
    for i in range(count - 1):
        leaving = [f"(V{i} - V{sum(pair) - i})/{name}" for pair, name in names.items() if i in pair]
        laws.append(f"{'I' if i == 0 else '0*I'} = {' + '.join(leaving)}")
    network = bare(
        " ".join(["R I", *potentials, *names.values()]),
        *laws,
        f"R*I = V0 - V{count - 1}",
        domains=dict.fromkeys(["I", *potentials], "real"),
    )
    given = {name: str(resistors[pair]) for pair, name in names.items()}
    answer = network.solve("R", I="2", **given)
    assert number(answer) == pytest.approx(float(resistance(resistors, count)), rel=1e-9)


@pytest.mark.thorough
def test_no_contradiction_rests_on_a_search_that_proves_nothing(monkeypatch):
    def searched(system):
        raise AssertionError(f"searched from many starts: {system}")

    monkeypatch.setattr("derive.solving.blocks.block.solved_from_starts", searched)
    with pytest.raises(NoSolutionError, match="never meet in its domain"):
        derive.llm.solve(
            "falling_exponent",
            rising_coefficient=4.66,
            best_choice=34.8,
            rising_exponent=0.951,
            falling_coefficient=1.52,
            least_cost=136.27863586760057,
        )


def arranged(draw, terms):
    """An equation that says that terms add up to zero, each on a random side, and one of them twice more."""
    twice = draw.choice(terms)
    sides = {"=": [], "": []}
    for count, name in draw.sample([*terms, twice, (-twice[0], twice[1])], len(terms) + 2):
        side = draw.choice([*sides])
        sides[side].append(f"{count if side else -count}*{name}")
    return " = ".join(" + ".join(side or ["0"]).replace("+ -", "- ") for side in sides.values())


@pytest.mark.parametrize("seed", range(10))
def test_what_cancels_does_so_however_the_equations_are_written(seed):
    draw = random.Random(seed)
    hidden = {name: draw.randint(1, 9) for name in "abc"}
    shared = {"a": draw.choice([-2, -1, 1]), "b": draw.choice([-1, 1, 2]), "c": draw.choice([-1, 1])}
    equations = []
    for factor, further in ((1, 0), (draw.choice([-1, 1, 2]), draw.choice([-1, 1, 2]))):
        counts = {name: factor * count + further * (name == "c") for name, count in shared.items()}
        total = sum(count * hidden[name] for name, count in counts.items())
        equations.append(arranged(draw, [(count, name) for name, count in counts.items() if count] + [(-total, "1")]))
    pair = bare("a b c", *equations, domains=dict.fromkeys("abc", "real"))
    assert number(pair.solve("c")) == pytest.approx(hidden["c"])
    assert pair.reach(given=[]) == {"c"}
    with pytest.raises(UnderdeterminedError):
        pair.solve("a")


def test_a_term_on_both_sides_cancels():
    balance = bare("x y z w", "y = x + y + z - 8", "z = w*x")
    assert number(balance.solve("w", z=3)) == pytest.approx(0.6)
    assert balance.reach(given=["z"]) == {"z", "x", "w"}


def test_a_term_on_both_sides_has_to_exist():
    balance = bare("x y z", "y + x = z + y", "y = -2 - z**2", domains={"x": "real", "z": "real"})
    with pytest.raises((NoSolutionError, UnderdeterminedError)):
        balance.solve("x", z=3)


def test_an_identity_fixes_nothing():
    with pytest.raises(UnderdeterminedError):
        bare("x y z", "y + x = x + y", "z = x + y").solve("x", z=3)


@every("seed", range(40), ordinary=4)
def test_factors_of_any_sign_that_stand_only_in_their_product_cancel(seed: int) -> None:
    """With u for the product, c = p*u and e = q*u + r*c, whatever the factors are; a default of one changes nothing."""
    draw = random.Random(seed)
    product = draw.choice(("b*f", "b/f", "b*f*g", "b*g/f"))
    factors = (-3, -2, -1, 1, 2, 3)
    p, r, e = (draw.choice(factors) for _ in range(3))
    q = draw.choice([factor for factor in factors if factor + r * p])
    relations = [f"c = {p}*{product}", f"s = {q}*{product} - a", f"e = {r}*c + s + a"]
    values = {name: str(draw.randint(2, 9)) for name in "bfg" if draw.random() < 0.5}
    library = bare("a b c e f g s", *relations, domains=dict.fromkeys("abcefgs", "real"), values=values)
    answer = library.solve("c", e=e)
    assert number(answer) == pytest.approx(p * e / (q + r * p))
    assert answer.unused == ()


@pytest.mark.parametrize("elsewhere", ["f", "1/f", "b", "f**2*b"])
def test_a_factor_that_stands_elsewhere_too_is_not_taken_for_one(elsewhere: str) -> None:
    """What d says of the product hangs on one of its factors: with f = 1, c would follow from d."""
    equations = [parse_equation("c = b*f"), parse_equation(f"d = b*f - {elsewhere}")]
    real = library(dict.fromkeys("bcdf", ""), domains=dict.fromkeys("bcdf", "real"))
    domains = {name: real.declared[name].domain for name in "bcf"}

    def is_enough(left: Sequence[Equation]) -> bool:
        return any({*equation.names} == {"c", "d"} for equation in left)

    assert elimination.eliminate(equations, "c", {"d": 2.0}, domains, is_enough) is None


def test_a_square_is_no_product_with_a_spare_factor() -> None:
    domains = dict.fromkeys("acesx", "real")
    square = bare("a c e s x", "c = x*x", "s = x*x - a", "e = c + s + a", domains=domains)
    assert number(square.solve("c", e=4)) == 2
