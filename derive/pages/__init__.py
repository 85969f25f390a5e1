"""Pages to play with: a question as one HTML file, in which every given is a slider and the answer moves with it."""
