"""The best lines of alpha-beta searches, and what their tables remember."""

from __future__ import annotations

from collections.abc import Iterator

import foreign
import pytest
from reference.minimax import Minimax
from test_alphabeta import SCALES, opinionated, plain_search, positions

from randori.core.game import ONGOING, States
from randori.games import game
from randori.search.alphabeta import AlphaBeta, Limits, Scale

GAMES = ("tictactoe", "connect4", "othello4", "othello6", "othello8", "hex5", "gomoku9", *foreign.FILES)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def value_of_line(plain: Minimax, state: States, line: list[int], depth: int) -> float:
    """The value that a line of legal moves leads to, for the side that begins it."""
    sign, weight = 1.0, depth
    for action in line:
        assert plain.game.legal(state)[0, action]
        state, sign, weight = plain.game.play(state, [action]), -sign, weight - 1
    if plain.game.outcome(state)[0] == ONGOING:
        assert len(line) == depth
    return sign * float(plain.values(state, 0, weight + 1)[0])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scale", SCALES, ids=["sooner", "certain", "margin"])
def test_the_best_line_leads_to_the_value(name: str, scale: Scale) -> None:
    it = game(name)
    judge, n = opinionated(it), 4 if it.n_actions > 80 else 30
    plain = plain_search(it, judge, scale)
    for all_best in (False, True):
        search = AlphaBeta(it, judge, scale, all_best=all_best)  # whose table remembers more and more
        for i, state in enumerate(positions(it, n)[:, None]):
            for found in search.deepen(state, Limits(depth=1 + i % 4)):
                assert found.line[0] in found.actions
                assert value_of_line(plain, state, found.line.tolist(), found.depth) == found.value


@pytest.mark.parametrize("nodes", [10, 100, 1000])
def test_the_line_of_a_search_cut_short_begins_with_its_move(nodes: int) -> None:
    it = game("othello8")
    for state in positions(it, 50)[:, None]:
        found = AlphaBeta(it, opinionated(it)).search(state, Limits(nodes=nodes))
        assert found.line[0] == found.actions[0]
        for action in found.line:
            assert it.legal(state)[0, action]
            state = it.play(state, [action])


def test_a_table_serves_all_moves_of_a_game() -> None:
    """It is bounded, the values stay the same, and what was searched for the last move need not be searched again."""
    it, limits, room = game("othello6"), Limits(depth=5), 1 << 10
    judge, state = opinionated(it), it.start(1)
    remembering, with_memory, without = AlphaBeta(it, judge, entries=room), 0, 0
    before = 0
    while it.outcome(state)[0] == ONGOING:
        found, alone = remembering.search(state, limits), AlphaBeta(it, judge, entries=room).search(state, limits)
        assert (found.value, found.depth) == (alone.value, alone.depth)
        assert before <= remembering.entries <= room
        with_memory, without, before = with_memory + found.nodes, without + alone.nodes, remembering.entries
        state = it.play(state, found.actions[:1])
    assert before > room // 2
    assert with_memory < without


def test_a_search_can_forget() -> None:
    it, limits = game("othello6"), Limits(depth=4)
    judge, state = opinionated(it), positions(it, 1)[None, 0]
    search = AlphaBeta(it, judge)
    first = search.search(state, limits)
    search.search(state, limits)
    search.forget(judge)
    assert search.entries == 0
    assert search.search(state, limits)[:5] == first[:5]
