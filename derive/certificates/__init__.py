"""Proofs as data, and the checker that confirms them from the equations alone."""
