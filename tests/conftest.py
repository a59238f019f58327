"""Settings that every test shares."""

from hypothesis import settings

# A first call may compile a kernel, so examples have no deadline; a failure must come back on the next run.
settings.register_profile("randori", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("randori")
