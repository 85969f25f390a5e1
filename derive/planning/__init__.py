"""Which relations answer a question, in which order: structure only."""
