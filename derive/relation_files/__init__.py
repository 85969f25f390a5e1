"""Relation files: TOML in, a library out, and every problem of the file at once."""
