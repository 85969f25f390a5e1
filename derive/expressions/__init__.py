"""Expressions: the tree that every other room works on, how text becomes one, and how it is shown to sympy."""
