"""Tic-Tac-Toe; agents, actions and observations are those of PettingZoo's own `tictactoe_v3`."""

from functools import partial

from randori.envs import aec

raw_env = partial(aec.raw_env, "tictactoe")
env = partial(aec.env, "tictactoe")
