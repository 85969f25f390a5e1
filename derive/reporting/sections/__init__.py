"""The sections of the volume: questions, words and pictures, a module for each report."""
