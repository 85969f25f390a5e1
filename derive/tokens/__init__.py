"""The subject: the economics of a language-model token, as data, and the little Python that only it needs."""
