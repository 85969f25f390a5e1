"""Answers over ranges of the givens, and intervals that inequalities alone leave to a target."""
