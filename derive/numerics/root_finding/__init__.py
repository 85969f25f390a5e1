"""Verified root finding: all roots in an interval or a box, each proved, and whether the list is complete."""
