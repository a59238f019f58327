"""The learner `deep-q`."""

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from randori.core.game import Game
from randori.core.positions import longest_opening
from randori.core.record import Games
from randori.core.symmetry import symmetries
from randori.methods.deep_q.config import PRESETS, DeepQConfig
from randori.methods.deep_q.player import DeepQ
from randori.methods.deep_q.q_values import QValues
from randori.methods.deep_q.training import ActionValues, architecture_of, error_of, reading_of, targets
from randori.methods.deep_q.transitions import Replay, transitions
from randori.methods.learner import Pairing, Preset
from randori.networks import Network
from randori.networks.modules import load_optimiser_state, load_tensors, make_module, optimiser_state, tensors_of
from randori.players import Player
from randori.players.simple import Exploring, Random
from randori.workers import Workers

ROUNDS_BACK = 5
"""How old the opponent `earlier` is (section 2.3 of the paper)."""
SIGNIFICANT = 0.01
"""The share by which the error must sink to count as progress."""


class Diverged(RuntimeError):
    """The error is no longer a number; nothing of the round is kept."""


class DeepQLearner:
    Config = DeepQConfig
    presets: ClassVar[Mapping[str, Preset]] = PRESETS

    def __init__(self, game: Game, config: DeepQConfig, rng: np.random.Generator, workers: Workers) -> None:
        self.game, self.config, self._rng = game, config, rng
        self._module = make_module(architecture_of(game, config), rng)
        self._older = copy.deepcopy(self._module).eval()
        self._optimiser = torch.optim.Adam(self._module.parameters(), config.rate)
        self._replay = Replay(game, config.replay)
        self._earlier = [tensors_of(self._module)]  # the present one is the last
        self.round, self.n_games = 0, 0
        self.least_error, self.rounds_without_progress = math.inf, 0

    @property
    def _finished(self) -> bool:
        patience = self.config.patience
        return patience is not None and self.rounds_without_progress >= patience

    def _progress(self, first: float, last: float) -> float:
        """On the way from the first to the last value, by the share of the horizon's games that were played."""
        return first + (last - first) * min(1.0, self.n_games / self.config.horizon)

    def pairings(self) -> list[Pairing]:
        return [pairing for pairing, _ in self._seating()]

    def _seating(self) -> list[tuple[Pairing, tuple[int, ...]]]:
        """The pairings of the round, each with the seats whose choices are learned from."""
        if self._finished:
            return []
        config = self.config
        learner = Exploring(self.game, self.player(), self._progress(config.exploring, config.last_exploring))
        if config.opponent == "itself":
            lengths = min(config.openings, longest_opening(self.game)) + 1
            sizes = [(config.games + lengths - 1 - plies) // lengths for plies in range(lengths)]
            return [(Pairing(learner, learner, n, plies), (0, 1)) for plies, n in enumerate(sizes) if n]
        other: Player = Random(self.game) if config.opponent == "random" else self._player(self._earlier[0])
        # Of an odd number of games the learner begins the odd one in every other round.
        begins = (config.games + (self.round % 2 == 0)) // 2
        ahead = Pairing(learner, other, begins), (0,)
        behind = Pairing(other, learner, config.games - begins), (1,)
        return [it for it in (ahead, behind) if it[0].n_games]

    def learn(self, played: list[Games]) -> dict[str, float]:
        if self._finished:
            self.round += 1
            return {"finished": 1.0}
        n_new = self._remember(played)
        if self.round % self.config.target_every == 0:
            load_tensors(self._older, tensors_of(self._module))
        self._optimiser.param_groups[0]["lr"] = self._progress(self.config.rate, self.config.last_rate)
        error = float(np.mean([self._fit(places) for places in self._batches(n_new)]))
        self._check_finite(error)
        self._note_progress(error)
        self._earlier = [*self._earlier, tensors_of(self._module)][-ROUNDS_BACK - 1 :]
        self.round += 1
        self.n_games += sum(map(len, played))
        return {"error": error, "exploring": self._progress(self.config.exploring, self.config.last_exploring)}

    def _remember(self, played: list[Games]) -> int:
        n_new = 0
        for games, (_, seats) in zip(played, self._seating(), strict=True):
            added = transitions(games, self.config, seats)
            self._replay.add(added)
            n_new += len(added.actions)
        return n_new

    def _batches(self, n_new: int) -> Iterator[NDArray[np.int64]]:
        """Places in the replay, batch by batch."""
        filled, size = self._replay.filled, self.config.batch
        if self.config.fit == "whole":
            order = self._rng.permutation(filled)
            yield from (order[start : start + size] for start in range(0, filled, size))
            return
        for _ in range(max(1, round(n_new * self.config.uses / size))):
            yield self._rng.integers(0, filled, size)

    def _fit(self, places: NDArray[np.int64]) -> float:
        """One step; returns the error before it."""
        config, batch, reading = self.config, self._replay.take(places), reading_of(self.config)
        newer, older = (ActionValues(self.game, it, reading) for it in (self._module, self._older))
        self._module.eval()
        wanted = targets(batch, self.game, older, newer if config.double else None, config.method)
        self._module.train()
        all_turns = symmetries(self.game)
        turned = all_turns[self._rng.integers(len(all_turns))] if config.symmetric else None
        error = error_of(newer, batch, wanted, turned, config.suppress_unplayed)
        self._optimiser.zero_grad()
        error.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        return float(error.detach())

    def _check_finite(self, error: float) -> None:
        if not math.isfinite(error) or not all(torch.isfinite(it).all() for it in self._module.state_dict().values()):
            raise Diverged(
                "Learning went out of bounds: its error is no longer a finite number. The last checkpoint is kept; "
                f"start again in another folder with a smaller step, such as --rate {self.config.rate / 3:.2g}."
            )

    def _note_progress(self, error: float) -> None:
        if error < self.least_error * (1 - SIGNIFICANT):
            self.least_error, self.rounds_without_progress = error, 0
        else:
            self.rounds_without_progress += 1

    def _player(self, tensors: dict[str, NDArray[Any]]) -> DeepQ:
        network = Network(architecture_of(self.game, self.config), tensors)
        return DeepQ(self.game, QValues(self.game, network, reading_of(self.config)))

    def player(self) -> DeepQ:
        return self._player(tensors_of(self._module))

    def state(self) -> dict[str, Any]:
        return {
            "round": self.round, "games": self.n_games,
            "module": tensors_of(self._module), "older": tensors_of(self._older), "earlier": list(self._earlier),
            "optimiser": optimiser_state(self._optimiser), "replay": self._replay.state(),
            "least_error": self.least_error, "rounds_without_progress": self.rounds_without_progress,
        }  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        self.round, self.n_games = state["round"], state["games"]
        load_tensors(self._module, state["module"])
        load_tensors(self._older, state["older"])
        self._earlier = state["earlier"]
        load_optimiser_state(self._optimiser, state["optimiser"])
        self._replay.restore(state["replay"])
        self.least_error, self.rounds_without_progress = state["least_error"], state["rounds_without_progress"]
