"""The classical systems from their published starts, beside `scipy.optimize.root`: what is found, and in what time.

Run as `python -m tests.benchmarks.classics`. scipy is told the equations as a function of arrays and nothing of their
slopes, as most people use it; this package is told the relations as text, and the time is that of one question.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import optimize

import derive
from derive import DeriveError
from tests.derive.classics import BURDEN, LARGE, MORE, Classic, stated
from tests.derive.test_classics import gaps

LARGEST = 100


def measured(classic: Classic) -> tuple[str, float, float]:
    """Who solves a system, and the seconds that each takes."""
    library = stated(classic)
    began = time.process_time()
    try:
        with derive.limits(seconds=600):  # so that a busy machine changes the times and not who solves it
            ours = bool(library.solve_all("x1", "start"))
    except DeriveError:
        ours = False
    between = time.process_time()
    with np.errstate(all="ignore"):
        found = optimize.root(lambda x: np.array(gaps(classic, x, np), dtype=float), classic.start, tol=1e-13)
        theirs = bool(np.max(np.abs(gaps(classic, found.x, np))) < 1e-8)
    ended = time.process_time()
    who = {(True, True): "both", (True, False): "derive", (False, True): "scipy"}.get((ours, theirs), "none")
    return who, between - began, ended - between


def main() -> None:
    for classic in (*MORE, *BURDEN, *LARGE):
        if len(classic.start) <= LARGEST:
            who, ours, theirs = measured(classic)
            print(f"{classic.name:45} {who:7} derive {ours:7.3f} s  scipy {theirs:7.3f} s  ratio {ours / theirs:7.1f}")


if __name__ == "__main__":
    main()
