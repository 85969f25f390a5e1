"""Plans as fast functions and as closed forms: a question lowered to arithmetic over many numbers."""
