"""Presentation of numbers, answers, relations and charts: text, LaTeX, Markdown, HTML, pictures."""
