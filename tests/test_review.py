"""The review of games: chances, marks and accuracy, judged by exact values and by games constructed for it."""

import time
from math import exp

import foreign
import numpy as np
import pytest

from randori import games
from randori.core.game import ONGOING, Game
from randori.core.notation import parse_transcript
from randori.review import COARSE, FINE, Mark, Referee, Review, Verdict, accuracy_of, course, mark_of, progress, review
from randori.review.by_playouts import ByPlayouts
from randori.review.by_search import BySearch
from randori.review.endings import Endings
from randori.review.marks import phase_of
from randori.review.measure import Question, measure, questions
from randori.search.effort import random_endings
from randori.search.solver import Solver

DRAWN = "b2a1c1a3a2c2b1b3c3"
LOST_BY_A_CORNER = "a1b2c3a3"  # a corner, where only the edges hold the draw


def reviewed(name: str, moves: str) -> Review:
    game = games.game(name)
    return review(game, parse_transcript(game, moves).tolist())


def test_a_drawn_game_of_tictactoe_is_even_throughout() -> None:
    found = reviewed("tictactoe", DRAWN)
    assert found.complete
    assert found.chances == (0.5,) * 10
    assert found.marked == ()
    assert [found.accuracy(seat).overall for seat in (0, 1)] == [1.0, 1.0]


def test_a_move_that_loses_a_draw_is_a_blunder_with_the_move_that_holds_it() -> None:
    found = reviewed("tictactoe", LOST_BY_A_CORNER)
    assert found.chances == (0.5, 0.5, 0.5, 0.5, 1.0)
    (mistake,) = found.marked
    assert (mistake.ply, mistake.seat, mistake.mark) == (3, 1, Mark.BLUNDER)
    assert mistake.verdict.exact
    assert mistake.verdict.cost == 0.5
    game = found.game
    held = {game.move_names.index(it) for it in ("b1", "a2", "c2", "b3")}
    assert mistake.verdict.action in held
    assert mistake.verdict.line[0] == mistake.verdict.action


def test_a_win_that_is_thrown_away_is_a_missed_win() -> None:
    found = reviewed("tictactoe", LOST_BY_A_CORNER + "a2c1")
    assert [it.mark for it in found.marked] == [Mark.BLUNDER, Mark.MISSED_WIN]


def line_keeps(game: Game, found: Review, ply: int) -> bool:
    """Whether every move of the line keeps the exact value, by another solver."""
    judged = found.moves[ply]
    assert judged is not None
    state = game.start(1)
    for action in found.actions[:ply]:
        state = game.play(state, [action])
    for action in judged.verdict.line:
        if not Solver(game).keeping(state)[0, action]:
            return False
        state = game.play(state, [action])
    return True


@pytest.mark.parametrize("name", ["tictactoe", "othello4"])
def test_exact_verdicts_agree_with_the_solver(name: str) -> None:
    """Chances are the values of the game, and a move is marked exactly where it keeps less than that."""
    game, rng, solver = games.game(name), np.random.default_rng(3), Solver(games.game(name))
    for _ in range(3):
        state, actions = game.start(1), []
        states = [state]
        while game.outcome(state)[0] == ONGOING:
            actions.append(int(game.pick(state, rng.random(1))[0]))
            state = game.play(state, actions[-1:])
            states.append(state)
        found = review(game, actions)
        for ply, (judged, before) in enumerate(zip(found.moves, states, strict=False)):
            assert judged is not None
            assert judged.verdict.exact
            worth = int(solver.outcomes(before)[0])
            assert found.chances[ply] == 0.5 + 0.5 * (worth if ply % 2 == 0 else -worth)
            after = states[ply + 1]
            outcome = int(game.outcome(after)[0])
            left = -(outcome if outcome != ONGOING else int(solver.outcomes(after)[0]))
            assert judged.verdict.cost == 0.5 * (worth - left)
            assert (judged.mark not in (None, Mark.INACCURACY)) == (left < worth)
            if left < worth:
                assert line_keeps(game, found, ply)


def test_discs_are_counted_where_the_game_counts_them() -> None:
    game = games.game("othello6")
    state = random_endings(game, 1, 6, np.random.default_rng(5))
    best = Solver(game).solve(state)
    referee = Referee(game)
    assert best.value is not None
    for action in np.flatnonzero(game.legal(state)[0]):
        after = game.play(state, [int(action)])
        left = game.margin(after)[0] if game.outcome(after)[0] != ONGOING else Solver(game).solve(after).value
        assert referee.verdict(state, int(action), FINE).discs == best.value + left


