"""The learner `som`: first the maps, then games."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from randori.core.game import DRAW, WIN, Game
from randori.core.record import Games
from randori.core.symmetry import symmetries
from randori.errors import UserError
from randori.methods.learner import Pairing, Preset
from randori.methods.som import map_training, thresholds
from randori.methods.som.atlas import Atlas, spans_of, stage_ends
from randori.methods.som.config import PAPER, PAPER_THREE, SomConfig
from randori.methods.som.kernels import against_chance, sparring
from randori.methods.som.kernels.lookup import empty_lookup
from randori.methods.som.player import SelfOrganized
from randori.methods.som.values import PlaneValues, TableValues, planes_of, table_rows
from randori.players.files import find_file, load_player
from randori.workers import Workers

REWARD_WIN, REWARD_LOSS, REWARD_MOVE = 1000.0, -1000.0, -0.0001  # Table 3
BOARDS_FOR_THRESHOLDS = 20_000
BATCH_PASSES = 20


class SomLearner:
    Config = SomConfig
    presets: ClassVar[Mapping[str, Preset]] = {
        "default": Preset(SomConfig(), 110, "ours: spars with itself, 200,000 games after the maps"),
        "kamei": Preset(PAPER, PAPER.map_rounds + 100, "the paper's best: 7 maps, TD(lambda), a million games"),
        "kamei-3": Preset(PAPER_THREE, PAPER_THREE.map_rounds + 100, "the paper's first: 3 maps, Monte Carlo"),
    }

    def __init__(self, game: Game, config: SomConfig, rng: np.random.Generator, workers: Workers) -> None:
        self.game, self.config, self._rng, self._workers = game, config, rng, workers
        n_squares, shape = game.shape[0] * game.shape[1], (config.height, config.width)
        ends = stage_ends(game, config.stages)
        self._source.player_of(game)  # which says so where there is no such player
        self.round, self.n_games = 0, 0
        spans = spans_of(ends, config.by_side)
        self.data_seeds = rng.integers(0, 2**63, len(spans))
        weights = np.stack([map_training.first_weights(shape, n_squares, rng) for _ in spans])
        thresholds = np.zeros((len(spans), n_squares), np.float32)
        self.atlas = Atlas(game, shape, ends, config.winner, weights, thresholds, config.by_side)
        if config.maps is not None:
            self.atlas = self._taken_over(config.maps)
        self._forget()

    def _taken_over(self, place: str) -> Atlas:
        player = load_player(find_file(place), self.game)
        ours = self.atlas
        if not isinstance(player, SelfOrganized):
            raise UserError(f"'{place}' has no maps; name a run of the learner 'som'.")
        theirs = player.values.atlas
        if any(getattr(theirs, it) != getattr(ours, it) for it in ("shape", "ends", "winner", "by_side")):
            raise UserError(
                f"The maps in '{place}' have another size, other stages or another winner; give the same settings."
            )
        return theirs

    def _forget(self) -> None:
        """A table in which no place has a value yet."""
        stages, neurons, _ = self.atlas.weights.shape
        if self._spars:
            levels, slopes = np.zeros((stages, neurons), np.float32), np.zeros_like(self.atlas.weights)
            self._planes = PlaneValues(self.atlas, levels, slopes, self.config.temperature).planes
        else:
            self._table = np.zeros((int(table_rows(self.atlas).max()) + 1, neurons))

    @property
    def _spars(self) -> bool:
        return self.config.method == "sparring"

    def pairings(self) -> list[Pairing]:
        return []

    def learn(self, played: list[Games]) -> dict[str, float]:
        map_rounds = self.config.map_rounds if self.config.maps is None else 0
        metrics = self._train_maps(map_rounds) if self.round < map_rounds else self._play()
        self.round += 1
        return metrics

    def _train_maps(self, n_rounds: int) -> dict[str, float]:
        before, config = self.atlas.weights, self.config
        online = config.map_training == "online"
        seeds = self._rng.integers(0, 2**63, len(self._stages))
        tasks: list[tuple[Any, ...]] = []
        for place, data in enumerate(self.data()):
            rough, fine = (self._each(it)[place] for it in (config.rough, config.fine))
            trained = map_training.Map(before[place], self.atlas.shape, config.winner)
            parts = map_training.parts(rough, fine, self.round, n_rounds)
            tasks.append(
                (trained, data, parts, int(seeds[place])) if online else (trained, data, self._batch_radii(n_rounds))
            )
        function = map_training.train_online if online else map_training.train_batch
        weights = np.stack(self._workers.map(function, tasks))
        last = self.round + 1 == n_rounds
        self.atlas = self._atlas(weights, self._thresholds(weights) if last else self.atlas.thresholds)
        self._forget()
        return {"maps/change": float(np.abs(weights - before).mean())}

    def data(self) -> list[map_training.Data]:
        """What each map is trained with."""
        of_each_map = zip(self._stages, self._each(self.config.data), self.data_seeds, strict=True)
        return [map_training.Data(stage, self._source, n, int(seed)) for stage, n, seed in of_each_map]

    def _each(self, numbers: tuple[int, ...]) -> list[int]:
        """One number for each map."""
        maps_a_stage = 1 + self.config.by_side
        # Short games have fewer stages than there are numbers.
        return [it for it in self.config.each(numbers) for _ in range(maps_a_stage)][: len(self._stages)]

    def _batch_radii(self, n_rounds: int) -> NDArray[np.float64]:
        radii = np.geomspace(max(2.0, max(self.atlas.shape) / 2.0), 1.0, max(BATCH_PASSES, n_rounds))
        return np.array_split(radii, n_rounds)[self.round]

    @property
    def _source(self) -> map_training.Source:
        return map_training.Source(self.config.source, self.config.source_chance)

    @cached_property
    def _stages(self) -> list[map_training.Stage]:
        view: map_training.View = "mover" if self._spars else "first"
        return [map_training.Stage(self.game, span, view) for span in self.atlas.spans]

    def _atlas(self, weights: NDArray[np.float32], levels: NDArray[np.float32]) -> Atlas:
        return replace(self.atlas, weights=weights, thresholds=levels)

    def _thresholds(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        found = np.zeros_like(self.atlas.thresholds)
        for place, stage in enumerate(self._stages):
            if self.config.thresholds == "zero":
                break
            n_boards = min(BOARDS_FOR_THRESHOLDS, self._each(self.config.data)[place])
            boards = map_training.Data(stage, self._source, n_boards, int(self.data_seeds[place])).boards()
            if not len(boards):
                continue
            if self.config.thresholds == "statistical":
                found[place] = thresholds.statistical(weights[place], boards)
            else:
                found[place] = thresholds.genetic(weights[place], boards, self._rng)
        return found

    def _play(self) -> dict[str, float]:
        outcomes = np.empty(self.config.games, np.int8)
        stream = self._rng.integers(0, 2**63, 1).astype(np.uint64)
        error = self._spar(stream, outcomes) if self._spars else self._play_chance(stream, outcomes)
        self.n_games += len(outcomes)
        win_rate = float(np.mean(outcomes == WIN))
        score = win_rate + float(np.mean(outcomes == DRAW)) / 2.0
        return {"games": len(outcomes), "win_rate": win_rate, "score": score, **error}

    def _spar(self, stream: NDArray[np.uint64], outcomes: NDArray[np.int8]) -> dict[str, float]:
        config = self.config
        rate = config.rate / (1.0 + self.n_games / config.halving)
        how = sparring.Sparring(rate, config.trace_decay, config.exploring, config.opening, config.exact, config.slopes)
        places = np.stack([np.argsort(it.cells) for it in symmetries(self.game)])
        room = sparring.room_for(self._planes)
        error = sparring.spar(self.game.rules, self._planes, room, places, how, stream, outcomes)
        return {"error": float(error), "rate": rate}

    def _play_chance(self, stream: NDArray[np.uint64], outcomes: NDArray[np.int8]) -> dict[str, float]:
        play_chance(self.atlas, self._table, self.config, stream, outcomes)
        return {}

    def player(self) -> SelfOrganized:
        values: PlaneValues | TableValues
        if self._spars:
            values = planes_of(self.atlas, self._planes, self.config.temperature)
        else:
            values = TableValues(self.atlas, self._table.astype(np.float32))
        return SelfOrganized(self.game, values, exact=self.config.exact)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            "round": self.round, "games": self.n_games, "data_seeds": self.data_seeds,
            "weights": self.atlas.weights, "thresholds": self.atlas.thresholds,
        }  # fmt: skip
        if not self._spars:
            return state | {"table": self._table.copy()}
        planes = planes_of(self.atlas, self._planes, self.config.temperature)
        return state | {"levels": planes.levels, "slopes": planes.slopes}

    def restore(self, state: dict[str, Any]) -> None:
        self.round, self.n_games, self.data_seeds = state["round"], state["games"], state["data_seeds"]
        self.atlas = self._atlas(state["weights"], state["thresholds"])
        if self._spars:
            self._planes = PlaneValues(self.atlas, state["levels"], state["slopes"], self.config.temperature).planes
        else:
            self._table = state["table"].copy()


def play_chance(
    atlas: Atlas,
    table: NDArray[np.float64],
    config: SomConfig,
    stream: NDArray[np.uint64],
    outcomes: NDArray[np.int8],
) -> None:
    """Fills `outcomes` by games of the paper's agent, who begins, against random moves; changes the table as it goes."""
    compiled = atlas.compiled
    method = against_chance.TD
    if config.method == "monte-carlo":
        method = against_chance.SPLIT if config.monte_carlo == "split-equally" else against_chance.DIVIDED
    learning = (config.rate, config.discount, config.trace_decay, config.exploring)
    terms = against_chance.Terms(method, *learning, REWARD_WIN, REWARD_LOSS, REWARD_MOVE, config.exact)
    first_entries = table_rows(atlas) * table.shape[1]
    by_product = config.winner == "product"
    against_chance.learn_against_chance(
        atlas.game.rules, compiled, empty_lookup(compiled), by_product, first_entries, terms, table.reshape(-1), stream,
        outcomes,
    )  # fmt: skip
