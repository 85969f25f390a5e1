"""Pictures: what a chart says, and how it is drawn."""
