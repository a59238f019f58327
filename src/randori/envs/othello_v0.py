"""Othello on 8x8, 6x6 or 4x4 squares; the last action is the pass, legal only where no other is."""

from functools import partial

from randori.envs import aec

raw_env = partial(aec.raw_env, "othello")
env = partial(aec.env, "othello")
