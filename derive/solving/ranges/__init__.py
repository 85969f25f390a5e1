"""Answers over whole ranges of the givens, and where inequalities alone leave a target."""
