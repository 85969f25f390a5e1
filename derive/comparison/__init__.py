"""Why two answers differ: which given and which regime accounts for how much of the ratio."""
