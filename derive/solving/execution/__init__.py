"""A plan carried out on numbers: a question, its blocks in order, the regimes it goes through, the checks."""
