"""Settings that every test shares."""

import signal

from hypothesis import settings

# A first call may compile a kernel, so examples have no deadline; a failure must come back on the next run.
settings.register_profile("randori", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("randori")

# Tests that a shell runs in the background would ignore Ctrl-C, and so would every program that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
