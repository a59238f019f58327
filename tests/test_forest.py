"""Guided searches against plain trees, and what a forest promises its evaluator."""

from __future__ import annotations

from collections.abc import Mapping

import foreign
import numpy as np
import pytest
from reference import JUDGES, Position
from reference.trees import gumbel, puct
from test_tree import positions, root_counts

import randori
from randori import games
from randori.core.evaluation import Evaluation
from randori.core.game import ONGOING, Game, States
from randori.errors import UserError
from randori.search.evaluators import Rollouts
from randori.search.forest import Forest, Gumbel, Puct
from randori.search.guided import GuidedSearch
from randori.search.limits import memory

# The plain trees are slow, so boards are at most as large as those of small Gomoku.
GAMES = [name for name in games.names() if games.game(name).n_squares <= 81]
MIXED = np.uint64(0x9E3779B97F4A7C15)


class Oracle:
    """Draws the value and the policy of a position from its hash: no two actions are ever equal. Keeps all batches."""

    def __init__(self, game: Game, *, policy: bool = True) -> None:
        self.game, self.policy = game, policy
        self.batches: list[States] = []

    def __call__(self, states: States, rng: np.random.Generator | None = None) -> Evaluation:
        self.batches.append(states)
        keys = self.game.keys(states)
        columns = np.arange(1, self.game.n_actions + 1, dtype=np.uint64)
        policy = ((keys[:, None] * columns * MIXED) >> np.uint64(40)).astype(np.float64) + 1.0
        values = (keys >> np.uint64(40)).astype(np.float64) / 2**23 - 1.0
        return Evaluation(values, policy if self.policy else None)

    def of(self, position: Position) -> tuple[float, Mapping[int, float]]:
        """The same for one position of the judge."""
        cells = np.array(position.board, np.int8) * position.side
        values, policy = Oracle(self.game, policy=self.policy)(self.game.from_cells(cells[None]))
        legal = JUDGES[self.game.name].legal(position)
        return float(values[0]), {a: 1.0 if policy is None else float(policy[0, a]) for a in legal}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("simulations", [1, 20, 80])
def test_puct_grows_the_tree_of_the_book(name: str, simulations: int) -> None:
    game = randori.game(name)
    oracle = Oracle(game)
    states, plain = positions(name, 3, seed=simulations)
    found = GuidedSearch(game, oracle, simulations, c=2.0).search(states, np.random.default_rng(0))
    for i, position in enumerate(plain):
        visits, values = root_counts(game, puct(JUDGES[name], position, simulations, oracle.of, 2.0))
        np.testing.assert_array_equal(found.visits[i], visits)
        np.testing.assert_allclose(found.values[i], values, atol=1e-12)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "othello8"])
@pytest.mark.parametrize("leaves", [2, 5, 16])
def test_virtual_loss_is_that_of_the_book(name: str, leaves: int) -> None:
    """One tree at a time: other trees may know a position earlier, which changes what waits for what."""
    game = randori.game(name)
    oracle = Oracle(game)
    states, plain = positions(name, 3, seed=leaves)
    for i, position in enumerate(plain):
        rng = np.random.default_rng(0)
        found = GuidedSearch(game, oracle, 60, c=1.5, leaves=leaves).search(states[i : i + 1], rng)
        visits, values = root_counts(game, puct(JUDGES[name], position, 60, oracle.of, 1.5, leaves=leaves))
        np.testing.assert_array_equal(found.visits[0], visits)
        np.testing.assert_allclose(found.values[0], values, atol=1e-12)


@pytest.mark.parametrize("name", ["connect4", "othello8"])
def test_noise_at_the_root_is_that_of_the_book(name: str) -> None:
    game = randori.game(name)
    oracle = Oracle(game)
    states, plain = positions(name, 4, seed=9)
    found = GuidedSearch(game, oracle, 80, noise=0.4).search(states, np.random.default_rng(3))
    legal = game.legal(states)
    shares = np.broadcast_to(10.0 / legal.sum(axis=1, keepdims=True), legal.shape)
    drawn = np.where(legal, np.random.default_rng(3).gamma(shares), 0.0)
    drawn /= drawn.sum(axis=1, keepdims=True)
    for i, position in enumerate(plain):
        noise = dict(enumerate(drawn[i].tolist()))
        root = puct(JUDGES[name], position, 80, oracle.of, 1.25, noise=noise, share=0.4)
        np.testing.assert_array_equal(found.visits[i], root_counts(game, root)[0])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("simulations", "considered"), [(1, 16), (13, 5), (64, 16), (90, 7)])
