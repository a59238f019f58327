"""The compiled alpha-beta search against an independent plain minimax."""

from __future__ import annotations

from collections.abc import Iterator

import foreign
import numpy as np
import pytest
from reference.minimax import Minimax

from randori.core.evaluation import values_by
from randori.core.game import ONGOING, Game, States
from randori.core.positions import all_positions, positions_of_random_games
from randori.games import game, names
from randori.kernels import alphabeta as kernel
from randori.kernels import searches
from randori.kernels.bits import hash_words
from randori.kernels.judges import Judge, doubles_at, judge_with
from randori.search.alphabeta import AlphaBeta, Limits, Probes, Scale, new_search

LEVELS = 7
"""Few different values, so that many moves are equally good."""
SCALES = [Scale(), Scale(certain=1e6), Scale(by_margin=True)]
SMALL = ["tictactoe", "connect4", "othello4", "othello6", "hex5", *foreign.FILES]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


def _opinion(state, facts):
    """An arbitrary value between -1 and 1."""
    hashed = hash_words(state, facts[0])
    return 2.0 * (np.int64(hashed >> np.uint64(40)) % facts[1]) / (facts[1] - 1) - 1.0


def opinionated(it: Game, levels: int = LEVELS) -> Judge:
    return judge_with(_opinion, it.words, levels)


def plain_search(it: Game, judge: Judge, scale: Scale, **options: int) -> Minimax:
    return Minimax(it, lambda states: values_by(judge, states), *scale, **options)


def positions(it: Game, n: int, seed: int = 0) -> States:
    rng = np.random.default_rng(seed)
    found = [np.empty((0, it.words), np.uint64)]
    while sum(map(len, found)) < n:
        states = positions_of_random_games(it, max(20, n // 10), rng)
        found.append(states[it.outcome(states) == ONGOING])
    return np.concatenate(found)[rng.permutation(sum(map(len, found)))[:n]]


def by_depth(it: Game, n_lines: int = 60_000) -> Iterator[tuple[int, States]]:
    """Positions for each depth from one ply on, fewer for greater depths: about `n_lines` lines of moves each."""
    width = float(it.legal(positions(it, 100)).sum(axis=1).mean())
    yield 1, positions(it, 400, seed=1)
    yield 2, positions(it, min(400, 4 + int(n_lines / width**2)), seed=2)
    for depth in (3, 4, 5):
        if n := min(400, int(n_lines / width**depth)):
            yield depth, positions(it, n, seed=depth)


def check(search: AlphaBeta, plain: Minimax, states: States, depth: int) -> None:
    """Where fewer plies are left than `depth`, only those are searched."""
    it = search.game
    most = it.moves_left(states) * (1 if it.pass_action is None else 2)
    depths = np.minimum(depth, most) if it.fills else np.full(len(states), depth)
    for here in np.unique(depths):
        _check(search, plain, states[depths == here], depth, int(here))


def _check(search: AlphaBeta, plain: Minimax, states: States, limit: int, depth: int) -> None:
    for state, scores in zip(states[:, None], plain.scores(states, depth), strict=True):
        found = search.search(state, Limits(depth=limit))
        best = max(scores.values())
        assert found.value == best
        assert found.actions.tolist() == sorted(action for action, score in scores.items() if score == best)
        for action, score in scores.items():
            assert search.scores[action] >= score, "a bound where another move is better"


@pytest.mark.parametrize("name", [*names(), *foreign.FILES])
def test_it_finds_the_value_and_all_the_best_moves(name: str) -> None:
    """The table is kept from one position to the next."""
    it = game(name)
    judge, n, n_passes = opinionated(it), 0, 0
    searches = [(AlphaBeta(it, judge, scale, all_best=True), plain_search(it, judge, scale)) for scale in SCALES]
    for depth, states in by_depth(it):
        for place, (search, plain) in enumerate(searches):
            check(search, plain, states[place::3], depth)
        n += len(states)
        n_passes += 0 if it.pass_action is None else int(it.legal(states)[:, it.pass_action].sum())
    assert n > 400
    assert n_passes > 0 or it.pass_action is None


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("room", [{"entries": 16}, {"entries": 1024, "values": 16}], ids=["table", "values"])
def test_little_memory_changes_nothing(name: str, room: dict[str, int]) -> None:
    it = game(name)
    judge = opinionated(it)
    search, plain = AlphaBeta(it, judge, all_best=True, **room), plain_search(it, judge, Scale())
    for depth, states in by_depth(it, 20_000):
        check(search, plain, states[:100], depth)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "othello6", "othello8", "snort5", "reversi4x6"])
@pytest.mark.parametrize("scale", SCALES, ids=["sooner", "certain", "margin"])
def test_positions_near_the_end_are_searched_to_the_end(name: str, scale: Scale) -> None:
    """At the root, and below it where a line gets that far."""
    it, judge = game(name), opinionated(game(name))
    states = positions_of_random_games(it, 3000, np.random.default_rng(0))
    states = states[it.outcome(states) == ONGOING]
    left = it.moves_left(states)
    for exact in (8, 9) if name == "snort5" else (2, 5):
        search = AlphaBeta(it, judge, scale, exact=exact, all_best=True)
        plain = plain_search(it, judge, scale, exact=exact)
        for depth in (1, 2, 3):
            near, nearly = states[left <= exact][:40], states[(left > exact) & (left <= exact + 3)][:40]
            assert min(len(near), len(nearly)) > 20
            check(search, plain, near, depth)
            check(search, plain, nearly, depth)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku9", "hex5", "snort5", "clobber5", "breakthrough5"])
