"""Tolerances for declared numbers, and the range of magnitudes that are accepted.

Those of the engine are in `derive.tolerances`.
"""

LEAST, MOST = 1e-300, 1e300
"""Limits of magnitudes, eight powers of ten within the range of doubles, so that a few operations do not leave it.
`LEAST` also replaces the open end of a positive domain."""

UNIT_ROUNDING = 1e-14
"""How far a stated number may miss the end of its domain: converting it takes a few dozen operations at most."""

SAME_COUNT = 1e-9
"""A count is whole: what was worked out and is stated again has nine digits in common with the whole number."""

SAME_DEFAULT = 1e-12
"""Difference up to which two defaults of one quantity are the same. They are written by hand, in units that may
differ, and rarely with more than twelve digits."""

SAME_UNIT = 1e-5
"""Difference up to which a unit of another registry is the same: older tables give constants to six digits. What
differs by more is another unit of that name, as the calories of 4.184 J and of 4.1868 J."""
