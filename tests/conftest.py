"""The ordinary run tries the same examples every time, so that it fails where the code has changed and nowhere else.

A search for new ones has its own command: `pytest --hypothesis-profile=searching`. A property is judged by what it
finds, not by how long a busy machine takes over one example.
"""

from hypothesis import settings

settings.register_profile("repeated", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("searching", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("repeated")
