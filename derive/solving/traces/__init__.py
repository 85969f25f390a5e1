"""Traces of solved questions: guarded lines that are run when a question is asked again with other numbers."""