@pytest.mark.parametrize("name", ["connect4", "othello6", "hex7"])
def test_an_estimate_is_a_chance_and_the_best_move_costs_nothing(name: str) -> None:
    game = games.game(name)
    referee, state = Referee(game, exact=False), game.start(1)
    assert isinstance(referee.opinion, BySearch)

    for action in np.flatnonzero(game.legal(state)[0])[:8]:
        verdict = referee.verdict(state, int(action), COARSE)
        assert 0 <= verdict.played <= verdict.best <= 1
        assert not verdict.exact

    best = referee.verdict(state, verdict.line[0], COARSE)
    assert best.cost == 0
    assert best.action == verdict.line[0]


def test_the_first_moves_of_connect_four_are_known() -> None:
    """The side that begins wins with 4, draws with 3 or 5 and loses with the others; the line is sure as well."""
    game = games.game("connect4")
    referee, start = Referee(game, COARSE), game.start(1)
    assert referee.chance(start, COARSE) == 1.0
    left = [referee.verdict(start, action, COARSE) for action in range(7)]
    assert [it.played for it in left] == [0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0]
    assert all(it.exact and it.best == 1.0 and it.line[0] == it.action == 3 for it in left)
    found = reviewed("connect4", "1")
    assert found.chances == (1.0, 0.0)
    (missed,) = found.marked
    assert missed.mark == Mark.MISSED_WIN
    assert len(missed.verdict.line) == 8
    assert Referee(game, exact=False).chance(start, COARSE) < 1.0, "only the opinion judges"


def test_a_game_has_a_budget_of_nodes() -> None:
    """Where it is used up, what is left is estimated; a game with a repertoire still knows its first moves."""
    game = games.game("othello6")
    endings, far, near = Endings(game), *(random_endings(game, 1, n, np.random.default_rng(1)) for n in (16, 6))
    endings.limit(1, 0)
    assert endings.known(far, 10_000_000) is None
    used = endings.nodes
    assert 0 < used <= 1_000_000, "the solver works in slices"
    assert endings.known(near, 10_000_000) is None
    assert endings.nodes == used
    endings.limit(10_000_000, 0)
    assert endings.known(near, 10_000_000) is not None
    board = games.game("connect4")
    opening = Endings(board)
    opening.limit(0, 0)
    assert opening.known(board.start(1), 10_000_000) == (1, None)


def test_playouts_judge_games_without_trained_players() -> None:
    game = games.game("hex5")
    referee = Referee(game, exact=False)
    assert isinstance(referee.opinion, ByPlayouts)
    corner, centre = (game.move_names.index(it) for it in ("a1", "c3"))
    assert referee.verdict(game.start(1), corner, FINE).cost > 0.02
    assert referee.verdict(game.start(1), centre, FINE).cost == 0


def test_a_judgement_depends_on_the_position_alone() -> None:
    game = games.game("connect4")
    actions = parse_transcript(game, "4433225").tolist()
    one, referee = review(game, actions), Referee(game)
    referee.chance(game.start(1), FINE)
    other = review(game, actions, referee)
    assert one.chances == other.chances
    assert [it and it.verdict for it in one.moves] == [it and it.verdict for it in other.moves]


@pytest.mark.parametrize("name", ["connect4", "othello8", "gomoku9", "hex7", "hex9"])
def test_chances_do_not_swing_with_the_side_to_move(name: str) -> None:
    """Along the best line that the opinion sees, so that no move changes anything."""
    game = games.game(name)
    opinion, state, chances = Referee(game).opinion, game.start(1), []
    for ply in range(8):
        verdict = opinion.verdict(state, int(np.flatnonzero(game.legal(state)[0])[0]), FINE)
        chances.append(verdict.best if ply % 2 == 0 else 1 - verdict.best)
        state = game.play(state, [verdict.line[0]])
    steps = np.diff(chances)
    assert np.abs(steps).max() < 0.10
    assert abs(steps[::2].mean() - steps[1::2].mean()) < 0.05


def test_threats_that_force_a_win_are_seen() -> None:
    game = games.game("gomoku9")
    actions = parse_transcript(game, "e5a1f5i9g5").tolist()
    found = review(game, [*actions, game.move_names.index("i1")])
    assert found.chances[-1] == 1.0
    missed = review(game, [*actions, game.move_names.index("i1"), game.move_names.index("a9")])
    assert missed.chances[6] == 1.0


def test_a_review_comes_little_by_little() -> None:
    game = games.game("connect4")
    pieces = list(progress(game, parse_transcript(game, "44444222").tolist()))
    assert pieces[0].chances == (None,) * 9
    known = [sum(it is not None for it in piece.chances) for piece in pieces]
    assert known == sorted(known)
    assert [it.complete for it in pieces] == [False] * (len(pieces) - 1) + [True]
    assert all(0 <= it <= 1 for it in pieces[-1].chances if it is not None)


