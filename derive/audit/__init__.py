"""Claims tested against a library: verdicts that follow from the numbers by rule."""
