"""Plans as programs for a browser: the target of a question with all that an answer says beside it."""
