"""Relation files while they are written: what an editor shows, offers and mends."""
