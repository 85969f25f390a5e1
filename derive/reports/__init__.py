"""Report templates and the pages that come of them."""
