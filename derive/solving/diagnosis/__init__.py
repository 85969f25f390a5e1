"""Diagnosis: why a question has no answer, which givens would suffice, and which contradict each other."""
