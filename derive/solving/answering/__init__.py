"""From a question to an answer that can be read."""
