"""Execution of a plan on numbers: the question, its blocks in order, regimes and checks."""
