"""The audit: what was claimed, recomputed by the library, with a verdict that follows from the numbers."""