def test_gumbel_grows_the_tree_of_the_paper(name: str, simulations: int, considered: int) -> None:
    game = randori.game(name)
    oracle = Oracle(game)
    states, plain = positions(name, 3, seed=considered)
    player = GuidedSearch(game, oracle, simulations, kind="gumbel", considered=considered, noise=1.0, c_scale=0.2)
    found = player.search(states, np.random.default_rng(7))
    noise = np.random.default_rng(7).gumbel(size=(3, game.n_actions))
    for i, position in enumerate(plain):
        drawn = dict(enumerate(noise[i].tolist()))
        judge = JUDGES[name]
        root, action, policy = gumbel(judge, position, simulations, oracle.of, drawn, considered, c_scale=0.2)
        np.testing.assert_array_equal(found.visits[i], root_counts(game, root)[0])
        assert found.actions[i] == action
        np.testing.assert_allclose(found.policy[i], [policy.get(a, 0.0) for a in range(game.n_actions)], atol=1e-9)


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("leaves", [1, 6])
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "othello8"])
def test_a_forest_asks_only_what_it_must(name: str, kind: str, leaves: int) -> None:
    """Distinct positions, none of them over, none asked for twice, in batches that never exceed trees x leaves."""
    game = randori.game(name)
    oracle = Oracle(game)
    states = np.concatenate([positions(name, 5, seed=1)[0], game.start(3)])
    found = GuidedSearch(game, oracle, 60, kind, leaves=leaves).search(states, np.random.default_rng(0))
    questions = np.concatenate(oracle.batches)
    assert (game.outcome(questions) == ONGOING).all()
    assert len(np.unique(game.keys(questions))) == len(questions)
    assert max(len(batch) for batch in oracle.batches) <= len(states) * leaves
    assert (found.visits.sum(axis=1) == 60).all()
    assert not found.visits[~game.legal(states)].any()
    np.testing.assert_allclose(found.policy.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found.visits[-1], found.visits[-2])


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_a_tree_does_not_depend_on_its_neighbours(kind: str) -> None:
    game = randori.game("othello6")
    oracle = Oracle(game)
    states, _ = positions("othello6", 6, seed=4)
    player = GuidedSearch(game, oracle, 50, kind)
    together = player.search(states, np.random.default_rng(0))
    for i in range(6):
        alone = player.search(states[i : i + 1], np.random.default_rng(0))
        np.testing.assert_array_equal(alone.visits[0], together.visits[i])


def test_several_leaves_make_fewer_and_larger_batches() -> None:
    game = randori.game("othello8")
    one, eight = Oracle(game), Oracle(game)
    GuidedSearch(game, one, 128).search(game.start(1), np.random.default_rng(0))
    GuidedSearch(game, eight, 128, leaves=8).search(game.start(1), np.random.default_rng(0))
    assert len(eight.batches) < len(one.batches) / 4


def test_equal_priors_stand_in_for_a_missing_policy() -> None:
    game = randori.game("connect4")
    without, judge = Oracle(game, policy=False), JUDGES["connect4"]
    found = GuidedSearch(game, without, 50).search(game.start(1), np.random.default_rng(0))
    root = puct(judge, judge.start(), 50, without.of, 1.25)
    np.testing.assert_array_equal(found.visits[0], root_counts(game, root)[0])


def test_a_policy_without_weight_on_legal_actions_counts_as_equal() -> None:
    game = randori.game("othello8")
    pass_only = np.eye(game.n_actions)[-1:]
    forest = Forest(game, game.start(1), 4, Puct(), np.random.default_rng(0))
    while len(leaves := forest.select()):
        forest.expand(Evaluation(np.zeros(len(leaves)), np.repeat(pass_only, len(leaves), axis=0)))
    found = forest.found()
    assert sorted(found.visits[0][game.legal(game.start(1))[0]]) == [1, 1, 1, 1]


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_search_improves_on_its_evaluator(kind: str) -> None:
    """With nothing but random games as evaluation it finds the win at once, for either side."""
    game = randori.game("connect4")
    state = game.start(1)
    for action in [0, 6, 0, 6, 0, 6]:
        state = game.play(state, [action])
    for winning in (0, 6):
        found = GuidedSearch(game, Rollouts(game, 4), 200, kind).search(state, np.random.default_rng(0))
        assert found.actions[0] == winning
        assert found.values[0, winning] == 1.0
        assert found.policy[0].argmax() == winning
        state = game.play(state, [3])


