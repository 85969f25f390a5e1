"""The claims of the lecture and of what was written about it, as data: in our own words, one module a subject."""

from derive.auditing.claims import layout, prices, roofline, schedule, training, walls

CLAIMS = tuple(
    sorted(
        (claim for module in (roofline, schedule, layout, training, prices, walls) for claim in module.CLAIMS),
        key=lambda claim: claim.name,
    )
)
"""All claims, in the order of their names."""
