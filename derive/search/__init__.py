"""Search in a library by names, aliases and meanings, misspelt or not."""
