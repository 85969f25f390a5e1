"""Algebra on expressions: like terms, inversion for one unknown, evaluation, linear systems, polynomials."""
