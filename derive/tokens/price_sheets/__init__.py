"""Inference from price sheets: what the prices imply, over which chips and sizes, and what would refute it."""
