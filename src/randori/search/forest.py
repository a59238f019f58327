"""Forest: a search tree for each position of a batch, guided by an evaluator that the caller asks."""

import math
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import Actions, Floats, Game, Ints, States
from randori.errors import UserError
from randori.kernels import forest as kernels
from randori.kernels import gumbel, trees
from randori.kernels.records import allocate
from randori.search.limits import check_factor, check_ongoing

# Decides among equal priors where Gumbel noise is switched off.
_TIE_BREAK = 1e-6


class Searched(NamedTuple):
    """What a search found; values are for the side to move."""

    actions: Actions  # [B]  the best
    policy: Floats  # [B, A]  better than the evaluator's: shares of the visits, or Gumbel's improved policy
    visits: Ints  # [B, A]
    values: Floats  # [B, A]  mean results of the actions, 0 where not visited

    def root_values(self) -> Floats:
        """`[B]`: the mean of all simulations."""
        return np.asarray((self.visits * self.values).sum(axis=1) / self.visits.sum(axis=1))


@dataclass(frozen=True)
class Puct:
    """AlphaZero's rule. An edge scores `q + c * prior * sqrt(1 + visits of its node) / (1 + visits)`; one without a
    visit has the value of its node for q.

    `noise` is the share of Dirichlet noise in the priors of the root; its concentration adds up to `concentration` over
    the legal actions, so that it is about as rough on every board.
    """

    c: float = 1.25
    noise: float = 0.0
    concentration: float = 10.0

    def __post_init__(self) -> None:
        check_factor("c", self.c)
        if not 0 <= self.noise <= 1:
            raise UserError(f"The noise of PUCT must be 0 to 1, not {self.noise}.")
        if not 0 < self.concentration < math.inf:
            raise UserError(f"The concentration of PUCT's noise must be positive, not {self.concentration}.")


@dataclass(frozen=True)
class Gumbel:
    """Danihelka et al. 2022. `considered` actions compete at the root in sequential halving; `noise` is the factor of
    the Gumbel noise that draws them, 1 for self-play, 0 to take those of the greatest priors.
    """

    considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.considered < 1:
            raise UserError(f"Gumbel search must consider at least one action, not {self.considered}.")
        for name in ("c_visit", "c_scale", "noise"):
            check_factor(name, getattr(self, name))


class Forest:
    """A tree for each state, all grown in step:

        while len(leaves := forest.select()):
            forest.expand(evaluator(leaves, rng))

    The first leaves are the roots. Leaves are distinct, never the end of a game, and asked for once in a search.
    Up to `leaves` simulations of each tree wait at a time: 1 is exact, more make larger batches of few trees.
    """

    def __init__(
        self,
        game: Game,
        states: States,
        simulations: int,
        rule: Puct | Gumbel,
        rng: np.random.Generator,
        *,
        leaves: int = 1,
    ) -> None:
        legal = game.legal(states)
        check_ongoing(game, states)
        self._game, self._rule, self._simulations, self._leaves = game, rule, simulations, leaves
        self._roots_known = False
        n, n_nodes = len(states), simulations + 1
        self._tree = trees.empty(n, n_nodes, n_nodes * game.n_actions, game.words)
        self._simulated = np.zeros(n, np.int64)
        self._queue = kernels.empty_queue(n, n_nodes, leaves, game.words)
        considered = min(rule.considered, simulations, game.n_actions) if isinstance(rule, Gumbel) else 0
        rows = n if considered else 0
        self._roots = allocate(gumbel.Roots, np.empty, T=rows, n_actions=game.n_actions, considered=considered)
        self._noise = self._drawn_noise(legal, rng)
        if isinstance(rule, Gumbel):
            self._kernel_rule = gumbel.Rule(1, 0.0, rule.c_visit, rule.c_scale)
        else:
            self._kernel_rule = gumbel.Rule(0, rule.c, 0.0, 0.0)
        kernels.plant_all(game.rules, self._tree, self._queue, np.ascontiguousarray(states))

    def select(self) -> States:
        """The positions to evaluate next, `[L, words]`; none once the search is over."""
        if self._queue.sizes[0] and self._roots_known:
            raise ValueError("Expand the leaves selected last before you select more.")
        if self._roots_known:
            kernels.select(
                *(self._game.rules, self._tree, self._queue, self._roots, self._kernel_rule),
                *(self._simulated, self._simulations, self._leaves),
            )
        return self._queue.states[: self._queue.sizes[1]].copy()

    def expand(self, evaluation: Evaluation) -> None:
        """Takes the evaluation of the leaves selected last."""
        kernels.expand(self._game.rules, self._tree, self._queue, *self._checked(evaluation))
        if self._roots_known:
            return
        self._roots_known = True
        if isinstance(self._rule, Gumbel):
            gumbel.consider(self._tree, self._roots, self._simulations, self._noise)
        elif self._rule.noise > 0:
            kernels.add_noise(self._tree, self._queue, self._rule.noise, self._noise)

    @property
    def simulated(self) -> int:
        """How many simulations every tree has had at least."""
        return int(self._simulated.min())

    def found(self) -> Searched:
        """What the search has found so far; no leaf may wait for its evaluation."""
        n = len(self._simulated)
        visits, values = np.zeros((n, self._game.n_actions), np.int32), np.zeros((n, self._game.n_actions))
        kernels.harvest(self._tree, visits, values)
        if isinstance(self._rule, Gumbel):
            actions, policy = np.empty(n, np.int16), np.zeros(visits.shape)
            gumbel.conclude(self._tree, self._roots, self._kernel_rule, actions, policy)
        else:
            # The most visited, then the most valued.
            actions = np.argmax(visits + 0.25 * values, axis=1).astype(np.int16)
            policy = visits / visits.sum(axis=1, keepdims=True)
        return Searched(actions, policy, visits, values)

    def _drawn_noise(self, legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.float64]:
        """`[B, A]`"""
        if isinstance(self._rule, Gumbel):
            return max(self._rule.noise, _TIE_BREAK) * rng.gumbel(size=legal.shape)
        if self._rule.noise == 0:
            return np.zeros((0, 0))
        shares = self._rule.concentration / legal.sum(axis=1, keepdims=True)
        drawn = np.where(legal, rng.gamma(np.broadcast_to(shares, legal.shape)), 0.0)
        return drawn / drawn.sum(axis=1, keepdims=True)

    def _checked(self, evaluation: Evaluation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = int(self._queue.sizes[1])
        values = np.ascontiguousarray(evaluation.values, np.float64)
        if evaluation.policy is None:
            policy = np.zeros((0, 0))
        else:
            policy = np.ascontiguousarray(evaluation.policy, np.float64)
            if policy.shape != (n, self._game.n_actions):
                raise ValueError(f"A policy of shape {(n, self._game.n_actions)} was asked for, not {policy.shape}.")
            if not ((policy >= 0) & (policy < math.inf)).all():
                raise ValueError("A policy has numbers of 0 or more.")
        if values.shape != (n,):
            raise ValueError(f"{n} values were asked for, not an array of shape {values.shape}.")
        if not (np.abs(values) <= 1).all():
            raise ValueError("A value is in -1 .. 1.")
        return values, policy


def grow(forest: Forest, evaluator: Evaluator, rng: np.random.Generator, ends: float | None = None) -> Searched:
    """Searches to the end, or until the clock shows when it `ends`; each tree has at least one simulation."""
    while len(leaves := forest.select()):
        forest.expand(evaluator(leaves, rng))
        if ends is not None and forest.simulated and perf_counter() >= ends:
            break
    return forest.found()
