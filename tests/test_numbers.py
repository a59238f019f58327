"""Numbers of moves: the judge's are the solver's where it reaches, a player's are its own opinion."""

import numpy as np
import pytest

from randori import games
from randori.app.service.minds import Mind, read_mind
from randori.app.service.numbers import Number, judged, numbers_of
from randori.core.game import Game, States
from randori.core.notation import parse_transcript
from randori.players import player
from randori.search.solver import Solver


def position(game: Game, moves: str) -> States:
    state = game.start(1)
    for action in parse_transcript(game, moves):
        state = game.play(state, [int(action)])
    return state


def late(game: Game, plies: int, seed: int = 3) -> States:
    """After random moves, at least two to choose from."""
    rng = np.random.default_rng(seed)
    while True:
        state = game.start(1)
        for _ in range(plies):
            state = game.play(state, game.pick(state, rng.random(1)))
            if not game.legal(state)[0].any():
                break
        if game.legal(state)[0].sum() > 1:
            return state


def test_every_move_of_a_small_game_is_proved() -> None:
    game = games.game("tictactoe")
    *_, found = judged(game, position(game, "a1b2c3"))
    chances = {game.move_names[it]: number.chance for it, number in found.items()}
    assert all(it.exact for it in found.values())
    assert chances == {"b1": 0.5, "c1": 0.0, "a2": 0.5, "c2": 0.5, "a3": 0.0, "b3": 0.5}


def test_discs_are_the_solvers_near_the_end() -> None:
    game = games.game("othello6")
    state = late(game, 22)
    *_, found = judged(game, state)
    assert found.keys() == set(np.flatnonzero(game.legal(state)[0]))
    solver = Solver(game)
    children = game.children(state)
    for i, action in enumerate(children.actions):
        child = children.states[i : i + 1]
        over = not game.legal(child)[0].any()
        margin = int(game.margin(child)[0]) if over else solver.solve(child).value
        assert found[int(action)] == Number((1 - np.sign(margin)) / 2, -margin, exact=True)


def test_short_looks_at_all_moves_come_before_longer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.app.service.numbers._SECONDS_A_PIECE", 0.0)
    game = games.game("othello8")
    pieces = list(judged(game, position(game, "f5d6c3d3c4")))
    n_legal = int(game.legal(position(game, "f5d6c3d3c4"))[0].sum())
    assert [len(it) for it in pieces[:n_legal]] == list(range(1, n_legal + 1))
    assert len(pieces) > n_legal
    assert len(pieces[-1]) == n_legal
    assert all(0 < it.chance < 1 and it.margin is not None and not it.exact for it in pieces[-1].values())


@pytest.mark.parametrize("spec", ["uct:simulations=200", "zoo/othello6-som", "zoo/othello6-ntuple"])
def test_players_that_estimate_results_give_chances(spec: str) -> None:
    game = games.game("othello6")
    mind = read_mind(player(spec, game), game, game.start(1), np.random.default_rng(1))
    found = numbers_of(mind)
    assert found.keys() == set(np.flatnonzero(game.legal(game.start(1))[0]))
    assert all(it.chance is not None and 0 <= it.chance <= 1 for it in found.values())
    if spec.startswith("uct"):
        assert found[mind.action].chance == pytest.approx(0.5 + 0.5 * mind.value)


def test_other_players_say_how_far_moves_lie_behind() -> None:
    game = games.game("othello6")
    found = numbers_of(read_mind(player("heuristic", game), game, game.start(1), np.random.default_rng(1)))
    assert min(it.behind for it in found.values()) == 0.0
    assert max(found.values(), key=lambda it: it.order).behind == 0.0
    assert numbers_of(Mind(0, None, None)) == {}
