"""One question: asked again with other numbers, asked first in a process, asked before on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import derive
from tests.benchmarks import roofline
from tests.benchmarks.measuring import Bar, Comparison, alternately, compared

ROOT = Path(derive.__file__).parents[1]
CHIP = ("h100-sxm:fp8", "llama3-70b")
SERVED = {"chips": "8 chip", "batch": "32 sequence", "context": "8 ktoken/sequence"}
EXPLAINED, LIBRARY = "the five relations, with their checks", "the built-in library, forwards"
LIBRARY_BACKWARDS, RANGED = "the built-in library, backwards", "the built-in library, backwards from a range"
FORWARDS, BACKWARDS = "the five relations, forwards", "the five relations, backwards"
PINT, READ, UNYT = "pint, the expression alone", "pint, strings read too", "unyt, the expression alone"


def warm() -> Comparison:
    """Asked again with new numbers: five relations as fast as pint's arithmetic, the library at a third."""
    five = derive.load(roofline.TEXT)
    turn = count(1)
    held: dict[str, Any] = roofline.in_pint()
    read = next(iter(held.values()))._REGISTRY.Quantity
    context = {name: text for name, text in SERVED.items() if name != "context"}
    acts = {
        FORWARDS: lambda: five.solve("cost", **{**roofline.GIVEN, "price": f"{2 + next(turn) * 1e-6} USD/s"}).value,
        BACKWARDS: lambda: five.solve("bandwidth", **{**roofline.BACKWARDS, "price": f"{2 + next(turn) * 1e-6} USD/s"}),
        EXPLAINED: lambda: five.solve("cost", **{**roofline.GIVEN, "price": f"{2 + next(turn) * 1e-6} USD/s"}).checks,
        LIBRARY: lambda: (
            derive.solve("cost_per_token", *CHIP, **context, context=f"{8 + next(turn) * 1e-6} ktoken/sequence").value
        ),
        LIBRARY_BACKWARDS: lambda: derive.solve("context", *CHIP, **context, step_time=f"{25 + next(turn) * 1e-6} ms"),
        RANGED: lambda: derive.solve("context", *CHIP, **context, step_time=f"{24 + next(turn) * 1e-6}..26 ms"),
        PINT: lambda: roofline.cost(**held),
        READ: lambda: roofline.cost(**{name: read(text) for name, text in roofline.GIVEN.items()}),
    }
    if find_spec("unyt"):
        unyts = roofline.in_unyt()
        acts[UNYT] = lambda: roofline.cost(**unyts)
    for act in [*acts.values()] * 2:  # the second time a question is asked, its program is written
        act()
    bars = (
        Bar(FORWARDS, PINT, 1.0),
        Bar(LIBRARY, PINT, 3.0),
        Bar(LIBRARY_BACKWARDS, PINT, 3.0),
        Bar(RANGED, PINT, 9.0),
        Bar(EXPLAINED, PINT, 40.0),
    )
    task = "solve with numbers that were not asked before: strings read, units checked, put back into every relation"
    notes = (
        "A question that was asked before is a program: its number is there when that has run, its checks, bounds and "
        "steps when they are asked for. The built-in library has about 600 relations and takes 25 of them here; pint "
        "evaluates five.",
    )
    return compared("The same question with new numbers", task, alternately(acts), None, bars, notes)


def first() -> Comparison:
    """The first answer of a process, beside sympy.solve of the same five equations in another."""
    forwards, backwards = ("derive, forwards", "derive, backwards")
    programs = {
        forwards: roofline.DERIVE_PROGRAM.format(text=roofline.TEXT, target="cost", given=roofline.GIVEN),
        backwards: roofline.DERIVE_PROGRAM.format(text=roofline.TEXT, target="bandwidth", given=roofline.BACKWARDS),
        "the built-in library, forwards": _built_in("cost_per_token", SERVED),
        "the built-in library, backwards": _built_in(
            "context", {"chips": "8 chip", "batch": "32 sequence", "step_time": "25 ms"}
        ),
        SYMPY: roofline.SYMPY_PROGRAM.format(unknowns="cost, step, compute, weights, kv"),
        "sympy.solve, backwards": roofline.SYMPY_PROGRAM.format(unknowns="bandwidth, step, compute, weights, kv"),
    }
    whole, inside, printed = _processes(programs)
    said = {way: "it refuses the maximum" for way, text in printed.items() if text.startswith("refused")}
    alone = {f"{way}, {AFTER}": inside[way] for way in programs if way.startswith("sympy")}
    seconds = {
        **{way: whole[way] for way in programs},
        **{f"{way}, {FROM}": inside[way] for way in (forwards, backwards)},
    }
    bars = tuple(
        bar
        for way in (forwards, backwards)
        for bar in (Bar(way, SYMPY, 1.0), Bar(f"{way}, {FROM}", f"{SYMPY}, {AFTER}", 1.0))
    )
    task = "a process of its own: imports, five equations stated, one answer printed"
    return compared("The first answer of a process", task, seconds | alone, said, bars)


SYMPY, AFTER, FROM = "sympy.solve, forwards", "after the import of sympy", "from its own import on"


def _built_in(target: str, given: dict[str, str]) -> str:
    profiles = ", ".join(map(repr, CHIP))
    return roofline.BUILT_IN_PROGRAM.format(target=target, profiles=profiles, given=given)


def remembered() -> Comparison:
    """The command line, asked what it was asked before."""
    words = ["solve", "cost_per_token", *(f"{name}={text}" for name, text in SERVED.items())]
    words += [word for profile in CHIP for word in ("--with", profile)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**_environment(folder), "DERIVE_CACHE": f"{folder}/answers"}
        commands = {
            "derive solve, asked before": [sys.executable, "-m", "derive", *words],
            "derive solve, never asked before": ["env", "DERIVE_CACHE=off", sys.executable, "-m", "derive", *words],
            "python -c 'import sympy'": [sys.executable, "-c", "import sympy"],
            "python -c ''": [sys.executable, "-c", ""],
        }
        seconds = _in_turn(commands, environment)
    bar = Bar("derive solve, asked before", "python -c 'import sympy'", 0.6)
    task = "a process of its own: the answer printed, out of the user's cache folder"
    return compared("The command line, asked before", task, seconds, None, (bar,))


def _environment(folder: str) -> dict[str, str]:
    """Compiled modules are kept, as they are where a package is installed; answers are not."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": f"{folder}/compiled", "DERIVE_CACHE": "off"}


def _in_turn(commands: dict[str, list[str]], environment: dict[str, str], rounds: int = 9) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            start = perf_counter()
            subprocess.run(
                command,
                env=environment,
                cwd=environment["PYTHONPYCACHEPREFIX"].rpartition("/")[0],
                capture_output=True,
                check=True,
            )
            times[name] += [perf_counter() - start] if turn else []
    return {name: median(taken) for name, taken in times.items()}


def _processes(programs: dict[str, str], rounds: int = 9) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
    """For each program the time of its process, the time it tells itself, and what it prints."""
    whole: dict[str, list[float]] = {name: [] for name in programs}
    inside: dict[str, list[float]] = {name: [] for name in programs}
    printed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(folder)
        for turn in range(rounds + 1):
            for name, program in programs.items():
                start = perf_counter()
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    env=environment,
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                taken = perf_counter() - start
                printed[name] = done.stdout
                if turn:
                    whole[name].append(taken)
                    inside[name].append(float(done.stderr))
    return {n: median(t) for n, t in whole.items()}, {n: median(t) for n, t in inside.items()}, printed
