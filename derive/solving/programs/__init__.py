"""A question's shape as a program: lines for its numbers, and the decisions on which they rest."""
