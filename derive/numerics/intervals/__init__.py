"""Interval arithmetic with outward rounding: of numbers, functions and whole expressions."""
