"""Self-organizing maps and learning on them as Kamei and Kakizoe (2017) write them, in plain numpy and Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def winner(weights: Any, x: Any, euclidean: bool) -> int:
    """Equations 5 and 6."""
    if euclidean:
        return int(np.argmin(np.linalg.norm(weights - x, axis=1)))
    return int(np.argmax(weights @ x))


def neighbourhood(won: int, shape: tuple[int, int], rate: float, radius: float) -> Any:
    """Equation 3 for all neurons."""
    places = np.array([(row, column) for row in range(shape[0]) for column in range(shape[1])], float)
    squares = ((places - places[won]) ** 2).sum(axis=1)
    return rate * np.exp(-squares / (2 * radius**2))


def train(
    weights: Any,
    boards: Sequence[Any],
    shape: tuple[int, int],
    euclidean: bool,
    rate: float,
    radii: tuple[float, float],
    total: int,
) -> Any:
    """Equation 1, with the radius of the tables' r -> r' in place of equation 4's r -> 1."""
    w = np.array(weights, float)
    for t, x in enumerate(boards):
        left = 1 - t / total
        won = winner(w, x, euclidean)
        share = neighbourhood(won, shape, rate * left, radii[1] + (radii[0] - radii[1]) * left)
        w += share[:, None] * (x - w)
    return w


def turns(board: Any) -> list[Any]:
    """A square board in the eight ways of looking at it, itself first."""
    return [np.rot90(it, k) for it in (board, board[:, ::-1]) for k in range(4)]


def retrieve(weight: Any, threshold: Any) -> Any:
    """The position that a weight vector stands for."""
    return np.where(weight > threshold, 1, np.where(weight < -threshold, -1, 0))


def place(weights: Any, threshold: Any, board: Any, euclidean: bool) -> int:
    """Section 4: the winner of the first turn that comes back as it was, else the best of all turns' winners."""
    best, found = -np.inf, 0
    for it in turns(board):
        x = it.reshape(-1)
        won = winner(weights, x, euclidean)
        same = retrieve(weights[won], threshold) == x
        if same.all() if euclidean else same[x != 0].all():
            return won
        score = -np.linalg.norm(weights[won] - x) if euclidean else weights[won] @ x
        if score > best:
            best, found = score, won
    return found


class TdLambda:
    """Equation 9 (7 where `decay` is 0), step by step through one game."""

    def __init__(self, values: dict[Any, float], rate: float, discount: float, decay: float) -> None:
        self.values, self.rate, self.discount, self.decay = values, rate, discount, decay
        self.traces: dict[Any, float] = {}

    def step(self, state: Any, reward: float, following: float) -> None:
        """After the state came a reward, and a state of the value `following`."""
        error = reward + self.discount * following - self.values.get(state, 0.0)
        for it in self.traces:
            self.traces[it] *= self.discount * self.decay
        self.traces[state] = self.traces.get(state, 0.0) + 1
        for it, trace in self.traces.items():
            self.values[it] = self.values.get(it, 0.0) + self.rate * error * trace


def monte_carlo(values: dict[Any, float], visited: Sequence[Any], rewards: Sequence[float]) -> None:
    """Equation 8: the sum of the rewards from t on, divided by t."""
    for i, state in enumerate(visited):
        values[state] = values.get(state, 0.0) + sum(rewards[i:]) / (i + 1)


def monte_carlo_split(values: dict[Any, float], visited: Sequence[Any], rewards: Sequence[float]) -> None:
    """Equation 8 as section 7.3.2 explains it: the sum of the rewards of a game, split equally among its moves."""
    share = sum(rewards) / len(visited)
    for state in visited:
        values[state] = values.get(state, 0.0) + share


def closeness(scores: Any, temperature: float, power: int = 16) -> Any:
    """Nearly exp((score - top) / temperature), and 0 far from the top."""
    return np.maximum(0, 1 + (scores - scores.max()) / (power * temperature)) ** power


def plane_value(weights: Any, biases: Any, levels: Any, slopes: Any, board: Any, temperature: float) -> float:
    """The mean of the planes at the board, weighted by closeness."""
    shares = closeness(weights @ board + biases, temperature)
    return float(shares @ (levels + slopes @ board) / shares.sum())


def correct_planes(
    weights: Any, biases: Any, levels: Any, slopes: Any, board: Any, temperature: float, change: float
) -> None:
    """Moves the planes along the gradient of the value until the value has changed by `change`."""
    shares = closeness(weights @ board + biases, temperature)
    gradient = shares / shares.sum()
    step = change / ((gradient**2).sum() * (1 + (board**2).sum()))
    levels += step * gradient
    slopes += step * gradient[:, None] * board


def best_margin(play_on: Callable[[Any], list[Any]], margin: Callable[[Any], int], state: Any) -> int:
    """Negamax to the end."""
    children = play_on(state)
    return margin(state) if not children else max(-best_margin(play_on, margin, it) for it in children)
