"""Arithmetic as text for Python, NumPy and numba, and how arrays go through it."""
