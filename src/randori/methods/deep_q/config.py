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
    """Residual over planes; or fully connected: `action` takes a position and an action, `board` tells of all squares."""
    channels: int = 32
    """Width of the residual network."""
    blocks: int = 3
    """Its depth: residual blocks."""
    dueling: bool = True
    """The residual network tells the value of the position and each action's advantage apart."""
    hidden: tuple[int, ...] = (64, 64, 64)
    """Widths of the hidden layers of a fully connected network."""
    method: Literal["q", "sarsa"] = "q"
    """The next position counts by its best action, or by the one that was played there."""
    double: bool = False
    """Which action is best says the network that learns; what it is worth, the older one."""
    bootstrap: Literal["opponent", "reply"] = "opponent"
    """The next position is the opponent's, worth to me what it is not to him; or mine, after his reply."""
    steps: int = 16
    """How many choices further on the next position is: n-step returns."""
    win: float = 1.0
    """The reward for a win."""
    draw: float = 0.0
    """The reward for a draw."""
    loss: float = -1.0
    """The reward for a loss."""
    shaping: bool = False
    """Each step is also rewarded by the share of the board that one's own stones hold after the reply."""
    discount: float = 1.0
    """What the next position counts (gamma)."""
    rate: float = 0.001
    """Step size of Adam."""
    last_rate: float = 0.0001
    """Step size when as many games as in `horizon` were played, and ever after."""
    exploring: float = 0.15
    """The share of moves made at random in the first game (epsilon)."""
    last_exploring: float = 0.02
    """The same when as many games as in `horizon` were played, and ever after."""
    horizon: int = 30_000
    """Games over which exploration and step size go down."""
    games: int = 256
    """Games per round."""
    openings: int = 7
    """Games begin with 0 to so many random plies, all equally often; with an opponent other than itself, with none."""
    opponent: Literal["itself", "earlier", "random"] = "itself"
    """Who plays the other side: itself, the network of five rounds ago, or chance. From itself it learns both sides."""
    replay: int = 200_000
    """Positions that are remembered."""
    fit: Literal["sample", "whole"] = "sample"
    """After a round the network is fitted to samples of what is remembered, or once to all of it."""
    batch: int = 256
    """Positions in one step of fitting."""
    uses: float = 1.0
    """With samples: how often a position is used on average before others take its place."""
    target_every: int = 1
    """Rounds after which the older network, which judges next positions, is brought up to date."""
    symmetric: bool = True
    """Positions are learned turned and reflected by lot."""
    suppress_unplayed: bool = False
    """Teach 0 for every square but the one played, as the paper does with `board`."""
    patience: int | None = None
    """Learning ends when the error has not sunk by a hundredth for so many rounds."""

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
                "With 'bootstrap opponent' what one side wins the other loses: rewards such as 1, 0 and -1."
            )
        if self.shaping and self.bootstrap == "opponent":
            raise UserError("Shaping rewards one side alone: it needs 'bootstrap reply'.")
        if self.suppress_unplayed and self.network != "board":
            raise UserError("Only the network 'board' can be taught 0 for squares that were not played.")
        if self.network == "residual" and self.win > 1:
            raise UserError(f"The residual network tells values up to 1, less than a reward of {self.win}.")


TICTACTOE = DeepQConfig(
    blocks=2, steps=1, rate=0.003, exploring=0.5, last_exploring=0.3, horizon=12_000, games=64, openings=4,
    replay=20_000, batch=128, uses=4.0,
)  # fmt: skip
"""One step alone is exact whatever is explored, which a game this small can afford."""

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
    against = "itself as it was 5 games ago" if "selfplay" in name else "chance"
    return f"Humphreys et al.: {kind} against {against}" + (", with shaped rewards" if "-rs" in name else "")


PRESETS = {
    "default": Preset(DeepQConfig(), 120, "ours: a residual network against itself, 30,000 games"),
    "tictactoe": Preset(TICTACTOE, 250, "ours, for Tic-Tac-Toe: never loses after a minute or two"),
    **{name: Preset(it, 100 if it.method == "sarsa" else 200, _summary(name)) for name, it in PAPER.items()},
}
"""Here and not with the learner: settings can be shown where torch is not installed."""
