"""Actions drawn by lot: the one place where equals are told apart."""

import numpy as np

from randori.core.game import Actions, Bools, Floats, Ints


def drawn_from(allowed: Bools, rng: np.random.Generator) -> Actions:
    """One of the actions allowed in each row, `[B]`, all with the same chance."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1).astype(np.int16)


def drawn_by(weights: Floats, rng: np.random.Generator) -> Actions:
    """One action of each row, `[B]`, with chances in proportion to `weights[b, a]`."""
    marks = rng.random(len(weights)) * weights.sum(axis=1)
    return (np.cumsum(weights, axis=1) > marks[:, None]).argmax(axis=1).astype(np.int16)


def highest(scores: Floats, rng: np.random.Generator) -> Actions:
    """The action with the highest of `scores[b, a]`; equals are drawn by lot."""
    return drawn_from(np.asarray(scores == scores.max(axis=1, keepdims=True)), rng)


def best_of(parents: Ints, actions: Actions, scores: Floats, n: int, rng: np.random.Generator) -> Actions:
    """As `highest` for a flat list of the actions of `n` parents, `[n]`, in the order of the parents."""
    order = np.lexsort((rng.random(len(scores)), scores, parents))
    last_of_parent = np.flatnonzero(np.append(np.diff(parents[order]) > 0, True))
    assert len(last_of_parent) == n
    return actions[order[last_of_parent]]
