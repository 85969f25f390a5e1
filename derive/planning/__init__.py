"""Structural analysis: which relations answer a question, and in which order."""
