"""How strong a person plays: a rating with its uncertainty, learned from results and from moves."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Floats, Game
from randori.errors import UserError
from randori.players.companion.dial import Dial, dial
from randori.players.companion.losses import Judged, judge

NATS_PER_ELO = math.log(10) / 400

DRIFT = 30.0
"""Elo by which a person's strength may change from game to game (one deviation). It also keeps the companion listening
to results for ever, and these decide in the end: no rating predicts how two styles meet."""
GAMES_JUDGED = 10
"""The number of first games whose moves count; in later games they would weigh less than a tenth and are not worth the
search.
"""
SURPRISE = 2.0
"""Nats: however badly the moves of a game fit a rating, they count against it by no more than this. Otherwise a person
whose style looks poor to the search would seem weak for many games, despite winning all of them.
"""
STEP = 10.0  # Elo between the points of the grid
AIR = 300.0  # Elo that a person may be beyond the ends of the dial


@dataclass(frozen=True)
class Estimate:
    """A person's strength on the game's scale, `random` being 0: mean, standard deviation, games it rests on."""

    elo: float
    deviation: float
    games: int

    def __post_init__(self) -> None:
        if not math.isfinite(self.elo) or not 0 <= self.deviation < math.inf or self.games < 0:
            raise UserError(f"An estimate needs a rating, a deviation and games of 0 or more, not {self}.")


class PlayedGame(NamedTuple):
    """A game with a person; one that was resigned may end early."""

    actions: list[int]
    person_seat: int
    """0 where the person began, else 1."""
    result: float
    """The person's result: 1 won, 0.5 drawn, 0 lost."""
    opponent_elo: float


def first_estimate(game: Game) -> Estimate:
    """For somebody who has not played yet: near a beginner, however far the dial reaches, and uncertain enough to suit
    anybody.
    """
    scale = dial(game)
    return Estimate(
        scale.weakest + 0.35 * (scale.searching - scale.weakest), 0.35 * (scale.strongest - scale.weakest), 0
    )


def update(game: Game, before: Estimate, played: PlayedGame) -> Estimate:
    """The estimate after one more game, by Bayes' rule over a grid of ratings.

    The evidence: the result, by Bradley and Terry, a draw as half a win and half a loss; and the mean loss of the
    person's moves, normal about what players of each rating lose. Moves tell early what results tell late; but a
    style may lose more or less than its strength explains, an error that more games do not cure, so the moves of the
    game after n others count 1 / (1 + n), and nothing after the first `GAMES_JUDGED`.
    """
    if played.person_seat not in (0, 1) or not 0 <= played.result <= 1:
        raise UserError(
            f"A person's seat must be 0 or 1 and the result 0 to 1, not {played.person_seat} and {played.result}."
        )
    scale = dial(game)
    early = before.games < GAMES_JUDGED
    judged = judge(game, played.actions, played.person_seat) if early else Judged(0.0, 0)
    return posterior(scale, before, played, judged)


def posterior(scale: Dial, before: Estimate, played: PlayedGame, judged: Judged) -> Estimate:
    """`update` once the moves are judged."""
    grid = np.arange(scale.weakest - AIR, scale.strongest + AIR + STEP, STEP)
    log_density = -((grid - before.elo) ** 2) / (2 * (before.deviation**2 + DRIFT**2))
    gap = NATS_PER_ELO * (grid - played.opponent_elo)
    log_density -= played.result * np.logaddexp(0, -gap) + (1 - played.result) * np.logaddexp(0, gap)
    if judged.moves:
        log_density += moves_evidence(scale, grid, judged.loss) / (1 + before.games)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    mean = float(density @ grid)
    return Estimate(mean, math.sqrt(float(density @ (grid - mean) ** 2)), before.games + 1)


def moves_evidence(scale: Dial, elos: NDArray[np.float64], loss: float) -> Floats:
    """The log-likelihood of a game's mean loss by rating, up to a constant; at most `SURPRISE` below the best."""
    rungs = [it.elo for it in scale.losses]
    mean = np.interp(elos, rungs, [it.loss for it in scale.losses])
    deviation = np.interp(elos, rungs, [it.deviation for it in scale.losses])
    fit = -0.5 * ((loss - mean) / deviation) ** 2 - np.log(deviation)
    return np.asarray(np.maximum(fit, fit.max() - SURPRISE))


def fair_elo(estimate: Estimate, target: float) -> float:
    """The strength against which the person is expected to score `target`, the uncertainty taken into account.

    The mean of a logistic curve over a normal distribution is about the curve flattened by sqrt(1 + pi/8 s^2), s being
    the deviation in nats (MacKay 1992): the less is known, the further it must go for a score other than half.
    """
    spread = NATS_PER_ELO * estimate.deviation
    return estimate.elo - math.log(target / (1 - target)) / NATS_PER_ELO * math.sqrt(1 + math.pi / 8 * spread**2)
