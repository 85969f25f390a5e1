"""How an answer moves with its givens: slopes, elasticities, and bounds over boxes."""
