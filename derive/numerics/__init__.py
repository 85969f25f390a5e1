"""Numerics of expressions: enclosures, inversion for one unknown, verified root finding, local solvers."""
