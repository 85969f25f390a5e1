"""Numbers out of expressions: enclosures, closed forms of one unknown, roots with proofs, local solvers."""
