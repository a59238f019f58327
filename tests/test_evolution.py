"""Evolved networks: what they compute, how they breed, how a generation is played, and how well they learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import randori
from randori.arena import play_games
from randori.core.evaluation import values_by
from randori.core.features import features_of
from randori.core.game import LOSS, ONGOING, Game
from randori.core.positions import positions_of_random_games
from randori.core.replay import final_states
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.experiments.exhaustive import lost_ends
from randori.games import names
from randori.methods.evolution import learner
from randori.methods.evolution.config import BEYOND, PAPER, TICTACTOE, EvolutionConfig
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.generation import STANDARD, Schedule, play_schedule, random_starts
from randori.methods.evolution.learner import EvolutionLearner
from randori.methods.evolution.networks import NetworkTeam, Reach, cut_links, prune_dead
from randori.methods.evolution.player import Evolved
from randori.methods.evolution.proposing import ProposingStrategy
from randori.methods.evolution.standard import by_heart
from randori.methods.evolution.strategies import CovarianceStrategy, PlusStrategy, mutate
from randori.players.files import load_player, save_player
from randori.search.solver import Solver
from randori.workers import Workers

SMALL = replace(PAPER, opponent="heuristic", descendants=3, standard_games=4, hidden=3)


def some_team(game: Game, n: int = 3, hidden: int = 4, seed: int = 0) -> NetworkTeam:
    features = Features(game, tuple(it.name for it in features_of(game).features))
    networks = np.random.default_rng(seed).normal(size=(n, hidden, len(features.names) + 2))
    networks[np.random.default_rng(seed + 1).random(networks.shape) < 0.2] = 0.0
    return NetworkTeam(features, networks)


def open_positions(game: Game, n_games: int, seed: int = 0) -> Any:
    states = positions_of_random_games(game, n_games, np.random.default_rng(seed))
    return states[game.outcome(states) == ONGOING]


def by_hand(team: NetworkTeam, state: Any, owner: int) -> float:
    """The score of a position by the formula."""
    network, features = team.networks[owner], team.features(state[None])[0]
    return float(np.tanh(network[:, :-2] @ features + network[:, -2]) @ network[:, -1])


@pytest.mark.parametrize("name", names())
def test_values_are_those_of_the_formula(name: str) -> None:
    team = some_team(randori.game(name))
    states = open_positions(team.features.game, 2)[:40]
    owners = np.arange(len(states)) % 3
    expected = [np.tanh(by_hand(team, state, owner)) for state, owner in zip(states, owners, strict=True)]
    np.testing.assert_allclose(team.evaluate(states, owners), expected, atol=1e-12)


def negamax(team: NetworkTeam, state: Any, owner: int, plies: int) -> float:
    """Looks ahead without any pruning."""
    game = team.features.game
    outcome = game.outcome(state[None])[0]
    if outcome != ONGOING:
        return 1e9 * float(outcome)
    if plies == 0:
        return by_hand(team, state, owner)
    return max(-negamax(team, child, owner, plies - 1) for child in game.children(state[None]).states)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello4", "gomoku9"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_looking_ahead_is_negamax(name: str, depth: int) -> None:
    team = some_team(randori.game(name), hidden=2)
    game = team.features.game
    states = open_positions(game, 4)
    # From the end of the games: there are endings among the positions looked at, and few moves on the large board.
    states = states[-8:] if name == "gomoku9" else states[:: len(states) // 8]
    scores = team.scores(states, np.full(len(states), 1), Reach(depth, 0))
    np.testing.assert_array_equal(np.isfinite(scores), game.legal(states))
    for state, found in zip(states, scores, strict=True):
        actions = np.flatnonzero(np.isfinite(found))
        expected = [-negamax(team, game.play(state[None], [int(it)])[0], 1, depth - 1) for it in actions]
        best = max(expected)
        assert found.max() == pytest.approx(best, abs=1e-9)
        equal = np.isclose(expected, best, rtol=0, atol=1e-9)
        # A worse move may have a bound that is barely lower.
        np.testing.assert_array_equal(found[actions] == found.max(), equal)


@pytest.mark.parametrize("name", ["othello4", "tictactoe"])
def test_the_endgame_is_searched_to_the_end(name: str) -> None:
    team = some_team(randori.game(name))
    game = team.features.game
    states = open_positions(game, 30)
    few = states[(game.cells(states) == 0).sum(axis=(1, 2)) <= 5]
    scores = team.scores(few, np.zeros(len(few), np.int64), Reach(1, 5))
    assert np.isin(scores.max(axis=1), (-1e9, 0.0, 1e9)).all()
    for state, found in list(zip(few, scores, strict=True))[:20]:
        assert found.max() == negamax(team, state, 0, 99)


def test_a_player_plays_endings_exactly() -> None:
    """By a solver, which also wins by as much as it can."""
    game = randori.game("othello6")
    states = open_positions(game, 6)
    few = states[game.moves_left(states) <= 7]
    player = Evolved(game, ("phase",), np.ones((1, 1, 3)), depth=2, exact=7)
    best = Solver(game).best(few)
    policy = player.choose(few, np.random.default_rng(0)).policy
    assert policy is not None
    np.testing.assert_array_equal(policy > 0, best)
    mixed = np.concatenate([few[:1], game.start(1), few[1:2]])
    drawn = {int(player.choose(mixed, np.random.default_rng(seed)).actions[1]) for seed in range(40)}
    assert drawn == set(np.flatnonzero(game.legal(game.start(1))[0]))


def test_equals_are_drawn_by_lot() -> None:
    """A network that is cut everywhere likes all moves alike."""
    game = randori.game("othello8")
    player = Evolved(game, ("phase",), np.zeros((1, 2, 3)))
    chosen = player.choose(game.start(2000), np.random.default_rng(0)).actions
    assert np.bincount(chosen)[[19, 26, 37, 44]].min() > 400


def test_a_win_at_once_is_taken_and_a_loss_avoided() -> None:
    game = randori.game("connect4")
    states = open_positions(game, 30)
    children = game.children(states)
    can_win = np.unique(children.parents[game.outcome(children.states) == LOSS])
    player = Evolved(game, feature_names(game, ("default",)), some_team(game).networks[:1, :, :])
    after = game.play(states[can_win], player.choose(states[can_win], np.random.default_rng(0)).actions)
    assert (game.outcome(after) == LOSS).all()


def test_pruned_links_stay_cut() -> None:
    rng = np.random.default_rng(0)
    network = rng.normal(size=(4, 9))
    network[rng.random(network.shape) < 0.4] = 0.0
    descendants = mutate(network, np.full(50, 0.3), replace(PAPER, pruning=0.1), rng)
    assert (descendants[:, network == 0] == 0).all()
    share_cut = (descendants[:, network != 0] == 0).mean()
    assert 0.07 < share_cut < 0.13
    changed = (descendants != network)[:, network != 0] & (descendants[:, network != 0] != 0)
    assert 0.16 < changed.mean() < 0.22


def test_links_grow_again_only_where_they_may() -> None:
    rng = np.random.default_rng(1)
    network = rng.normal(size=(4, 9))
    network[:, :4] = 0.0
    network[2] = 0.0
    config = replace(PAPER, mutation=0.0, pruning=0.0, regrowth=0.5)
    descendants = mutate(network, np.full(200, 0.3), config, rng)
    assert 0.4 < (descendants[:, [0, 1, 3], :4] != 0).mean() < 0.6
    assert (descendants[:, 2] == 0).all()
    born = mutate(network, np.full(200, 0.3), replace(config, regrowth=0.0, births=0.3), rng)
    assert 0.2 < (born[:, 2] != 0).all(axis=1).mean() < 0.4


def test_the_fifth_rule_changes_the_step() -> None:
    for fitness, direction in ((np.array([0.0, 1, 1, 1]), 1), (np.array([1.0, 0, 0, 0]), -1)):
        rng = np.random.default_rng(0)
        population = PlusStrategy(SMALL, 5, rng)
        first = population.metrics()["step"]
        for _ in range(PlusStrategy.PERIOD):
            population.select(population.breed(rng), fitness)
        assert np.sign(population.metrics()["step"] - first) == direction


def test_a_descendant_as_good_as_the_parent_takes_its_place() -> None:
    rng = np.random.default_rng(0)
    population = PlusStrategy(replace(SMALL, mutation=1.0), 5, rng)
    descendants = population.breed(rng)
    population.select(descendants, np.array([2.0, 1.0, 2.0, 0.0]))
    np.testing.assert_array_equal(population.elite, descendants[2])


def test_a_proposal_is_a_link_that_only_its_maker_has() -> None:
    rng, features = np.random.default_rng(0), Features(randori.game("othello4"), ("difference", "phase"))
    config = replace(SMALL, proposals=1.0, max_proposals=2, mutation=0.0, pruning=0.0)
    population = ProposingStrategy(config, features, rng)
    first = population.elite
    for _ in range(5):
        descendants = population.breed(rng)
        assert descendants.shape == (4, 3, len(population.names) + 2)
        assert (population.elite == descendants[0]).all()
        counts = [(network[:, 2:-2] != 0).any(axis=0).sum() for network in descendants]
        assert all(0 < n <= 2 for n in counts[1:])
        np.testing.assert_array_equal(
            descendants[:, :, [0, 1, -2, -1]], np.broadcast_to(first[:, [0, 1, -2, -1]], (4, 3, 4))
        )
        population.select(descendants, np.array([0.0, 1.0, 2.0, 0.0]))
        assert population.elite.shape == (3, len(population.names) + 2)
        assert len(population.names) - 2 == counts[2] == population.metrics()["made"]
    population.select(np.zeros((4, 3, len(population.names) + 2)), np.array([0.0, 1.0, 2.0, 0.0]))
    assert population.names == features.names


def test_populations_with_other_features_play_each_other() -> None:
    """Networks that see more features than their own judge as they did."""
    game = randori.game("othello4")
    config = replace(SMALL, proposals=0.9)
    evolution = EvolutionLearner(game, config, np.random.default_rng(0), Workers(1))
    for _ in range(4):
        evolution.learn([])
    first, second = evolution.populations
    assert isinstance(first, ProposingStrategy)
    assert isinstance(second, ProposingStrategy)
    assert set(first.names) != set(second.names)
    player, states = evolution.player(), open_positions(game, 3)
    for owner, population in enumerate((first, second)):
        wide = NetworkTeam(Features(game, player.features), player.networks)
        own = NetworkTeam(Features(game, population.names), population.elite[None])
        found = wide.evaluate(states, np.full(len(states), owner))
        np.testing.assert_allclose(found, own.evaluate(states, np.zeros(len(states), np.int64)), atol=1e-12)
    # Looking ahead asks the same network by another way.
    np.testing.assert_allclose(
        np.tanh(values_by(wide.judge(0), states)), wide.evaluate(states, np.zeros(len(states), np.int64)), atol=1e-12
    )


@pytest.mark.parametrize(("keep_fitness", "successes"), [(False, 2), (True, 0)])
def test_a_parent_is_judged_again_or_keeps_its_fitness(keep_fitness: bool, successes: int) -> None:
    """It was chosen with 5; judged again it has 1, which two of three descendants beat."""
    rng = np.random.default_rng(0)
    population = PlusStrategy(replace(SMALL, keep_fitness=keep_fitness), 5, rng)
    population.select(population.breed(rng), np.array([0.0, 5.0, 0.0, 0.0]))
    parent, before = population.elite, population.state()["successes"]
    population.select(population.breed(rng), np.array([1.0, 2.0, 3.0, 0.0]))
    assert population.state()["successes"] - before == successes
    assert (population.elite is parent) == keep_fitness


@pytest.mark.parametrize("strategy", ["one-fifth", "self-adaptive", "cma"])
def test_a_strategy_climbs_and_can_be_restored(strategy: Any) -> None:
    """On a smooth hill; a restored copy breeds the same."""
    if strategy == "cma":
        pytest.importorskip("cma")
    config = replace(BEYOND, strategy=strategy, descendants=9, hidden=2)
    kind = CovarianceStrategy if strategy == "cma" else PlusStrategy
    rng = np.random.default_rng(0)
    population = kind(config, 3, rng)
    height = [-np.sum((population.elite - 1.0) ** 2)]
    for _ in range(80):
        descendants = population.breed(rng)
        population.select(descendants, -np.sum((descendants - 1.0) ** 2, axis=(1, 2)))
        height.append(-np.sum((population.elite - 1.0) ** 2))
    assert height[-1] > height[0] / 5
    other = kind(config, 3, np.random.default_rng(99))
    other.restore(population.state())
    np.testing.assert_array_equal(other.elite, population.elite)
    twin = np.random.default_rng(5)
    np.testing.assert_array_equal(other.breed(np.random.default_rng(5)), population.breed(twin))


@pytest.mark.parametrize("name", ["othello6", "connect4"])
def test_a_schedule_plays_what_the_arena_plays(name: str) -> None:
    """Moves that are equally good are drawn by lot, so it is the means that agree."""
    game, n = randori.game(name), 400
    team = some_team(game, n=2, seed=7)
    seats = np.arange(2 * n) // n
    schedule = Schedule(seats, 1 - seats, np.empty((2 * n, 0), np.int16))
    margins = play_schedule(team.features, team.networks, Reach(1, 0), randori.player("random", game), schedule, 0)
    players = [Evolved(game, team.features.names, network[None]) for network in team.networks]
    for first in (0, 1):
        found = margins[seats == first]
        record = play_games(
            game, players[first], players[1 - first], np.empty((n, 0), np.int16), np.random.default_rng(0)
        )
        error = np.sqrt((found.var() + record.margins.var()) / n)
        assert abs(found.mean() - record.margins.mean()) <= 4 * error


def test_the_standard_program_takes_the_given_seat() -> None:
    """A cut network plays by lot: the heuristic beats it from both seats."""
    game = randori.game("othello6")
    features, networks = Features(game, ("phase",)), np.zeros((1, 1, 3))
    seats = np.array([0, STANDARD] * 100)
    schedule = Schedule(seats, seats[::-1].copy(), np.empty((200, 0), np.int16))
    margins = play_schedule(features, networks, Reach(1, 0), randori.player("heuristic", game), schedule, 0)
    assert (margins[::2] < 0).mean() > 0.8
    assert (margins[1::2] > 0).mean() > 0.8


def test_the_perfect_program_is_known_by_heart() -> None:
    game = randori.game("tictactoe")
    known = by_heart(game)
    assert len(known.keys) == 4520  # positions of Tic-Tac-Toe that are not over
    states = open_positions(game, 5)
    solved = randori.player("perfect", game).choose(states, np.random.default_rng(0)).policy
    assert solved is not None
    for seed in range(20):
        chosen = known.choose(states, np.random.default_rng(seed)).actions
        assert (solved[np.arange(len(states)), chosen] > 0).all()


def test_starts_are_open_and_as_long_as_they_say() -> None:
    game = randori.game("tictactoe")
    openings = random_starts(game, 500, (2, 8), np.random.default_rng(0))
    states, plies = final_states(game, openings), (openings >= 0).sum(axis=1)
    assert (game.outcome(states) == ONGOING).all()
    assert plies.min() == 2
    assert plies.max() == 8
    # Padding comes after the opening.
    assert (np.diff((openings >= 0).astype(int), axis=1) <= 0).all()


@pytest.mark.parametrize("name", names())
def test_it_learns_every_game(name: str) -> None:
    config = replace(SMALL, descendants=1, standard_games=1, elite_games=0, hidden=1, seats="together")
    evolution = EvolutionLearner(randori.game(name), config, np.random.default_rng(0), Workers(1))
    assert evolution.learn([])["games"] == 2
    assert isinstance(evolution.player(), Evolved)


@pytest.mark.parametrize(
    "beyond",
    [
        {},
        {"strategy": "cma"},
        {"births": 0.2, "regrowth": 0.1, "max_hidden": 5},
        {"proposals": 0.7, "max_proposals": 2, "pruning": 0.1, "keep_fitness": True},
    ],
)
def test_stopped_and_resumed_it_gives_the_same_bytes(tmp_path: Path, beyond: dict[str, Any]) -> None:
    if beyond.get("strategy") == "cma":
        pytest.importorskip("cma")
    config = replace(SMALL, **beyond)
    recipe = Recipe("othello4", "evolution", config, seed=3, rounds=6, evaluate_games=0)
    with CountingWorkers(1) as staff:
        train(recipe, tmp_path / "whole", staff)
        train(replace(recipe, rounds=2), tmp_path / "parts", staff)
        train(replace(recipe, rounds=6), tmp_path / "parts", staff)
    found = [(tmp_path / it / "player.safetensors").read_bytes() for it in ("whole", "parts")]
    assert found[0] == found[1]


def test_the_number_of_workers_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learner, "GAMES_A_TASK", 10)
    found = []
    for n in (1, 2):
        with Workers(n) as staff:
            it = EvolutionLearner(randori.game("othello4"), SMALL, np.random.default_rng(0), staff)
            for _ in range(2):
                it.learn([])
            found.append(it.player().networks)
    np.testing.assert_array_equal(*found)


def test_a_player_is_loaded_from_its_file(tmp_path: Path) -> None:
    game = randori.game("othello6")
    names_of = feature_names(game, ("paper",))
    player = Evolved(game, names_of, np.random.default_rng(0).normal(size=(2, 3, len(names_of) + 2)), exact=4)
    save_player(tmp_path / "it.safetensors", player, game, learner="evolution", config={}, training={})
    states = open_positions(game, 3)
    for options, reach in (("", (1, 4)), ("depth=2", (2, 4)), ("exact=0", (1, 0))):
        again = load_player(tmp_path / "it.safetensors", game, options)
        assert isinstance(again, Evolved)
        assert (again.depth, again.exact) == reach
        expected = replace(player, depth=reach[0], exact=reach[1]).liked(states)
        np.testing.assert_array_equal(again.liked(states), expected)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"descendants": 0}, "'descendants' must be 1 or more, not 0"),
        ({"mutation": 1.5}, "'mutation' must be a number from 0 to 1, not 1.5"),
        ({"pruning": -0.1}, "'pruning' must be a number from 0 to 1"),
        ({"variance": 0.0}, "'variance' must be a number above 0"),
        ({"features": ()}, "at least one feature"),
        ({"openings": (3, 1)}, "the fewest and the most random plies"),
        ({"standard_games": 0, "elite_games": 0}, "at least one game"),
        ({"strategy": "cma", "births": 0.1}, "CMA-ES neither cuts"),
        ({"strategy": "cma", "proposals": 0.1}, "CMA-ES neither cuts"),
        ({"proposals": 0.1, "max_proposals": 0}, "'max_proposals' must be 1 or more"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        EvolutionConfig(**settings)


def test_an_unknown_feature_or_opponent_is_named() -> None:
    game, rng = randori.game("tictactoe"), np.random.default_rng(0)
    with pytest.raises(UserError, match="Tic-Tac-Toe has no feature 'mobility'"):
        EvolutionLearner(game, replace(SMALL, features=("mobility",)), rng, Workers(1))
    with pytest.raises(UserError, match="There is no player 'heurisitc'"):
        EvolutionLearner(game, replace(SMALL, opponent="heurisitc"), rng, Workers(1))


def test_settings_that_the_final_player_cannot_use_are_refused_at_the_beginning() -> None:
    game, rng = randori.game("gomoku9"), np.random.default_rng(0)
    with pytest.raises(UserError, match="0 to 12 empty squares, 0 for never, not 13"):
        EvolutionLearner(game, replace(SMALL, final_exact=13), rng, Workers(1))
    with pytest.raises(UserError, match="'exact' must be 0 to 8 empty squares while players evolve, not 9"):
        EvolutionLearner(game, replace(SMALL, exact=9), rng, Workers(1))


def test_dead_links_are_left_out() -> None:
    network = np.array([[1.0, 2, 3, 0], [1, 0, 3, 4]])
    assert cut_links(network) == (1, 1)
    np.testing.assert_array_equal(prune_dead(network), [[0, 0, 0, 0], [1, 0, 3, 4]])


@pytest.mark.thorough
def test_tictactoe_is_never_lost_after_some_seconds_of_evolution() -> None:
    game, rng = randori.game("tictactoe"), np.random.default_rng(0)
    evolution = EvolutionLearner(game, TICTACTOE, rng, Workers(1))
    best = None
    for _ in range(100):
        evolution.learn([])
        best = min(sum(lost_ends(game, evolution.player().liked, seat) for seat in (0, 1)), best or 1000)
        if best == 0:
            break
    assert best == 0


def test_lost_ends_are_counted() -> None:
    """One that likes all moves alike can lose in every way: the first mover wins 626 ends, the other side 316."""
    game = randori.game("tictactoe")

    assert lost_ends(game, game.legal, 0) == 316
    assert lost_ends(game, game.legal, 1) == 626
