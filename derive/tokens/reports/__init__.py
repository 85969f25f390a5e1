"""The built-in reports: their templates, and the template words for claims and price sheets."""
