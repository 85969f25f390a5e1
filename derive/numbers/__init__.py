"""Numbers out of expressions: values, enclosures, roots, and closed forms of one unknown."""
