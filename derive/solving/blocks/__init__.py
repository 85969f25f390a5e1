"""Blocks of simultaneous equations at given numbers: every admissible solution."""
