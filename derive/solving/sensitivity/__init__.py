"""Sensitivity: slopes, elasticities, and bounds over boxes."""
