"""Plans as fast functions, closed forms and tables."""
