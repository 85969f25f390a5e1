"""What ranged givens do to a target: points drawn from the ranges, and how far each range alone moves it."""
