"""Answers where counting relations sees none: what cancels is eliminated."""
