"""The verb `sample`: where the target mostly lies when givens are ranges."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from derive.cli.asked import Asked, asking, prove_single
from derive.cli.shared import ADD, DIGITS, IN, JSON, LIBRARY, PICTURE, STRICT, WITH, say, warn

if TYPE_CHECKING:
    from derive.tables.sampling.monte_carlo import Sample

__all__ = ["sample"]

_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


@click.command(
    epilog='Example:  derive sample cost_per_token batch="16..64 sequence" context="1..100 ktoken/sequence" '
    'chips="8 chip" bandwidth_efficiency="0.7 +/- 0.1" --with h100-sxm:fp8 --with llama3-70b'
)
@asking(
    *(WITH, LIBRARY, ADD, IN),
    click.option("--points", type=click.IntRange(min=1), default=100_000, metavar="N", help="Points to draw (100000)."),
    click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Seed of the random numbers (0)."),
    *(PICTURE, DIGITS, STRICT, JSON),
    given="NAME=LOW..HIGH [NAME=VALUE ...]",
    settings={"points": "write --points N", "seed": "write --seed N"},
)
def sample(asked: Asked, points: int, seed: int) -> int:
    """Draw points from the ranges among the givens and the profiles' values, and say where TARGET mostly lies.

    The same seed draws the same points. Which checks fail, which givens play no part, and what is assumed in the
    middle of the ranges, is said on the standard error.
    """
    from derive.tables.sampling.sample_charts import charts

    prove_single(asked.given)
    found = asked.library.sample(asked.target, *asked.profiles, points=points, seed=seed, **asked.given)
    asked.draw("sample", lambda: charts(found))
    asked.tell(lambda: _data(found), lambda: say(found.text(asked.digits)))
    if asked.as_json or not sys.stdout.isatty():  # on a terminal, all of it stands in the text
        _warn_of(found)
    return 1 if asked.strict and (found.failed or found.unused or found.remarks) else 0


def _warn_of(found: Sample) -> None:
    from derive.presentation.failed_checks import without_part
    from derive.presentation.placed_remarks import largest

    for name, where in found.failed.items():
        warn(f"{name} does not hold at {int(where.sum())} of {len(found)} points.")
    if found.unused:
        warn(f"{without_part(found.unused)} at any point.")
    for remark in largest(found.remarks):
        warn(f"{remark}.")


def _data(found: Sample) -> dict[str, Any]:
    """The sample for programs: quantiles in the target's unit, and how far each range alone moves it."""
    return {
        "target": found.quantity.name,
        "unit": found.quantity.unit.text,
        "points": len(found),
        "seed": found.seed,
        "quantiles": {f"{share:g}": found.quantile(share).magnitude for share in _SHARES},
        "lost": found.lost,
        "tornado": [{"name": one.name, "least": one.least, "most": one.most} for one in found.tornado],
        "failed": {name: float(where.mean()) for name, where in found.failed.items()},
        "unused": list(found.unused),
        "remarks": [remark.data for remark in found.remarks],
    }
