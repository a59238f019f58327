"""Gomoku, freestyle, on 9x9 to 20x20 points."""

from functools import partial

from randori.envs import aec

raw_env = partial(aec.raw_env, "gomoku")
env = partial(aec.env, "gomoku")
