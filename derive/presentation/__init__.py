"""How numbers, answers, relations and charts are shown: text, LaTeX, Markdown, HTML, pictures."""
