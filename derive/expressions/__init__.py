"""Expressions: the tree that the whole engine works on, its grammar, and its translation to and from sympy."""
