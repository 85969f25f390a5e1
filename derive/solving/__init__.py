"""Solving: a plan carried out on numbers, checked, bounded, diagnosed and explained."""
