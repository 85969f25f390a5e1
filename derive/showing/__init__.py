"""How numbers, answers and relations are shown."""
