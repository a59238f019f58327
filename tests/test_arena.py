"""The game loop, openings, matches and tournaments."""

import numpy as np
import pytest

import randori
from randori.arena import Duel, Match, duel, play_duels, play_games, play_tournament
from randori.arena.openings import random_openings
from randori.core.game import ONGOING, Actions, Game, States
from randori.core.record import concatenate, record
from randori.games import names
from randori.players import Choice
from randori.workers import Workers


class Scripted:
    """Plays its lowest or highest legal action, and records the numbers of stones that it sees."""

    def __init__(self, game: Game, name: str, highest: bool) -> None:
        self.game, self.name, self.highest = game, name, highest
        self.stones_seen: set[int] = set()

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        self.stones_seen |= set((self.game.cells(states) != 0).sum(axis=(1, 2)).tolist())
        legal = self.game.legal(states)
        best = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1) if self.highest else legal.argmax(axis=1)
        return Choice(best.astype(np.int16))


def no_openings(n: int) -> Actions:
    return np.empty((n, 0), np.int16)


def test_the_first_player_has_the_even_plies_and_results_are_for_it() -> None:
    game = randori.game("connect4")
    low, high = Scripted(game, "low", False), Scripted(game, "high", True)
    games = play_games(game, low, high, no_openings(1), np.random.default_rng(0))
    # 1 7 1 7 1 7 1: the fourth stone in the first column wins for the first mover.
    assert games.actions.tolist() == [[0, 6, 0, 6, 0, 6, 0]]
    assert games.outcomes.tolist() == [1]
    assert low.stones_seen == {0, 2, 4, 6}
    assert high.stones_seen == {1, 3, 5}
    behind = play_games(game, high, low, np.array([[0]], np.int16), np.random.default_rng(0))
    assert behind.actions.tolist() == [[0, 0, 6, 0, 6, 0, 6, 0, 6]] or behind.outcomes.tolist() in ([1], [-1])


@pytest.mark.parametrize("name", names())
def test_records_replay_to_the_outcomes(name: str) -> None:
    game = randori.game(name)
    anyone = randori.player("random", game)
    games = play_games(game, anyone, anyone, no_openings(20), np.random.default_rng(2))
    plies = list(games.replay())
    assert [ply.number for ply in plies] == list(range(games.lengths.max()))
    for ply in plies:
        assert (game.outcome(ply.states) == ONGOING).all()
        np.testing.assert_array_equal(games.actions[ply.games, ply.number], ply.actions)
    again = record(game, games.actions)
    np.testing.assert_array_equal(again.outcomes, games.outcomes)
    np.testing.assert_array_equal(again.margins, games.margins)
    np.testing.assert_array_equal(np.sign(games.margins), games.outcomes)


def test_an_unfinished_record_is_refused() -> None:
    with pytest.raises(ValueError, match="Game 0 of the record is not over"):
        record(randori.game("tictactoe"), np.array([[0, 1]], np.int16))


@pytest.mark.parametrize("name", names())
def test_openings_are_legal_and_leave_the_game_open(name: str) -> None:
    game = randori.game(name)
    openings = random_openings(game, 100, game.opening_plies, np.random.default_rng(0))
    states = game.start(100)
    for ply in range(game.opening_plies):
        states = game.play(states, openings[:, ply])
    assert (game.outcome(states) == ONGOING).all()
    assert len(np.unique(openings, axis=0)) > 5


def test_openings_that_mostly_end_the_game_are_drawn_again() -> None:
    game = randori.game("tictactoe")
    openings = random_openings(game, 200, 7, np.random.default_rng(0))
    states = game.start(200)
    for ply in range(7):
        states = game.play(states, openings[:, ply])
    assert (game.outcome(states) == ONGOING).all()


def play(it: Duel, workers: int | None = 1) -> Match:
    with Workers(workers) as staff:
        return play_duels([it], staff)[0]


def test_every_opening_is_played_from_both_sides() -> None:
    game = randori.game("connect4")
    low, high = Scripted(game, "low", False), Scripted(game, "high", True)
    match = play(duel(game, low, high, 10, seed=4))
    assert match.games is not None
    openings = match.games.actions[:, : game.opening_plies]
    np.testing.assert_array_equal(openings[:5], openings[5:])
    # Players without randomness, on the same openings with seats exchanged: the scores must mirror.
    mirrored = play(duel(game, high, low, 10, seed=4))
    assert (match.score.wins, match.score.losses) == (mirrored.score.losses, mirrored.score.wins)