@pytest.mark.parametrize("width", [1, 3])
def test_only_the_moves_that_the_judge_likes_best_are_searched(name: str, width: int) -> None:
    it = game(name)
    judge = opinionated(it, levels=1 << 23)  # it likes no two moves equally
    search = AlphaBeta(it, judge, Scale(certain=1e6), width=width)
    plain = plain_search(it, judge, Scale(certain=1e6), width=width)
    n = 0
    for depth, states in by_depth(it):
        chosen = states[it.moves_left(states) >= depth][:100]
        for state, scores in zip(chosen[:, None], plain.scores(chosen, depth), strict=True):
            found = search.search(state, Limits(depth=depth))
            assert found.value == max(scores.values())
            assert scores[int(found.actions[0])] == found.value
            n += depth > 1
    assert n > 20


def _known(state, facts):
    """A number for each position of Tic-Tac-Toe, by its stones."""
    return doubles_at(facts[0])[512 * np.int64(state[0]) + np.int64(state[1])]


NOISE = 0.3


def all_but_right(it: Game) -> Judge:
    """Knows every position's exact value, but for some noise."""
    states = all_positions(it)
    exact = Minimax(it, lambda none: np.empty(0), certain=1.0, end=0.0).values(states, 9, 9)
    numbers = np.zeros((512, 512))
    numbers[states[:, 0], states[:, 1]] = exact + NOISE * np.random.default_rng(0).uniform(-1, 1, len(states))
    return judge_with(_known, numbers)


@pytest.mark.parametrize("margin", [2 * NOISE, 0.0], ids=["wide", "none"])
def test_probes_with_a_wide_enough_margin_change_no_value(margin: float) -> None:
    """Searches of different depths differ at most by the noise of both."""
    it, scale = game("tictactoe"), Scale(certain=1.0, end=0.0)
    judge, states = all_but_right(it), all_positions(it)
    shallow = np.zeros(searches.PROBED, np.int64)
    shallow[3:9] = 1, 2, 1, 2, 3, 4
    probes = Probes(shallow, np.full((searches.PHASES, searches.PROBED), margin))
    search = AlphaBeta(it, judge, scale, entries=1 << 12)
    probing = AlphaBeta(it, judge, scale, entries=1 << 12, probes=probes)
    wrong, n_cut = 0, 0
    for state in states[it.moves_left(states) > 4][::3, None]:
        for depth in (3, 4, 5):
            # A table without a value, so that one search does not profit from another.
            search._search.table[:] = probing._search.table[:] = 0
            whole, found = (each.search(state, Limits(depth=depth)) for each in (search, probing))
            wrong += found.value != whole.value
            n_cut += found.nodes < whole.nodes
    assert (wrong > 0) == (margin == 0.0)
    assert n_cut > 100


def test_each_phase_has_its_own_margins() -> None:
    """Probes without a margin are mostly wrong, with an infinite one they never cut; the last phase is the first of the table."""
    it = game("othello6")
    judge, scale = opinionated(it), Scale(by_margin=True)
    shallow = np.where(np.arange(searches.PROBED) > 2, 1, 0)
    plain = plain_search(it, judge, scale)
    states = positions(it, 2000)
    left = it.moves_left(states)
    for phase, (least, most) in enumerate([(4, 10), (15, 21), (26, 32)]):
        chosen = states[(left >= least) & (left <= most)][:30]
        margins = np.zeros((searches.PHASES, searches.PROBED))
        reckless = AlphaBeta(it, judge, scale, all_best=True, probes=Probes(shallow, margins))
        with pytest.raises(AssertionError):
            check(reckless, plain, chosen, 4)
        margins[phase] = np.inf
        check(AlphaBeta(it, judge, scale, all_best=True, probes=Probes(shallow, margins)), plain, chosen, 4)


@pytest.mark.parametrize("name", ["othello6", "connect4", "gomoku9"])
def test_a_search_that_stops_at_every_node_finds_the_same(name: str) -> None:
    it = game(name)
    judge = opinionated(it)
    for state in positions(it, 5)[:, None]:
        left = int(it.moves_left(state)[0])
        at_once, in_steps = (new_search(it, judge, Scale(), exact=3, plies=it.max_plies) for _ in range(2))
        for search in (at_once, in_steps):
            kernel.begin(search, state[0], 3 if name != "gomoku9" else 2, left)
        assert kernel.advance(it.rules, judge.table, at_once, 1 << 40)
        steps = 1
        while not kernel.advance(it.rules, judge.table, in_steps, int(in_steps.progress[searches.NODES]) + 1):
            steps += 1
        assert steps > 5
        assert in_steps.answer[0] == at_once.answer[0]
        assert (in_steps.progress == at_once.progress).all()
        assert (in_steps.scores == at_once.scores).all()


@pytest.mark.parametrize("name", ["tictactoe", "othello6", "hex5"])
def test_refused_moves_are_ignored(name: str) -> None:
    it = game(name)
    judge, rng = opinionated(it), np.random.default_rng(0)
    search, plain = AlphaBeta(it, judge, all_best=True), plain_search(it, judge, Scale())
    for depth, states in [(1, positions(it, 60)), (2, positions(it, 60)), (3, positions(it, 20))]:
        states = states[it.moves_left(states) >= depth]
        for state, scores in zip(states[:, None], plain.scores(states, depth), strict=True):
            refused = [action for action in scores if rng.random() < 0.5]
            search.refuse(refused)
            left = {action: it for action, it in scores.items() if action not in refused} or scores
            found = search.search(state, Limits(depth=depth))
            assert found.value == max(left.values())
            assert found.actions.tolist() == [action for action in left if left[action] == found.value]
