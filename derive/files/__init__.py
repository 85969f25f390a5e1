"""Relation files: where text comes from, what stands on which line, a library out of it."""