def test_a_match_is_the_same_with_any_number_of_workers() -> None:
    game = randori.game("othello6")
    one, other = randori.player("heuristic", game), randori.player("random", game)
    it = duel(game, one, other, 150, seed=3)
    here, there = play(it, 1), play(it, 2)
    assert here.summary() == there.summary()
    assert here.games is not None
    assert there.games is not None
    np.testing.assert_array_equal(here.games.actions, there.games.actions)
    assert play(duel(game, one, other, 150, seed=4)).summary() != here.summary()


def test_replayed_games_count_once() -> None:
    game = randori.game("connect4")
    low, high = Scripted(game, "low", False), Scripted(game, "high", True)
    match = play(duel(game, low, high, 100, opening_plies=0))
    assert match.score.games == 100
    assert match.score.distinct_games == 2
    low_end, high_end = match.score.interval
    assert high_end - low_end > 0.5


def test_seats_can_be_fixed() -> None:
    game = randori.game("tictactoe")
    match = play(duel(game, randori.player("heuristic", game), randori.player("random", game), 60, seats="first"))
    assert (match.score.wins, match.score.losses) == (match.began.wins, match.began.losses)


def test_random_first_movers_do_worse_in_othello() -> None:
    """Known: 0.454 wins and 0.504 losses over many games."""
    began = randori.match("random", "random", "othello8", 10_000, opening_plies=0).began
    assert began.wins / began.games == pytest.approx(0.454, abs=0.02)
    assert began.losses / began.games == pytest.approx(0.504, abs=0.02)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_games": 0}, "at least one game"),
        ({"n_games": -5}, "at least one game"),
        ({"n_games": 5, "seed": -1}, "A seed must be zero or a positive number"),
        ({"n_games": 5, "opening_plies": 9}, "An opening of Tic-Tac-Toe has 0 to 8 plies"),
    ],
)
def test_impossible_matches_are_refused(options: dict[str, int], sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        randori.match("random", "random", "tictactoe", **options)  # type: ignore[arg-type]


def test_a_tournament_rates_everyone() -> None:
    game = randori.game("connect4")
    entrants = [randori.player(spec, game) for spec in ("random", "greedy", "heuristic")]
    with Workers(1) as staff:
        tournament = play_tournament(game, entrants, 100, workers=staff)
    assert tournament.complete
    assert [it.name for it in tournament.ratings] == ["heuristic", "greedy", "random"]
    assert tournament.ratings[-1].elo == 0
    heads, tails = tournament.score("heuristic", "random"), tournament.score("random", "heuristic")
    assert heads is not None
    assert tails is not None
    assert heads + tails == pytest.approx(1)
    assert len(tournament.summary()["matches"]) == 3


class Interrupting:
    """Presses Ctrl-C after a number of choices."""

    name = "interrupting"

    def __init__(self, game: Game, choices: int) -> None:
        self.game, self.left = game, choices

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return Choice(self.game.pick(states, rng.random(len(states))))


def test_an_interrupted_tournament_keeps_what_was_played() -> None:
    game = randori.game("tictactoe")
    entrants = [randori.player("random", game), randori.player("greedy", game), Interrupting(game, 60)]
    with Workers(1) as staff:
        tournament = play_tournament(game, entrants, 100, workers=staff)
    assert not tournament.complete
    assert tournament.matches[0].complete
    assert 0 < tournament.matches[1].score.games < 100
    assert tournament.matches[2].games is None
    assert {it.name for it in tournament.ratings} == {"random", "greedy", "interrupting"}


def test_records_join() -> None:
    game = randori.game("connect4")
    anyone = randori.player("random", game)
    parts = [play_games(game, anyone, anyone, no_openings(n), np.random.default_rng(n)) for n in (3, 5)]
    joined = concatenate(parts)
    assert len(joined) == 8
    np.testing.assert_array_equal(joined.outcomes[3:], parts[1].outcomes)
    np.testing.assert_array_equal(joined.take(slice(0, 3)).lengths, parts[0].lengths)
