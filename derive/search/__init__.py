"""Finding what a library holds by the words that somebody has for it: names, aliases, meanings, misspelt or not."""
