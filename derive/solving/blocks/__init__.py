"""One block of a plan at given numbers: every admissible value of its unknowns."""
