"""What holds for every test: hypothesis draws the same examples each time, however slow."""

from hypothesis import settings

settings.register_profile(
    "reproof", deadline=None, derandomize=True, database=None, max_examples=50
)
settings.load_profile("reproof")
