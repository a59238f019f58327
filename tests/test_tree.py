"""UCT against a plain tree, and what a search must never do."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from functools import cache
from threading import Thread, local
from types import FrameType

import numpy as np
import pytest
from numba import njit
from reference import FIRST, JUDGES, Position
from reference.trees import Node, Playout, epsilon_greedy, humphreys, softmax, uct, uniform
from scipy.stats import chisquare

import randori
from randori import games
from randori.core.game import Game, States
from randori.errors import UserError
from randori.kernels import trees, weighted
from randori.kernels.rules import Rules, row
from randori.kernels.weighted import finish_by_weights
from randori.methods.deep_q.pair_search import Humphreys
from randori.search.evaluators import preferences
from randori.search.limits import MEMORY_LIMIT, memory
from randori.search.uct import Uct, _playouts

# The plain trees are slow, so boards are at most as large as those of small Gomoku.
GAMES = [name for name in games.names() if games.game(name).n_squares <= 81]


def positions(name: str, n: int, seed: int) -> tuple[States, list[Position]]:
    """`n` positions of random play that are not over, for the kernels and for the judge; in Othello one is a forced pass."""
    game, judge = randori.game(name), JUDGES[name]
    rng = np.random.default_rng(seed)
    found: list[tuple[States, Position]] = []
    passing: list[tuple[States, Position]] = []
    while len(found) < n or (game.layout.passes and not passing):
        state, position = game.start(1), judge.start()
        for _ in range(int(rng.integers(0, game.max_plies))):
            legal = judge.legal(position)
            if not legal:
                break
            if game.layout.passes and legal == [game.n_actions - 1]:
                passing.append((state, position))
            action = int(rng.choice(legal))
            state, position = game.play(state, [action]), judge.play(position, action)
        if judge.legal(position):
            found.append((state, position))
    found = [*passing[:1], *found][:n]
    return np.concatenate([state for state, _ in found]), [position for _, position in found]


@cache
def plainly(name: str) -> Game:
    """A game that is played out by its legal actions in their order, as the plain trees do."""
    game = randori.game(name)
    return replace(game, definition=game.definition._replace(finish=None))


def seeds(rng: np.random.Generator, n: int) -> list[int]:
    """The seeds that a search of `n` states draws first."""
    return rng.integers(0, 2**64, n, dtype=np.uint64).tolist()


def root_counts(game: Game, root: Node) -> tuple[list[int], list[float]]:
    visits, values = [0] * game.n_actions, [0.0] * game.n_actions
    for action, child in root.children.items():
        visits[action], values[action] = child.visits, child.worth() if child.visits else 0.0
    return visits, values


def assert_same_search(name: str, player: Uct, playout: Playout) -> None:
    states, plain = positions(name, 2 if player.game.n_squares > 64 else 3, seed=player.simulations)
    found = player.search(states, np.random.default_rng(1))
    for i, seed in enumerate(seeds(np.random.default_rng(1), len(plain))):
        priors = np.exp(preferences(player.game)).tolist() if player.priors else None
        root = uct(JUDGES[name], plain[i], player.simulations, player.c, seed, playout, priors)
        visits, values = root_counts(player.game, root)
        np.testing.assert_array_equal(found.visits[i], visits)
        np.testing.assert_allclose(found.values[i], values, atol=1e-12)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("simulations", [1, 7, 90])
@pytest.mark.parametrize("priors", [False, True])
def test_uct_grows_the_tree_of_the_book(name: str, simulations: int, priors: bool) -> None:
    # A round c makes scores that are equal but for rounding, of which the kernel's formula may choose the other.
    c = 0.7193 if simulations == 7 else 1.3717
    assert_same_search(name, Uct(plainly(name), simulations, c, priors, rollout="random"), uniform)


@pytest.mark.parametrize("name", ["connect4", "othello6", "gomoku9"])
def test_preferred_playouts_are_those_of_the_book(name: str) -> None:
    game = randori.game(name)
    weights = preferences(game).tolist()
    greedy = Uct(game, 60, rollout="epsilon", epsilon=0.25)
    assert_same_search(name, greedy, epsilon_greedy(0.25, weights))
    assert_same_search(name, Uct(game, 60, rollout="softmax", temperature=0.7), softmax(0.7, weights))
    favourites = epsilon_greedy(0.0, [float(it == max(weights)) for it in weights])
    assert_same_search(name, Uct(game, 60, rollout="favourites"), favourites)


def test_the_favourites_of_othello_are_its_corners() -> None:
    weights = preferences(randori.game("othello8"))
    np.testing.assert_array_equal(np.flatnonzero(weights == weights.max()), [0, 7, 56, 63])


@pytest.mark.parametrize("name", ["connect4", "othello6"])
def test_a_search_does_not_depend_on_its_slices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Uct(randori.game(name), 90)
    states, _ = positions(name, 5, seed=3)
    whole = player.search(states, np.random.default_rng(0))
    monkeypatch.setattr("randori.search.uct._SLICE", 17)
    for one, other in zip(whole, player.search(states, np.random.default_rng(0)), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["connect4", "othello8", "gomoku9"])
def test_weights_are_the_same_in_classes_and_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that do not suit classes are added up one by one; both ways give every result its chance."""
    game = randori.game(name)
    state = np.repeat(positions(name, 1, seed=11)[0], 40, axis=0)
    found = []
    for n in (64, 0):
        monkeypatch.setattr(weighted, "_MOST_PARTS", n)
        _playouts.cache_clear()
        player = Uct(game, 200, temperature=1.0, c=100.0)
        found.append(player.search(state, np.random.default_rng(n)))
        assert (_playouts(game, "softmax", player.epsilon, 1.0).finish == 0) == (n == 0)
    _playouts.cache_clear()
    # With so large a c visits hardly depend on values, which are then means of independent playouts.
    means, spread = ([f(it.values, axis=0) for it in found] for f in (np.mean, np.std))
    apart = np.abs(means[0] - means[1]) / np.sqrt((spread[0] ** 2 + spread[1] ** 2) / 40 + 1e-6)
    assert apart.max() < 5.5


