"""Report templates and the pages made from them."""
