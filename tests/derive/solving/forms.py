"""Closed forms that are monotone in positive names, and some that turn."""

MONOTONE = ("a*b", "a/b", "a**2*exp(-b)", "sqrt(a + b)", "a/(a + b)", "max(a, b)", "log(1 + a*b)", "a**b + a")
BENT = ("a*(3 - a)*b", "sin(a*b)", "a**2 - 3*a + b", "(a - b)**2", "a + 4/a - b/2", "a*exp(-a) + b/9")
