"""The built-in reports: their templates, and the words that only they have."""
