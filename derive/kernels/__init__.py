"""Plans as fast functions and as closed forms: one question lowered to arithmetic for many numbers."""
