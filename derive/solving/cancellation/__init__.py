"""Answers that structural analysis misses: unknowns that cancel are eliminated."""
