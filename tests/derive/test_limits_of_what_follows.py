"""A limit on what follows from an answer, completed by values that yield, is said where it is broken."""

from __future__ import annotations

import random

import pytest

import derive
from derive.library import Library

STEPS = {
    "times": ("{new} = {old}*{by}", lambda number, by: number * by),
    "share": ("{old} = {new}*{by}", lambda number, by: number / by),
    "most": ("{new} = max({old}, 0.5*{old}*{by})", lambda number, by: max(number, 0.5 * number * by)),
}


class Chain:
    """A quantity `asked`, `gain` times `typed`, quantities that follow from it in turn, and a limit on the last.

    Everything but `typed` is a default or the value of a profile.
    """

    def __init__(self, draw: random.Random) -> None:
        self.steps = [(draw.choice([*STEPS]), round(draw.uniform(0.5, 2), 2)) for _ in range(draw.randint(0, 3))]
        self.gain, self.most = round(draw.uniform(1, 4), 2), round(draw.uniform(1, 30), 2)
        stated = {"gain": str(self.gain), "most": f"{self.most} m"}
        stated |= {f"by{i}": str(by) for i, (_, by) in enumerate(self.steps)}
        units = dict.fromkeys(stated, "") | {"typed": "m", "asked": "m", "most": "m", "last0": "m"}
        relations = ['asked = { equation = "asked = gain*typed" }', 'last0 = { equation = "last0 = asked" }']
        for i, (kind, _) in enumerate(self.steps):
            old, new = f"last{i}", f"last{i + 1}"
            units[new] = "m"
            relations.append(f'{new} = {{ equation = "{STEPS[kind][0].format(old=old, new=new, by=f"by{i}")}" }}')
        relations.append(f'limit = {{ equation = "last{len(self.steps)} <= most" }}')
        defaults = {name: value for name, value in stated.items() if draw.random() < 0.3}
        told = {name: f', value = "{value}"' for name, value in defaults.items()}
        lines = ["[quantities]", *(f'{n} = {{ unit = "{u}"{told.get(n, "")} }}' for n, u in units.items())]
        profile = [f'{name} = "{value}"' for name, value in stated.items() if name not in defaults]
        profile += ['typed = "1 m"']
        self.library: Library = derive.load("\n".join([*lines, "[relations]", *relations, "[profiles.kept]", *profile]))

    def is_broken(self, typed: float) -> bool:
        number = self.gain * typed
        for kind, by in self.steps:
            number = STEPS[kind][1](number, by)
        return number > self.most


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "count"), [(0, 100), pytest.param(1000, 1000, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_a_broken_limit_is_said_wherever_its_quantity_follows_from_the_answer(first: int, count: int) -> None:
    broken = 0
    for seed in range(first, first + count):
        draw = random.Random(seed)
        chain = Chain(draw)
        typed = [round(draw.uniform(0.2, 20), 3) for _ in range(3)]
        expected = [chain.is_broken(number) for number in typed]
        answers = [chain.library.solve("asked", "kept", typed=f"{number} m") for number in typed]
        assert [[one.name for one in answer.failed] for answer in answers] == [["limit"] * each for each in expected]
        assert ["limit does not hold" in answer.text() for answer in answers] == expected
        table = chain.library.sweep("asked", "kept", typed=[f"{number} m" for number in typed])
        assert [not held for held in table.holds] == expected, seed
        broken += sum(expected)
    assert count < broken < 2.5 * count


@pytest.mark.parametrize("seed", range(12))
def test_a_broken_limit_is_said_beside_what_only_the_given_connects_with_the_answer(seed: int) -> None:
    """`beside` follows from what is typed alone: no unknown connects it with the target."""
    draw = random.Random(f"beside {seed}")
    gain, share = (round(draw.uniform(0.5, 4), 2) for _ in range(2))
    joined = draw.choice(["asked + beside", "asked*beside", "asked + typed*beside"])

    def sides(typed: float) -> float:
        return float(eval(joined, {"asked": gain * typed, "beside": share * typed, "typed": typed}))

    most = round(sides(1), 3)
    library = derive.load(f"""
    [quantities]
    typed = {{ unit = "1" }}
    gain = {{ unit = "1", value = "{gain}" }}
    asked = {{ unit = "1" }}
    beside = {{ unit = "1" }}
    [relations]
    asked = {{ equation = "asked = gain*typed" }}
    beside = {{ equation = "beside = {share}*typed" }}
    limit = {{ equation = "{joined} <= {most}" }}
    """)
    typed = [round(draw.uniform(*ends), 3) for ends in ((0.1, 0.9), (1.1, 3)) for _ in range(3)]
    expected = [sides(number) > most for number in typed]
    assert sum(expected) == 3
    answers = [library.solve("asked", typed=number) for number in typed]
    assert [bool(answer.failed) for answer in answers] == expected
    assert [not held for held in library.sweep("asked", typed=typed).holds] == expected
