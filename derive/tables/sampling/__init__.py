"""Sampling: targets at points drawn from the ranges of the givens, and the effect of each range alone."""
