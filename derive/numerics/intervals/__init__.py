"""Interval arithmetic, rounded outwards: of numbers, of functions, of whole expressions."""
