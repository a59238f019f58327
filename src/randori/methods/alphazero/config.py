"""Settings of the learner `alphazero`: ours, and the paper's."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import tyro

from randori.errors import UserError
from randori.methods.checks import check_least, check_positive, check_shares
from randori.methods.learner import Preset


@dataclass(frozen=True)
class AlphaZeroConfig:
    """A network guides a tree search against itself, and learns from what the search found and who won.

    With `from` the network of another player is taken over: whole where it plays the same game on another board, else
    its trunk alone, with new heads. The preset `hongcharoen` is the thesis's; the defaults are ours.
    """

    channels: int = 32
    """Width of the residual network."""
    blocks: int = 4
    """Its depth: residual blocks."""
    source: Annotated[str | None, tyro.conf.arg(name="from")] = None
    """A run or a player file whose network is taken over."""
    freeze: bool = False
    """Only the heads learn; the trunk that was taken over stays as it is."""
    search: Literal["gumbel", "puct"] = "gumbel"
    """How the tree is searched."""
    simulations: int = 32
    """Positions that a search looks at for each move of self-play."""
    quick: float = 0.0
    """The share of plies, by lot, at which self-play searches only `quick_simulations` positions. What such a search finds is
    played but not learned, the result of the game is: more games in the same time, and full searches to learn from."""
    quick_simulations: int = 8
    """Positions that such a search looks at."""
    considered: int = 16
    """Moves that compete at the root of a Gumbel search."""
    noise: float = 1.0
    """Of the root in self-play: 1 with Gumbel, a share such as 0.25 with PUCT."""
    temperature_plies: int = 30
    """With PUCT, moves are drawn by their visits while fewer stones than this were put on the board."""
    openings: int = 4
    """Games begin with random plies: 0 to this many, all equally often."""
    exact: int = 0
    """Positions with at most this many empty squares are solved: the solver moves, and its results are learned."""
    exact_search: int = 0
    """Positions that a search of self-play meets have exact values where at most so many squares are empty: so few that
    the solver takes no longer than the network."""
    threats: int = 0
    """In games of stones in a row: nodes of a threat search. Wins that it finds are played and learned, and known to every
    search of self-play; 0: there is none."""
    winning_moves: bool = True
    """Searches know where a single move wins, in self-play and in play. A network gives little chance to moves that good
    players never allow."""
    sparring: float = 0.0
    """The share of games in which one side, by lot, is a sparring partner who does not learn, and the network sees that.
    Between equals who seldom lose, as in Gomoku, most games are draws, which teach little."""
    partner: str | None = None
    """Who that is, as `randori players` names them; without, the network by itself, without a search."""
    games: int = 128
    """Games per round."""
    window: int = 20
    """Rounds whose positions are learned from."""
    uses: float = 4.0
    """How often a position is used on average while it is in the window."""
    batch: int = 256
    """Positions in one step of learning."""
    rate: float = 0.002
    """Step size of Adam."""
    last_rate: float = 0.0002
    """Step size after `horizon` games."""
    horizon: int = 10_000
    """Games over which the step size goes down. A run that is continued starts again with `rate` and takes twice as many games to
    go down, then four times as many, and so on: it is at its best after 1, 3, 7, ... times `horizon`. With a budget, the
    step size goes down in its second half instead: see `falls`."""
    falling: float = 1.0
    """The share of those games, the last ones, in which it goes down; before, it is `rate`."""
    falls: Annotated[
        tuple[int, ...], tyro.conf.arg(metavar="N...", help_behavior_hint="(default: a budget decides)")
    ] = ()
    """In place of the horizon: after how many games the step size begins to go down and is down, two numbers for each time."""
    averaged: int = 500
    """Steps of learning over which the mean of the weights goes. It is the mean that plays; 1: the weights themselves."""
    weight_decay: float = 0.0001
    """How strongly weights are pulled towards 0."""
    search_values: float = 0.25
    """The share of the search's value, against the game's result, in what the value head learns."""
    owners: float = 0.0
    """The weight of predicting who will own each square in the end; 0: not predicted."""
    reply: float = 0.0
    """The weight of predicting the reply of the other side; 0: not predicted."""
    margin: float = 0.0
    """The weight of predicting the final margin, where the game has one; 0: not predicted."""
    precision: Literal["bfloat16", "float32"] | None = None
    """Numbers that convolutions are learned with. If not set, the shorter ones where the processor computes with them."""
    symmetric: bool = True
    """Positions are turned and reflected at random before they are learned."""
    asynchronous: bool = False
    """Games come in all the time and are learned from as they come, each with the newest weights: nobody waits for the
    longest game of a round. The same command then gives another player each time, and a run that goes on loses no game."""
    gate: float = 0.0
    """A new network must score more than this against the best one to take its place; 0: it always does."""
    gate_games: int = 100
    """Games of that match."""
    play_simulations: int = 100
    """Simulations of the finished player, unless its spec says otherwise."""
    play_exact: int = 0
    """With at most this many empty squares the finished player plays exactly, and its search knows the result."""
    play_threats: int = 0
    """Nodes of the finished player's threat search."""
    play_sparring: bool = False
    """The finished player treats the other side as a sparring partner."""

    def __post_init__(self) -> None:
        check_least(
            self, channels=1, blocks=0, simulations=2, quick_simulations=2, considered=1, temperature_plies=0,
            openings=0, exact=0, exact_search=0, threats=0, games=1, window=1, batch=2, horizon=1, averaged=1,
            gate_games=2, play_simulations=1, play_exact=0, play_threats=0,
        )  # fmt: skip
        check_positive(self, "rate", "last_rate", "uses", "falling")
        check_shares(self, "quick", "falling", "sparring", "search_values", "gate")
        for name in ("weight_decay", "owners", "reply", "margin"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UserError(f"'{name}' is 0 or more, not {getattr(self, name)}.")
        if self.quick == 1:
            raise UserError("Searches that are all quick teach no policy: set --quick below 1, or --simulations lower.")
        if self.search == "puct" and not 0 <= self.noise <= 1:
            raise UserError(f"The noise of PUCT is a share of 0 to 1, not {self.noise}.")
        if self.partner is not None and not self.sparring:
            raise UserError("A sparring partner needs a share of the games: set it with --sparring.")
        if self.asynchronous and self.gate:
            raise UserError(
                "A gate decides between rounds, which asynchronous learning does not have: leave one of them out."
            )
        if len(self.falls) % 2 or list(self.falls) != sorted({*self.falls}) or min(self.falls, default=0) < 0:
            raise UserError(f"'falls' must be pairs of rising numbers of games, not {' '.join(map(str, self.falls))}.")
        if self.freeze and self.source is None:
            raise UserError("Only a trunk that was taken over can be frozen: name its run or player file with --from.")


OPEN_END = (10**12, 10**12 + 1)
"""A fall that no training reaches."""


def rate_at(config: AlphaZeroConfig, n_games: int) -> float:
    """The step size after a number of games."""
    if config.falls:
        share = _share_of_falls(config.falls, n_games)
    else:
        begun, length = 0, config.horizon
        while n_games >= begun + length:
            begun, length = begun + length, 2 * length
        left = 1 - (n_games - begun) / length
        share = max(0.0, 1 - left / config.falling)
    return config.rate + (config.last_rate - config.rate) * share


def _share_of_falls(falls: tuple[int, ...], n_games: int) -> float:
    """How far down the step size is: between falls not at all."""
    for begin, end in zip(falls[::2], falls[1::2], strict=True):
        if begin <= n_games < end:
            return (n_games - begin) / (end - begin)
    return 0.0


HONGCHAROEN = AlphaZeroConfig(
    channels=256, blocks=4, search="puct", simulations=25, noise=0.25, temperature_plies=30, openings=0, games=512,
    window=20, uses=10.0, batch=4096, rate=0.001, last_rate=0.001, averaged=1, weight_decay=0.0, search_values=0.0,
    precision="float32", symmetric=False, winning_moves=False, gate=0.55, gate_games=100, play_simulations=25,
)  # fmt: skip
"""Section 3 of the thesis: 50 rounds of 512 games. It does not say how long each network is trained; here each position
is used about ten times while it is in the window.
"""

_SMALL_BATCHES = AlphaZeroConfig(batch=128, uses=2.0, rate=0.005, play_simulations=200)
_OTHELLO = replace(_SMALL_BATCHES, openings=8, exact=14, exact_search=8, play_exact=12)
_CONNECT4 = replace(_SMALL_BATCHES, openings=16, exact=24, exact_search=18, play_exact=20, window=40)
_GOMOKU = replace(_SMALL_BATCHES, simulations=16, threats=30, play_threats=300)
_GOMOKU15 = replace(_GOMOKU, source="zoo/gomoku9-alphazero")


_SECONDS = {"30s": 30.0, "5m": 300.0, "20m": 1200.0, "1h": 3600.0, "8h": 28800.0}


def _recipe(config: AlphaZeroConfig, rounds: int, game: str, time: str, channels: int = 32, blocks: int = 4) -> Preset:
    """Settings that suit a game, and a network that suits the time on two cores; the step size is at its smallest when that
    is over. The rounds are those of one machine, for trainings that are to be repeated on another."""
    suited = replace(config, channels=channels, blocks=blocks, horizon=rounds * config.games)
    return Preset(suited, rounds, f"for {game}, takes {time}: a network of {channels} x {blocks}", _SECONDS[time], game)


def _short(config: AlphaZeroConfig) -> AlphaZeroConfig:
    """The same settings with a quarter of the games per round, for trainings of a few rounds."""
    return replace(config, games=config.games // 4, window=4 * config.window)


def _long(config: AlphaZeroConfig) -> AlphaZeroConfig:
    """The same settings with each position used once: learning takes half as long, which leaves time for more games."""
    return replace(config, uses=1.0)


RECIPES = {
    "connect4-30s": _recipe(_short(_CONNECT4), 130, "connect4", "30s"),
    "connect4-5m": _recipe(_CONNECT4, 255, "connect4", "5m"),
    "connect4-20m": _recipe(_long(_CONNECT4), 1000, "connect4", "20m"),
    "connect4-1h": _recipe(_long(_CONNECT4), 3000, "connect4", "1h"),
    "othello6-30s": _recipe(_short(_OTHELLO), 72, "othello6", "30s"),
    "othello6-5m": _recipe(_OTHELLO, 172, "othello6", "5m"),
    "othello6-20m": _recipe(_long(_OTHELLO), 690, "othello6", "20m"),
    "othello6-1h": _recipe(_long(_OTHELLO), 2070, "othello6", "1h"),
    "othello8-30s": _recipe(_short(_OTHELLO), 22, "othello8", "30s"),
    "othello8-5m": _recipe(_OTHELLO, 44, "othello8", "5m"),
    "othello8-20m": _recipe(_long(_OTHELLO), 186, "othello8", "20m"),
    "othello8-1h": _recipe(_long(_OTHELLO), 560, "othello8", "1h"),
    "othello8-8h": _recipe(replace(_long(_OTHELLO), simulations=64), 610, "othello8", "8h", channels=64, blocks=6),
    "gomoku9-30s": _recipe(_short(_GOMOKU), 12, "gomoku9", "30s"),
    "gomoku9-5m": _recipe(_GOMOKU, 29, "gomoku9", "5m"),
    "gomoku9-20m": _recipe(_long(_GOMOKU), 108, "gomoku9", "20m"),
    "gomoku9-1h": _recipe(_long(_GOMOKU), 324, "gomoku9", "1h"),
    "gomoku15-20m": _recipe(_long(_GOMOKU15), 82, "gomoku15", "20m"),
    "gomoku15-1h": _recipe(_long(_GOMOKU15), 246, "gomoku15", "1h"),
    "hex7-30s": _recipe(_short(_SMALL_BATCHES), 26, "hex7", "30s"),
    "hex7-5m": _recipe(_SMALL_BATCHES, 60, "hex7", "5m"),
    "hex7-20m": _recipe(_long(_SMALL_BATCHES), 240, "hex7", "20m"),
    "hex7-1h": _recipe(_long(_SMALL_BATCHES), 720, "hex7", "1h"),
}
"""Their rounds are estimates from the CPU time of a round: docs/alphazero.md."""

PRESETS = {
    "default": Preset(AlphaZeroConfig(), None, "ours: Gumbel search over a small network"),
    "hongcharoen": Preset(
        HONGCHAROEN, 50, "the thesis: 256 x 4, PUCT with 25 simulations, 512 games per round, a gate"
    ),
    **RECIPES,
}
"""Here and not with the learner: settings can be shown where torch is not installed."""
