"""Where along two axes one regime ends and another begins."""
