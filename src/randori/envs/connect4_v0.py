"""Connect Four; agents, actions and observations are those of PettingZoo's own `connect_four_v3`."""

from functools import partial

from randori.envs import aec

raw_env = partial(aec.raw_env, "connect4")
env = partial(aec.env, "connect4")
