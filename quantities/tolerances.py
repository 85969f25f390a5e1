"""Tolerances for declared numbers, and which magnitudes count as numbers.

The engine's own are in `derive.tolerances`.
"""

LEAST, MOST = 1e-300, 1e300
"""Sizes of numbers, eight powers of ten short of where doubles end, so that a few operations do not lead beyond.
`LEAST` also stands for the open end of a positive domain."""

UNIT_ROUNDING = 1e-14
"""A stated number may miss the end of its domain by so much: converting it takes a few dozen operations at most."""

SAME_DEFAULT = 1e-12
"""Two defaults of one quantity are the same. They are written by hand, in units that may differ, and worked out from
these; nobody writes twelve digits and means the thirteenth."""

SAME_UNIT = 1e-5
"""A unit of somebody else's registry is ours: older tables give constants to six digits. What differs by more is
another unit of that name, as the calories of 4.184 J and of 4.1868 J are."""
