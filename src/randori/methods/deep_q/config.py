"""Settings of the learner `deep-q`: ours, and the ten of the paper."""

from dataclasses import dataclass, replace
from typing import Literal

from randori.errors import UserError
from randori.methods.checks import check_least, check_positive, check_shares
from randori.methods.learner import Preset


@dataclass(frozen=True)
class DeepQConfig:
    """Learns what each action is worth from what it led to: Q-learning or SARSA over a network, with replay.

    The defaults are ours: a residual network that plays itself, many games at a time, and learns from all of them
    against the best reply (`bootstrap opponent`). The presets named dqn and dsqn are those of Humphreys et al.
    """

    network: Literal["residual", "action", "board"] = "residual"
    """`residual` over planes; or fully connected: `action` rates one action of a position, `board` all squares at once."""
    channels: int = 32
    """Width of the residual network."""
    blocks: int = 3
    """Depth of the residual network, in blocks."""
    dueling: bool = True
    """Separate outputs of the residual network for the position's value and each action's advantage."""
    hidden: tuple[int, ...] = (64, 64, 64)
    """Widths of the hidden layers of a fully connected network."""
    method: Literal["q", "sarsa"] = "q"
    """Value the next position by its best action (`q`), or by the action played there (`sarsa`)."""
    double: bool = False
    """The learning network chooses the best action, the older network values it (double Q-learning)."""
    bootstrap: Literal["opponent", "reply"] = "opponent"
    """Which position comes next: the opponent's, whose value changes sign, or the learner's own after the reply."""
    steps: int = 16
    """How many choices ahead the next position lies: n-step returns."""
    win: float = 1.0
    """The reward for a win."""
    draw: float = 0.0
    """The reward for a draw."""
    loss: float = -1.0
    """The reward for a loss."""
    shaping: bool = False
    """Also reward each step by the share of the board that the learner's stones hold after the reply."""
    discount: float = 1.0
    """The weight of the next position (gamma)."""
    rate: float = 0.001
    """Step size of Adam at the start."""
    last_rate: float = 0.0001
    """Step size from `horizon` games on."""
    exploring: float = 0.15
    """The share of moves made at random at the start (epsilon)."""
    last_exploring: float = 0.02
    """The share of moves made at random from `horizon` games on."""
    horizon: int = 30_000
    """Games over which exploration and step size fall."""
    games: int = 256
    """Games per round."""
    openings: int = 7
    """The most random plies at the start of a game, all numbers equally likely; none unless it plays itself."""
    opponent: Literal["itself", "earlier", "random"] = "itself"
    """Who plays the other side: itself, its network of five rounds ago, or `random`. Against itself it learns both sides."""
    replay: int = 200_000
    """How many positions to remember."""
    fit: Literal["sample", "whole"] = "sample"
    """Fit the network after a round to samples of the remembered positions, or once to all of them."""
    batch: int = 256
    """Positions in one fitting step."""
    uses: float = 1.0
    """With samples: how often a position is used on average before it is replaced."""
    target_every: int = 1
    """Rounds between updates of the older network, which judges next positions."""
    symmetric: bool = True
    """Learn positions in a random one of their turned and reflected forms."""
    suppress_unplayed: bool = False
    """Teach 0 for every square but the one played, as the paper does with `board`."""
    patience: int | None = None
    """Stop learning when the error has not fallen by a hundredth for this many rounds."""

    def __post_init__(self) -> None:
        check_least(
            self, channels=1, blocks=0, steps=1, horizon=1, games=1, openings=0, replay=1, batch=1, target_every=1,
            patience=1,
        )  # fmt: skip
        check_shares(self, "exploring", "last_exploring", "discount")
        check_positive(self, "rate", "last_rate", "uses")
        if not all(width > 0 for width in self.hidden):
            raise UserError(f"Hidden layers have at least one unit each, not {self.hidden}.")
        self._check_together()

    def _check_together(self) -> None:
        if self.bootstrap == "opponent" and (self.win != -self.loss or self.draw != 0):
            raise UserError(
                "With 'bootstrap opponent' what one side wins the other loses: set rewards such as 1, 0 and -1."
            )
        if self.shaping and self.bootstrap == "opponent":
            raise UserError("Shaping rewards only one side, so it needs 'bootstrap reply'.")
        if self.suppress_unplayed and self.network != "board":
            raise UserError("Only the network 'board' can be taught 0 for squares that were not played.")
        if self.network == "residual" and self.win > 1:
            raise UserError(f"The residual network gives values up to 1, so 'win' cannot be {self.win}.")


TICTACTOE = DeepQConfig(
    blocks=2, steps=1, rate=0.003, exploring=0.5, last_exploring=0.3, horizon=12_000, games=64, openings=4,
    replay=20_000, batch=128, uses=4.0,
)  # fmt: skip
"""A single step is exact whatever is explored, and a game this small can afford it."""

# What the paper leaves open is decided in docs/papers/humphreys.md.
_DQN = DeepQConfig(
    network="action", dueling=False, double=False, bootstrap="reply", steps=1, win=1.0, draw=0.5, loss=0.0,
    discount=0.1, rate=0.001, last_rate=0.001, exploring=0.2, last_exploring=0.0, horizon=200, games=1,
    opponent="random", replay=4096, fit="whole", batch=32, target_every=1, symmetric=False, patience=10,
)  # fmt: skip
_DSQN = replace(
    _DQN,
    method="sarsa",
    exploring=0.1,
    last_exploring=0.1,
    replay=256,
    fit="sample",
    batch=64,
    uses=64.0,
    patience=None,
)


def _variants(name: str, config: DeepQConfig) -> dict[str, DeepQConfig]:
    """Plain and with self-play."""
    return {name: config, f"{name}-selfplay": replace(config, opponent="earlier")}


def _shaped(name: str, config: DeepQConfig) -> dict[str, DeepQConfig]:
    return _variants(name, config) | _variants(f"{name}-rs", replace(config, shaping=True))


_DQN2 = replace(_DQN, network="board", suppress_unplayed=True)
PAPER: dict[str, DeepQConfig] = {**_shaped("dqn1", _DQN), **_shaped("dqn2", _DQN2), **_variants("dsqn", _DSQN)}
"""The ten agents of Humphreys et al. by their names there; 200 games for dqn, 100 for dsqn."""


def _summary(name: str) -> str:
    kind = "Deep SARSA" if name.startswith("dsqn") else "Deep Q-learning"
    against = "itself of 5 games ago" if "selfplay" in name else "random play"
    return f"Humphreys et al.: {kind} against {against}" + (", with shaped rewards" if "-rs" in name else "")


PRESETS = {
    "default": Preset(DeepQConfig(), 120, "ours: a residual network against itself, 30,000 games"),
    "tictactoe": Preset(TICTACTOE, 250, "ours, for Tic-Tac-Toe: never loses after a minute or two", game="tictactoe"),
    **{name: Preset(it, 100 if it.method == "sarsa" else 200, _summary(name)) for name, it in PAPER.items()},
}
"""Here rather than with the learner, so that settings can be shown without torch."""
