"""What players think of a position: a value, and how much they like each move, as far as they can say."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import Floats, Game, States
from randori.core.player import Choice
from randori.players import Player
from randori.search.evaluators import child_values
from randori.search.forest import Searched


@runtime_checkable
class Searches(Protocol):
    """A player whose search tells how often it tried each action, and with what result."""

    def search(self, states: States, rng: np.random.Generator) -> Searched: ...


@runtime_checkable
class Scores(Protocol):
    """A player who puts a number to each action."""

    def scores(self, states: States) -> Floats: ...


@runtime_checkable
class Evaluates(Protocol):
    """A player who puts a number to a position."""

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation: ...


@runtime_checkable
class HasEvaluator(Protocol):
    """A player who asks an evaluator about positions."""

    @property
    def evaluator(self) -> Evaluator: ...


class Mind(NamedTuple):
    """One player's thoughts about one position, for the side to move."""

    action: int
    """What it would play."""
    value: float | None
    """-1 lost .. 1 won, of players who estimate results."""
    liking: NDArray[np.float64] | None
    """`[A]`: 0 for the moves it likes least or that are not legal, 1 for the one it likes best."""
    behind: NDArray[np.float64] | None = None
    """`[A]`, of players whose scores are not chances: by how much each is less than the best; infinite if not legal."""
    values: NDArray[np.float64] | None = None
    """`[A]`, of players who estimate results: what each move is worth, -1 lost .. 1 won; nan where they have not looked."""


def read_mind(player: Player, game: Game, state: States, rng: np.random.Generator) -> Mind:
    """What a player thinks about a position, `[1, words]`, that is not over."""
    legal = game.legal(state)[0]
    # A player may have an option of that name instead.
    if isinstance(player, Searches) and callable(player.search):
        found = player.search(state, rng)
        action = int(found.actions[0])
        looked_at = np.where(found.visits[0] > 0, np.clip(found.values[0], -1.0, 1.0), np.nan)
        return Mind(action, _bounded(found.values[0, action]), _share(found.policy[0]), values=looked_at)
    choice = player.choose(state, rng)
    scores = _scores(player, game, state, rng)
    liking = _share(choice.policy[0]) if choice.policy is not None else None if scores is None else _rank(scores, legal)
    # Of players that say nothing of it, numbers mean more or less, no more.
    estimates = bool(getattr(player, "chances", False))
    value = _estimate(player, choice, state, rng) if estimates else None
    behind = None if estimates or scores is None else np.where(legal, scores[legal].max() - scores, np.inf)
    values = None if not estimates or scores is None else np.where(legal, np.clip(scores, -1.0, 1.0), np.nan)
    return Mind(int(choice.actions[0]), value, liking, behind, values)


def _estimate(player: Player, choice: Choice, state: States, rng: np.random.Generator) -> float | None:
    """What it has found the position to be worth, or else what it thinks at first sight."""
    if choice.values is not None and not np.isnan(choice.values[0]):
        return _bounded(choice.values[0])
    return _bounded(player.evaluate(state, rng).values[0]) if isinstance(player, Evaluates) else None


def _scores(player: Player, game: Game, state: States, rng: np.random.Generator) -> Floats | None:
    """`[A]`, or None if the player has nothing to say about single moves."""
    if isinstance(player, Scores):
        return player.scores(state)[0]
    evaluator = player.evaluate if isinstance(player, Evaluates) else None
    if evaluator is None and isinstance(player, HasEvaluator):
        evaluator = player.evaluator
    if evaluator is None:
        return None
    children = game.children(state)
    scores = np.full(game.n_actions, -np.inf)
    scores[children.actions] = -child_values(game, evaluator, children.states, rng)
    return scores


def ranked(mind: Mind) -> list[int]:
    """The actions of a mind whose scores are not chances, the best first."""
    assert mind.behind is not None
    return [int(it) for it in np.argsort(mind.behind, kind="stable") if np.isfinite(mind.behind[it])]


def _share(policy: Floats) -> NDArray[np.float64]:
    return np.asarray(policy / max(float(policy.max()), 1e-9), np.float64)


def _rank(scores: Floats, legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Scores of different players have different units; from the worst legal move to the best they are alike."""
    liking = np.zeros(len(scores))
    known = scores[legal]
    low, high = float(known.min()), float(known.max())
    liking[legal] = 1.0 if high == low else (known - low) / (high - low)
    return liking


def _bounded(value: float) -> float:
    return float(np.clip(value, -1.0, 1.0))
