"""The manual: Markdown pages in this folder, pages made of what the code says of itself, and the HTML made of both."""