def test_a_game_without_moves_and_one_with_an_illegal_move() -> None:
    game = games.game("tictactoe")
    assert review(game, []).chances == (0.5,)
    with pytest.raises(ValueError, match="not legal"):
        review(game, [4, 4])


@pytest.mark.parametrize(
    ("best", "played", "mark"),
    [
        (0.5, 0.5, None),
        (0.5, 0.41, None),
        (0.5, 0.39, Mark.INACCURACY),
        (0.5, 0.29, Mark.MISTAKE),
        (0.5, 0.19, Mark.BLUNDER),
        (1.0, 0.5, Mark.MISSED_WIN),
        (0.96, 0.6, Mark.MISSED_WIN),
        (0.96, 0.7, Mark.MISTAKE),
        (0.93, 0.5, Mark.BLUNDER),
    ],
)
def test_marks_go_by_what_a_move_cost(best: float, played: float, mark: Mark | None) -> None:
    assert mark_of(Verdict(best, played, 0)) == mark


def test_discs_alone_are_an_inaccuracy_where_they_are_proved() -> None:
    assert mark_of(Verdict(1.0, 1.0, 0, discs=6.0, exact=True)) == Mark.INACCURACY
    assert mark_of(Verdict(1.0, 1.0, 0, discs=4.0, exact=True)) is None
    assert mark_of(Verdict(0.9, 0.9, 0, discs=6.0)) is None


def test_accuracy_leaves_out_moves_with_nothing_to_lose() -> None:
    fine, bad = Verdict(0.5, 0.5, 0), Verdict(0.5, 0.4, 0)
    forced, lost = Verdict(0.5, 0.5, 0, forced=True), Verdict(0.0, 0.0, 0)
    found = accuracy_of([(0, fine), (2, bad), (4, forced), (6, lost)], 9)
    assert found.overall == pytest.approx((1 + exp(-0.7)) / 2)
    assert found.phases == (pytest.approx((1 + exp(-0.7)) / 2), None, None)
    assert accuracy_of([], 0).overall is None


def test_phases_are_thirds() -> None:
    assert [phase_of(it, 9) for it in range(9)] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert phase_of(0, 1) == 0


@pytest.mark.parametrize("name", foreign.FILES)
def test_another_authors_game_is_reviewed(name: str) -> None:
    with foreign.registered():
        game = games.game(name)
        rng, state, actions = np.random.default_rng(0), game.start(1), []
        for _ in range(4):
            actions.append(int(game.pick(state, rng.random(1))[0]))
            state = game.play(state, actions[-1:])
        found = review(game, actions)
        assert all(it is not None and 0 <= it <= 1 for it in found.chances)
        assert all(it is not None and it.verdict.cost >= 0 for it in found.moves)


def test_the_referee_is_measured_by_the_solver() -> None:
    """On a small game it is right by proof; without the solver it marks the mistakes that it can see."""
    game = games.game("tictactoe")
    sample = questions(game, 9, 60, np.random.default_rng(0))
    found = measure(Referee(game), sample)
    assert (found.questions, found.exact, found.share) == (60, 60, 1.0)
    assert 0 < found.mistakes < 60
    wrong = [Question(it.state, it.action, not it.is_mistake) for it in sample]
    assert measure(Referee(game), wrong).share == 0.0


OTHELLO = (
    "f5f6d3g5e6c5g6e3f3e7d6e2f4g3h6h5f1d1f8d8h4c7c6d7h3c2c3d2g4b3"
    "f7b5b6h7h8g8a3a4c1g2c4a6e1b4f2h2b7a8h1g1b8e8g7c8a5a2b2a1b1a7"
)


@pytest.mark.thorough
def test_a_whole_game_of_othello_takes_less_than_five_seconds_of_a_core() -> None:
    game = games.game("othello8")
    actions = parse_transcript(game, OTHELLO).tolist()
    review(game, actions[:2])  # loads kernels
    began, first = time.process_time(), None
    for found in progress(game, actions):
        if first is None and found.marked:
            first = time.process_time() - began
    assert first is not None
    assert first < 1.0
    assert time.process_time() - began < 5.0


@pytest.mark.thorough
def test_a_review_keeps_to_its_budget_in_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    game, budget = games.game("othello8"), 2_000_000
    monkeypatch.setattr(course, "GAME_SOLVER_NODES", budget)
    referee = Referee(game)
    found = review(game, parse_transcript(game, OTHELLO).tolist(), referee)
    exact = [it is not None and it.verdict.exact for it in found.moves]
    assert budget <= referee.endings.nodes <= budget + 1_000_000, "one question may take another slice or two"
    assert exact == sorted(exact), "the end of the game is solved, what came before is not"
    assert 10 < sum(exact) < 30
