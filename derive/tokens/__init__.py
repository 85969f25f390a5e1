"""The subject: the economics of a language-model token, as data and a little Python of its own."""
