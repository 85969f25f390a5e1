"""A question as a file that computes by itself: a Python module that needs nothing.

It holds the program that a page has (`programs`), with its numbers, checks and reasons. `value` is what a compiled
function yields: NaN where there is no value. `answer` says besides which checks fail, and why there is no value. What
only the solver can tell is an error in both, never a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from derive.errors import DeriveError
from derive.files import MARK
from derive.kernels.backends.python_module import python_functions, runtime_for
from derive.kernels.profile_values import generic_question, used_values
from derive.kernels.programs.program import Program, programmed
from derive.model.relation_set import RelationSet
from quantities.value import Value

__all__ = ["module_text"]


def module_text(library: RelationSet, target: str, given: Iterable[str], profiles: Iterable[Any] = ()) -> str:
    """The text of a module in which `value` and `answer` take the givens by name, in declared units.

    >>> from derive.relation_files.loading import load
    >>> ohm = load('''[quantities]
    ... V = { unit = "V" }
    ... I = { unit = "mA" }
    ... R = { unit = "kohm" }
    ... [relations.ohm]
    ... equation = "V = I*R"''')
    >>> space = {}
    >>> exec(module_text(ohm, "R", ["V", "I"]), space)
    >>> space["value"](V=12.0, I=4.0), space["UNIT"]
    (3.0, 'kohm')
    """
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    question = generic_question(library, target, names, tuple(profiles))
    fixed = used_values(library, question)
    beside = {n: value for n, value in question.weak.items() if n in question.origins and n not in fixed}
    made = programmed(library, target, [*names, *fixed], beside)
    read = {one["name"] for one in made.data()["inputs"] if one["role"] != "none"}
    if any(name not in read for name in beside):  # what only other limits need
        made = programmed(library, target, [*names, *fixed], [name for name in beside if name in read])
    if not made.answers:
        why = " ".join(one["reason"] for one in made.data()["left_out"])
        raise DeriveError(
            f"{target} cannot be worked out by a file alone: {_of_a_file(why)}.",
            hint="Compile it from other givens, or ask derive solve.",
        )
    facts = _facts(library, made, names, {**beside, **fixed}, question.origins)
    functions, called = python_functions(made.scripts)
    head = "\n".join(_headline(facts)).replace("\\", "\\\\").replace('"""', "'''")
    body = _BODY.format(**facts, kernels=", ".join(called), count=len(made.layout.checks))
    return f'"""{head}\n"""\n\n{runtime_for(functions + body)}\n\n\n{functions}\n\n{body}'


def _facts(
    library: RelationSet, made: Program, names: Sequence[str], fixed: Mapping[str, Value], origins: Mapping[str, str]
) -> dict[str, Any]:
    """What the module states of a question."""
    data, declared = made.data(), library.declared
    kept = {name: value for name, value in fixed.items() if name in made.inputs}
    return {
        "target": made.target,
        "unit": declared[made.target].unit.text,
        "inputs": {name: declared[name].unit.text for name in names},
        "fixed": {name: declared[name].unit.from_base(value.base[1]) for name, value in kept.items()},
        "from": {name: f"{origins.get(name, 'default')}: {value}" for name, value in kept.items()},
        "order": list(made.inputs),
        "why": [_of_a_file(one["text"]) for one in data["reasons"]],
        "open": [int(reason.is_open) for reason in made.reasons.values()],
        "checks": [[one["relation"], one["state"], int(one["contradicts"])] for one in data["checks"]],
        "barring": [[one["verdict"], one["state"]] for one in data["barring"] if one["contradicts"]],
        "outputs": len(made.layout.outputs),
        "size": made.layout.size,
    }


def _of_a_file(text: str) -> str:
    return text.replace("this page cannot", "a file cannot").rstrip(".")


def _headline(facts: Mapping[str, Any]) -> list[str]:
    """What the file computes, and from what."""

    def told(name: str, unit: str) -> str:
        return f"{name} [{unit or '1'}]"

    listed = ", ".join(told(*one) for one in facts["inputs"].items()) or "nothing"
    lines = [f"{told(facts['target'], facts['unit'])} from {listed}.", ""]
    lines += [f"Taken as stated: {name}, {origin}" for name, origin in facts["from"].items()]
    return [*lines, *([""] if facts["from"] else []), f"{MARK} {version('derive-engine')}."]


_BODY = '''
TARGET = {target!r}
UNIT = {unit!r}
INPUTS = {inputs!r}
_FIXED = {fixed!r}
_ORDER = {order!r}
_REASONS = {why!r}
_OPEN = {open!r}
_CHECKS = {checks!r}
_BARRING = {barring!r}
_KERNEL = program(({kernels},), {outputs}, {count}, _OPEN, {size})


def answer(**given):
    """The value, the checks that fail, and why there is no value (empty if there is one)."""
    missing = [name for name in INPUTS if name not in given]
    odd = [name for name in given if name not in INPUTS]
    if missing or odd:
        raise TypeError(f"{{', '.join(missing or odd)}}: give {{', '.join(INPUTS)}}")
    y = _KERNEL([float(given[name]) if name in INPUTS else _FIXED[name] for name in _ORDER])
    cause = int(y[{outputs}])
    if cause and _OPEN[cause - 1]:
        raise ArithmeticError(_REASONS[cause - 1])
    failed = [name for name, state, _ in _CHECKS if y[state] in (2, 3)]
    against = [name for name, state, firm in _CHECKS if firm and y[state] in (2, 3)]
    against += [told for told, state in _BARRING if y[state] == 1]
    why = f"the givens contradict {{', '.join(against)}}" if against else _REASONS[cause - 1] if cause else ""
    return {{"value": nan if why else y[0], "unit": UNIT, "failed": failed, "why": why}}


def value(**given):
    """The number alone, in its unit; NaN where there is none."""
    return answer(**given)["value"]
'''
