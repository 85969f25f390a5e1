"""Properties are judged by what they find, not by how long a busy machine takes over one example."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
