"""Claims put to a library: verdicts that follow from the numbers by rule."""