def test_temperature_draws_by_visits_early_and_plays_the_best_late() -> None:
    game = randori.game("connect4")
    states = game.start(400)
    player = GuidedSearch(game, Oracle(game), 30, temperature=1.0, temperature_plies=2)
    found, choice = player.search(states, np.random.default_rng(0)), player.choose(states, np.random.default_rng(0))
    shares = np.bincount(choice.actions, minlength=7) / 400
    np.testing.assert_allclose(shares, found.policy[0], atol=0.1)
    assert choice.policy is not None
    np.testing.assert_array_equal(choice.policy, found.policy)
    late = np.repeat(game.play(game.play(game.start(1), [3]), [3]), 50, axis=0)
    assert len(np.unique(player.choose(late, np.random.default_rng(0)).actions)) == 1


def test_temperature_ends_where_pieces_leave_the_board_too() -> None:
    with foreign.registered():
        game = randori.game("clobber5")
    state = game.start(1)
    for _ in range(3):
        state = game.play(state, game.pick(state, np.zeros(1)))
    states = np.repeat(state, 50, axis=0)

    def ignorant(states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(np.zeros(len(states)), None)

    for plies, drawn in ((3, False), (4, True)):
        player = GuidedSearch(game, ignorant, 60, temperature=1.0, temperature_plies=plies)
        assert (len(np.unique(player.choose(states, np.random.default_rng(0)).actions)) > 1) == drawn


def test_a_small_memory_is_used_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("connect4")
    states, _ = positions("connect4", 7, seed=0)
    player = GuidedSearch(game, Oracle(game), 25)
    whole = player.search(states, np.random.default_rng(0))
    monkeypatch.setattr("randori.search.guided.MEMORY_LIMIT", 3 * memory(game, 25))
    np.testing.assert_array_equal(player.search(states, np.random.default_rng(0)).visits, whole.visits)


def test_an_empty_batch_is_a_batch() -> None:
    game = randori.game("othello4")
    for kind in ("puct", "gumbel"):
        choice = GuidedSearch(game, Oracle(game), 10, kind).choose(game.start(0), np.random.default_rng(0))
        assert choice.actions.shape == (0,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, "at least one simulation"),
        ({"simulations": 10**8}, "or fewer"),
        ({"c": -0.1}, "option c"),
        ({"kind": "guct"}, "puct"),
        ({"noise": 1.5}, "noise"),
        ({"kind": "gumbel", "noise": -1.0}, "noise"),
        ({"kind": "gumbel", "considered": 0}, "at least one"),
        ({"kind": "gumbel", "temperature": 1.0}, "temperature"),
        ({"temperature": float("inf")}, "temperature"),
        ({"leaves": 0}, "leaves must be 1 or more"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, float], message: str) -> None:
    game = randori.game("connect4")
    with pytest.raises(UserError, match=message):
        GuidedSearch(game, Oracle(game), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        (Evaluation(np.array([np.nan])), "-1 .. 1"),
        (Evaluation(np.array([1.5])), "-1 .. 1"),
        (Evaluation(np.zeros(2)), "1 values"),
        (Evaluation(np.zeros(1), np.ones((1, 3))), "policy of shape"),
        (Evaluation(np.zeros(1), np.full((1, 7), np.nan)), "0 or more"),
    ],
)
def test_a_broken_evaluator_is_reported(evaluation: Evaluation, message: str) -> None:
    game = randori.game("connect4")
    forest = Forest(game, game.start(1), 4, Gumbel(), np.random.default_rng(0))
    forest.select()
    with pytest.raises(ValueError, match=message):
        forest.expand(evaluation)


def test_finished_games_are_refused() -> None:
    game = randori.game("tictactoe")
    over = game.start(1)
    for action in [0, 3, 1, 4, 2]:
        over = game.play(over, [action])
    with pytest.raises(ValueError, match="Row 0 is a finished game"):
        GuidedSearch(game, Oracle(game)).choose(over, np.random.default_rng(0))


def test_leaves_are_expanded_before_more_are_selected() -> None:
    game = randori.game("connect4")
    oracle = Oracle(game)
    forest = Forest(game, game.start(1), 4, Puct(), np.random.default_rng(0))
    forest.expand(oracle(forest.select()))
    forest.select()
    with pytest.raises(ValueError, match="Expand"):
        forest.select()
