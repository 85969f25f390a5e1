"""The back ends: arithmetic as source text for Python, NumPy and numba, and how arrays pass through it."""
