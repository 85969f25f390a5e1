"""Algebra on expressions: like terms, inversion for one unknown, values, linear systems, polynomials."""