def test_weights_far_apart_are_not_drawn_by_class() -> None:
    found = [_playouts(randori.game("othello8"), "softmax", 0.5, temperature) for temperature in (0.5, 0.05)]
    assert [it.finish == 0 for it in found] == [False, True]


def one_move_among(first: int, end: int) -> Rules:
    """A game of one move, which is kept as the state."""

    def legal(state, moves):  # type: ignore[no-untyped-def]
        moves[0] = np.uint64(0)
        moves[1] = np.uint64(0)
        if state[0] != np.uint64(0):
            return 0
        for action in range(first, end):
            moves[action >> 6] |= np.uint64(1) << np.uint64(action & 63)
        return end - first

    def play(state, action):  # type: ignore[no-untyped-def]
        state[0] = np.uint64(action + 1)

    return Rules(play, legal, play, play, play, play, play)


def test_draws_have_the_chances_of_their_weights() -> None:
    """Of 40 legal actions with three weights, and of 20, where no trials come first."""
    weights = np.where(np.arange(100) % 7 == 0, 1.0, np.where(np.arange(100) % 3 == 0, 0.3, 0.002))
    classes, numbers = weighted.classes_of(weights), weighted.whole(weights)

    @njit
    def draw(address, states, stream, of_parts, of_actions):  # type: ignore[no-untyped-def]
        for i in range(len(states)):
            finish_by_weights(address, row(states, i), row(stream, 0), row(of_parts, 0), row(of_actions, 0))

    for n in (40, 20):
        rules = one_move_among(50 - n // 2, 50 + n // 2)
        states = np.zeros((60_000, 1), np.uint64)
        address = weighted.finishing(rules, 100, classes)
        draw(address, states, np.array([n], np.uint64), numbers[classes.members], numbers)
        counts = np.bincount(states[:, 0].astype(int) - 1, minlength=100)
        allowed = slice(50 - n // 2, 50 + n // 2)
        assert counts[allowed].sum() == len(states)
        expected = weights[allowed] / weights[allowed].sum() * len(states)
        assert chisquare(counts[allowed], expected).pvalue > 1e-6


def test_memory_of_earlier_searches_changes_nothing() -> None:
    """Threads that search at once, with trees of other games and sizes before, find what a first search finds."""
    tasks = [("connect4", 300), ("gomoku9", 40), ("othello6", 90), ("connect4", 20), ("gomoku9", 300)]
    expected = {}
    for name, simulations in tasks:
        trees._kept.__dict__.clear()
        expected[name, simulations] = Uct(randori.game(name), simulations).search(
            randori.game(name).start(2), np.random.default_rng(0)
        )
    wrong: list[tuple[str, int]] = []

    def search_all(order: list[tuple[str, int]]) -> None:
        for name, simulations in order:
            game = randori.game(name)
            found = Uct(game, simulations).search(game.start(2), np.random.default_rng(0))
            if not np.array_equal(found.visits, expected[name, simulations].visits):
                wrong.append((name, simulations))

    threads = [Thread(target=search_all, args=(tasks[i:] + tasks[:i],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_search_within_a_search_gets_a_tree_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_kept", local())  # what other tests have left
    with trees.lent(10, 70, 2) as outer, trees.lent(10, 70, 2) as inside:
        assert outer.parent is not inside.parent
    with trees.lent(5, 30, 2) as again:
        assert len(again.parent) == 10
    with trees.lent(10, 10**7, 2):
        pass
    with trees.lent(5, 30, 2) as after_a_large_one:
        assert len(after_a_large_one.action) < 10**7


def test_a_parent_sees_minus_its_childs_value() -> None:
    """Both sides can win at once: the value of the winning move is 1 for the side to move, and it is found."""
    game = randori.game("connect4")
    state = game.start(1)
    for action in [0, 6, 0, 6, 0, 6]:
        state = game.play(state, [action])
    for _ in range(2):
        found = Uct(game, 400).search(state, np.random.default_rng(0))
        mine = 0 if (game.cells(state)[0, 5, 0] == 1) else 6
        assert found.actions[0] == mine
        assert found.values[0, mine] == 1.0
        assert (np.delete(found.values[0], mine) < 1.0).all()
        state = game.play(state, [3])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("rollout", ["random", "epsilon", "softmax", "favourites"])
def test_visits_add_up_over_legal_actions(name: str, rollout: str) -> None:
    game = randori.game(name)
    states, _ = positions(name, 6, seed=2)
    found = Uct(game, 50, rollout=rollout).search(states, np.random.default_rng(0))
    assert (found.visits.sum(axis=1) == 50).all()
    assert not found.visits[~game.legal(states)].any()
    np.testing.assert_allclose(found.policy.sum(axis=1), 1.0)
    assert game.legal(states)[np.arange(6), found.actions].all()


def test_tictactoe_is_solved() -> None:
    """With enough simulations the choice keeps the exact value from every position of three plies."""
    game, judge = randori.game("tictactoe"), JUDGES["tictactoe"]
    states = game.children(game.children(game.children(game.start(1)).states).states).states[::15]
    actions = Uct(game, 2000, rollout="random").choose(states, np.random.default_rng(0)).actions

    def exact(position: Position) -> int:
        result = judge.result(position)
        return result if result is not None else max(-exact(judge.play(position, a)) for a in judge.legal(position))

    for cells, action in zip(game.cells(states), actions, strict=True):
        position = Position(tuple(tuple(row) for row in cells.tolist()), FIRST)
        assert -exact(judge.play(position, int(action))) == exact(position)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "othello8"])
@pytest.mark.parametrize(
    ("simulations", "t"), [(1, "simulations"), (5, "simulations"), (40, "simulations"), (40, "visits"), (40, "wins")]
)
def test_pairs_of_moves_and_replies_are_searched_as_humphreys_do(name: str, simulations: int, t: str) -> None:
    states, plain = positions(name, 6, seed=simulations)
    choice = Humphreys(plainly(name), simulations, t).choose(states, np.random.default_rng(1))
    assert choice.policy is not None
    for i, seed in enumerate(seeds(np.random.default_rng(1), len(plain))):
        action, visits = humphreys(JUDGES[name], plain[i], simulations, seed, t)
        counted = {action: int(n) for action, n in enumerate(choice.policy[i] * simulations + 0.5) if n >= 1}
        assert (choice.actions[i], counted) == (action, visits)


def test_a_long_search_can_be_interrupted() -> None:
    """Kernels hear no signal: only between slices does the interpreter get to act on one."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    game = randori.game("gomoku19")
    Uct(game, 1).choose(game.start(1), np.random.default_rng(0))  # compiles, where an interrupt may be lost
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            Uct(game, 100_000).choose(game.start(20), np.random.default_rng(0))
        assert time.perf_counter() - began < 5
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect4", "othello8"])
def test_more_simulations_are_stronger_and_a_thousand_beat_heuristic(name: str) -> None:
    for stronger, weaker in ((100, 10), (1000, 100)):
        found = randori.match(f"uct:simulations={stronger}", f"uct:simulations={weaker}", name, 100)
        assert found.score.mean > 0.7
    assert randori.match("uct:simulations=1000", "heuristic", name, 400).score.mean > 0.87


def test_an_empty_batch_is_a_batch() -> None:
    game = randori.game("othello4")
    choice = Uct(game, 10).choose(game.start(0), np.random.default_rng(0))
    assert choice.actions.shape == (0,)
    assert choice.policy is not None
    assert choice.policy.shape == (0, game.n_actions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, "at least one simulation"),
        ({"simulations": -5}, "at least one simulation"),
        ({"c": -1.0}, "option c"),
        ({"c": float("nan")}, "option c"),
        ({"rollout": "soft"}, "softmax"),
        ({"epsilon": 2.0}, "epsilon"),
        ({"temperature": 0.0}, "temperature"),
        ({"simulations": 10**9}, "or fewer"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Uct(randori.game("othello8"), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["connect4", "gomoku19"])
def test_the_number_that_is_said_to_fit_fits(name: str) -> None:
    game = randori.game(name)
    with pytest.raises(UserError) as refusal:
        Uct(game, 10**9)
    fit = int(str(refusal.value).split("ask for ")[1].split()[0])
    assert 0.9 * MEMORY_LIMIT < memory(game, fit) <= MEMORY_LIMIT
    Uct(game, fit)


def test_finished_games_are_refused() -> None:
    game = randori.game("tictactoe")
    over = game.start(1)
    for action in [0, 3, 1, 4, 2]:
        over = game.play(over, [action])
    for player in (Uct(game, 10), Humphreys(game)):
        with pytest.raises(ValueError, match="Row 1 is a finished game"):
            player.choose(np.concatenate([game.start(1), over]), np.random.default_rng(0))


def test_a_player_is_named_by_its_options() -> None:
    game = randori.game("connect4")
    assert Uct(game).name == "uct"
    assert Uct(game, 50, priors=False).name == "uct:simulations=50,priors=False"
    assert Humphreys(game, 10).name == "mcts-humphreys:simulations=10"
    assert Humphreys(game, t="wins").name == "mcts-humphreys:t=wins"


def test_there_are_three_readings_of_t() -> None:
    with pytest.raises(UserError, match=r"'win'.*'wins'"):
        Humphreys(randori.game("othello8"), t="win")
