"""Transitions of Q-learning, one game and one choice at a time, as slow and plain as can be."""

from typing import Any

import numpy as np

from randori.core.game import Game


def lessons_of_game(
    game: Game, actions: list[int], opening: int, seat: int, *, reply: bool, steps: int, discount: float,
    rewards: tuple[float, float, float], shaping: bool,
) -> list[dict[str, Any]]:  # fmt: skip
    """For each choice of a seat after the opening: state, action, reward, factor, next state or None."""
    states = [game.start(1)]
    for action in actions:
        states.append(game.play(states[-1], [action]))
    is_choice = [not (game.layout.passes and action == game.n_actions - 1) for action in actions]
    last = int(game.outcome(states[-1])[0])
    result = last if len(actions) % 2 == seat else -last
    final_reward = {1: rewards[0], 0: rewards[1], -1: rewards[2]}[result]

    def share(ply: int) -> float:
        mine = 1 if ply % 2 == seat else -1
        return float(np.mean(game.cells(states[ply]) == mine))

    lessons = []
    for ply, action in enumerate(actions):
        if ply < opening or ply % 2 != seat or not is_choice[ply]:
            continue
        total, weight, at, over = 0.0, 1.0, ply, False
        for _ in range(steps):
            later = [it for it in range(at + 1, len(actions)) if is_choice[it] and (not reply or it % 2 == seat)]
            if not later:
                over = True
                total += weight * (final_reward + (share(len(actions)) if shaping else 0.0))
                break
            at = later[0]
            total += weight * share(at) if shaping else 0.0
            weight *= discount
        sign = 1.0 if at % 2 == seat else -1.0
        lessons.append(
            {
                "state": states[ply][0],
                "action": action,
                "reward": total,
                "factor": 0.0 if over else weight * sign,
                "next_state": None if over else states[at][0],
                "next_action": None if over else actions[at],
            }
        )
    return lessons
