"""Every puzzle is proved again, by other questions than those that found it; and tries are answered and counted."""

from pathlib import Path

import foreign
import numpy as np
import pytest
from reference.fours import first_fours

from randori import games
from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of
from randori.core.positions import all_positions, has_few_positions
from randori.core.symmetry import canonical_keys
from randori.players.simple import greedy
from randori.practice import (
    Card,
    Goal,
    Prover,
    Puzzle,
    Skill,
    after_result,
    after_try,
    answer,
    counts,
    next_puzzle,
    own_mistakes,
    puzzles_of,
    read_course,
    task,
)
from randori.practice.courses import Course, write_course
from randori.practice.difficulty import ratings
from randori.practice.make_course import make_course
from randori.practice.progress import PAUSES
from randori.practice.proof import CLEAR
from randori.practice.summary import table
from randori.reading import DamagedFile
from randori.review import FINE, Referee, review
from randori.review.marks import MISTAKE
from randori.search.solver import Solver, reach
from randori.search.threats import find_wins

COURSES = ("tictactoe", "connect4", "othello6", "othello8", "gomoku9", "gomoku15", "hex5", "hex7")
QUICK = 12
"""The ordinary tests prove one puzzle of so many."""
FOURS = 4


def check_far_from_the_end(game: Game, puzzle: Puzzle, solver: Solver) -> None:
    """Where the solver has to look for short wins first: bounds of all moves, the answer's last."""
    assert puzzle.goal == Goal.WIN
    state, right = puzzle.board(game).state, action_of(game, puzzle.answer)
    children = game.children(state)
    for i in np.argsort(children.actions == right, kind="stable"):
        child = children.states[i : i + 1]
        assert game.outcome(child)[0] == ONGOING
        known = next(it for it in solver.approach(child) if it.lower > LOSS or it.upper < DRAW)
        assert (known.upper < DRAW) == (children.actions[i] == right)


def check_solved(game: Game, puzzle: Puzzle, solver: Solver) -> None:
    """One question to the solver about all moves; where the game counts, the margin after each."""
    state, right = puzzle.board(game).state, action_of(game, puzzle.answer)
    if game.moves_left(state)[0] > reach(game):
        check_far_from_the_end(game, puzzle, solver)
        return
    outcome = int(solver.outcomes(state)[0])
    if game.counts is None:
        assert np.flatnonzero(solver.keeping(state)[0]).tolist() == [right]
        assert outcome == (WIN if puzzle.goal == Goal.WIN else DRAW)
        return
    children = game.children(state)
    over = game.outcome(children.states) != ONGOING
    margins = {
        int(action): -int(game.margin(child[None])[0] if ended else solver.solve(child[None]).lower)
        for action, child, ended in zip(children.actions, children.states, over, strict=True)
    }
    others = [margin for action, margin in margins.items() if action != right]
    if puzzle.goal == Goal.MOST:
        assert margins[right] - max(others) >= CLEAR  # type: ignore[index]
    else:
        assert outcome == np.sign(margins[right])  # type: ignore[index]
        assert max(others) < (1 if puzzle.goal == Goal.WIN else 0) <= margins[right] + (puzzle.goal == Goal.DRAW)  # type: ignore[index]


def check_threats(game: Game, puzzle: Puzzle) -> None:
    """The answer wins against every reply, and no other move wins by fours or, by more work, by threats."""
    board = puzzle.board(game)
    right = action_of(game, puzzle.answer)
    after = game.play(board.state, [right])  # type: ignore[list-item]
    replies = game.children(after)
    ongoing = game.outcome(replies.states) == ONGOING
    assert ongoing.all()
    assert (find_wins(game, replies.states, 50_000) >= 0).all()
    cells = {square: int(it) for square, it in enumerate(game.cells(board.state)[0].reshape(-1)) if it}
    assert first_fours(cells, game.shape[0], FOURS) <= {right}
    assert game.knowledge.first_threats is not None
    verdicts = game.knowledge.first_threats(game, board.state, 40_000, game.n_squares)
    assert np.flatnonzero(verdicts == 1).tolist() == [right]
    assert (verdicts >= 0).all()


def check(game: Game, puzzles: list[Puzzle]) -> None:
    solver = Solver(game)
    for puzzle in puzzles:
        if puzzle.goal == Goal.THREATS:
            check_threats(game, puzzle)
        else:
            check_solved(game, puzzle, solver)
        board = puzzle.board(game)
        assert puzzle.line.split()[0] == puzzle.answer
        for action in puzzle.actions(game):
            board.play(action)


@pytest.mark.parametrize("name", COURSES)
def test_some_puzzles_of_each_course_have_one_right_move(name: str) -> None:
    game = games.game(name)
    some = list(puzzles_of(game).values())[::QUICK]
    assert some
    check(game, some)


@pytest.mark.thorough
@pytest.mark.parametrize("name", COURSES)
def test_every_puzzle_has_one_right_move(name: str) -> None:
    game = games.game(name)
    check(game, list(puzzles_of(game).values()))


@pytest.mark.parametrize("name", COURSES)
def test_a_course_is_long_and_goes_from_easy_to_hard(name: str) -> None:
    game = games.game(name)
    puzzles = list(puzzles_of(game).values())
    assert len(puzzles) >= 200
    rated = [it.rating for it in puzzles if it.rating is not None]
    assert rated == sorted(rated)
    assert rated[-1] - rated[0] > 300
    states = np.concatenate([it.board(game).state for it in puzzles])
    keys = [f"{int(it):016x}" for it in canonical_keys(game, states)]
    assert keys == [it.id for it in puzzles]
    assert len({*keys}) == len(keys), "no puzzle is another one turned"


def test_the_course_of_a_small_game_has_all_its_questions() -> None:
    """As many as there are positions, turned ones taken together, where one of several moves keeps a win or a draw."""
    game = games.game("tictactoe")
    assert has_few_positions(game)
    states = all_positions(game)
    solver = Solver(game)
    is_question = solver.keeping(states).sum(axis=1) == 1
    is_question &= (solver.outcomes(states) > LOSS) & (game.legal(states).sum(axis=1) > 1)
    assert {f"{int(it):016x}" for it in canonical_keys(game, states[is_question])} == {*puzzles_of(game)}


def test_the_doc_has_the_table_of_the_courses() -> None:
    doc = Path(__file__).parent.parent / "docs" / "practice.md"
    assert table() in doc.read_text(), "`python -m randori.practice.summary` prints it"


def state_after(game: Game, moves: str) -> States:
    return Puzzle("it", moves, "", Goal.WIN, "", None).board(game).state


def test_positions_without_one_right_move_are_not_puzzles() -> None:
    game = games.game("tictactoe")
    prover = Prover(game)
    for moves in ("", "a1", "a1b2c3"):  # several moves hold the draw, or one, or all that are not corners
        state = state_after(game, moves)
        keeping = Solver(game).keeping(state)[0].sum()
        assert (prover.prove(state) is not None) == (keeping == 1), moves
    states = all_positions(game)
    lost = states[Solver(game).outcomes(states) == LOSS]
    assert len(lost) > 100
    assert all(prover.prove(it[None]) is None for it in lost)


def test_threats_with_one_first_move_and_with_two() -> None:
    """An open three has two ends that win. A split one has its hole, where the other side has an open three of its own: every
    slower move would lose."""
    game = games.game("gomoku9")
    prover = Prover(game)
    both_ends = state_after(game, "d5a1e5a3f5a5")
    assert prover.prove(both_ends) is None
    one_square = state_after(game, "c9e2d9f2f9g2")
    found = prover.prove(one_square)
    assert found is not None
    assert game.move_names[found.answer] == "e9"
    assert found.goal == Goal.THREATS
    slow = {it for it in range(81) if first_fours_of(game, one_square, it)}
    assert slow == {found.answer}


def first_fours_of(game: Game, state: States, action: int) -> bool:
    cells = {square: int(it) for square, it in enumerate(game.cells(state)[0].reshape(-1)) if it}
    return action in first_fours(cells, game.shape[0], 6)


def test_the_reply_to_a_try() -> None:
    game = games.game("tictactoe")
    prover = Prover(game)
    puzzle = next(it for it in puzzles_of(game).values() if it.goal == Goal.WIN and len(it.moves) == 8)
    board = puzzle.board(game)
    for action in np.flatnonzero(board.legal):
        reply = answer(prover, puzzle, board.state, int(action))
        assert reply.right == (game.move_names[action] == puzzle.answer)
        assert reply.line[0] == game.move_names[action]
        after = board.after(int(action))
        for move in reply.line[1:]:
            after.play(action_of(game, move))  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "goal"), [("othello6", Goal.MOST), ("gomoku9", Goal.THREATS), ("hex5", Goal.WIN)])
def test_the_reply_to_a_wrong_try_says_why(name: str, goal: Goal) -> None:
    game = games.game(name)
    puzzle = next(it for it in puzzles_of(game).values() if it.goal == goal)
    board = puzzle.board(game)
    wrong = next(int(it) for it in np.flatnonzero(board.legal) if game.move_names[it] != puzzle.answer)
    reply = answer(Prover(game), puzzle, board.state, wrong)
    assert not reply.right
    assert reply.words.startswith(f"Not {game.move_names[wrong]}: ")
    assert puzzle.answer not in reply.words
    side = game.knowledge.look.sides[len(board.history) % 2]
    assert task(game, puzzle, len(board.history) % 2).lower().startswith(side)


def test_harder_puzzles_are_rated_higher() -> None:
    """One that even `greedy` finds, and one that hardly any player finds."""
    game = games.game("connect4")
    known = list(puzzles_of(game).values())
    boards = [it.board(game).state for it in (known[0], known[-1])]
    answers = [action_of(game, it.answer) for it in (known[0], known[-1])]
    easy, hard = ratings(game, np.concatenate(boards), answers, seed=5)  # type: ignore[arg-type]
    assert easy + 200 < hard
    assert greedy(game).choose(boards[1], np.random.default_rng(0)).actions[0] != answers[1]


@pytest.mark.parametrize("name", ["othello4", "hex5"])
def test_a_course_continues_where_it_stopped(name: str) -> None:
    game = games.game(name)
    whole = make_course(game, 1000, Course())
    first = next(whole)
    second = next(whole)
    resumed = next(make_course(game, 1000, first))
    assert resumed == second
    assert first.rounds == 1
    assert {it.id for it in first.puzzles} < {it.id for it in second.puzzles}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["snort5", "clobber5", "reversi4x6"])
def test_another_authors_game_has_a_course(name: str) -> None:
    with foreign.registered():
        game = games.game(name)
        course, prover = next(make_course(game, 6, Course())), Prover(game)
        assert course.puzzles
        for puzzle in course.puzzles:
            board, right = puzzle.board(game), action_of(game, puzzle.answer)
            outcomes = Solver(game).outcomes(board.after(right).state)  # type: ignore[arg-type]
            assert puzzle.goal != Goal.WIN or outcomes[0] == LOSS
            replies = [answer(prover, puzzle, board.state, int(it)) for it in np.flatnonzero(board.legal)]
            assert [it.line[0] for it in replies if it.right] == [puzzle.answer]


def test_a_course_is_read_as_it_was_written(tmp_path: Path) -> None:
    game, folder = games.game("connect4"), tmp_path
    assert read_course(game, folder) == Course()
    course = read_course(game)
    write_course(game, course, folder)
    assert read_course(game, folder) == course
    (folder / "connect4.json").write_text('{"seed": 0, "rounds": 1, "puzzles": [{"id": "x"}]}')
    with pytest.raises(DamagedFile):
        read_course(game, folder)


def test_leitners_boxes() -> None:
    card = after_try(None, "it", right=False, now=100)
    assert card == Card("it", 0, 100 + 600, 1)
    assert not counts(card, 699)
    assert counts(card, 700)
    now = 700
    for box in range(1, len(PAUSES)):
        card = after_try(card, "it", right=True, now=now)
        assert card.box == box
        assert card.due - now == PAUSES[box]
        now = card.due
    assert after_try(card, "it", right=True, now=now).box == len(PAUSES) - 1, "the last box is the last"
    assert after_try(card, "it", right=False, now=now).due == now + 600, "what was forgotten comes back soon"
    assert after_try(None, "it", right=True, now=0).due == PAUSES[2], "what was known at once comes back late"


def puzzle_rated(id: str, rating: float | None) -> Puzzle:
    return Puzzle(id, "", "a1", Goal.WIN, "a1", rating)


def test_the_next_puzzle() -> None:
    puzzles = [puzzle_rated(str(rating), float(rating)) for rating in range(0, 1000, 100)]
    first = next_puzzle(puzzles, {}, 580.0, now=0)
    assert first is not None
    assert first.id == "500"
    cards = {"500": Card("500", 2, 1000, 1), "100": Card("100", 0, 600, 1)}
    order = [next_puzzle(puzzles, cards, 580.0, now) for now in (599, 600, 1000)]
    assert [it.id for it in order if it] == ["400", "100", "100"]
    everything = {it.id: Card(it.id, 1, 5000 - int(it.id), 1) for it in puzzles}
    soonest = next_puzzle(puzzles, everything, 580.0, now=0)
    assert soonest is not None
    assert soonest.id == "900", "nothing is new or due: what is due soonest"
    assert next_puzzle([], {}, 580.0, now=0) is None
    own = next_puzzle([puzzle_rated("b", None), puzzle_rated("a", None)], {}, 580.0, now=0)
    assert own is not None
    assert own.id == "a"


def test_the_rating_approaches_the_true_strength() -> None:
    """A person who solves by the Elo formula, and gets what the course would pose, is rated about right after 150 puzzles."""
    rng, truth = np.random.default_rng(0), 900.0
    skill = Skill(400.0, 150.0)
    for _ in range(150):
        rating = skill.elo - 80
        skill = after_result(skill, rating, bool(rng.random() < 1 / (1 + 10 ** ((rating - truth) / 400))))
    assert abs(skill.elo - truth) < 120
    assert skill.tries == 150
    assert 0 < skill.solved < 150
    assert after_result(skill, None, right=False)[:2] == skill[:2], "without a rating nothing moves"
    assert after_result(skill, 900.0, right=False).streak == 0
    assert after_result(skill, 5000.0, right=True).elo > skill.elo + 20


def test_own_mistakes_are_what_the_review_marks_and_one_move_mends() -> None:
    game = games.game("tictactoe")
    actions = [game.move_names.index(it) for it in ("a1", "b2", "c3", "a3", "a2", "c1")]
    game_review, prover, referee = review(game, actions), Prover(game), Referee(game)
    marked = {it.ply for it in game_review.marked}
    assert marked == {3, 4}
    (puzzle,) = own_mistakes(game_review, 0, "room", prover, referee)
    assert puzzle == Puzzle("room-4", "a1b2c3a3", "c1", Goal.WIN, puzzle.line, None)
    assert list(own_mistakes(game_review, 1, "room", prover, referee)) == [], "four moves would have held that draw"


@pytest.mark.thorough
def test_own_mistakes_that_nothing_proves_are_the_referees_opinion() -> None:
    """Random moves in the opening of Othello: too early to be solved."""
    game = games.game("othello8")
    rng, board = np.random.default_rng(0), GameSoFar(game)
    for _ in range(24):
        board.play(int(game.pick(board.state, rng.random(1))[0]))
    game_review, referee = review(game, board.history), Referee(game)
    found = [it for seat in (0, 1) for it in own_mistakes(game_review, seat, "room", Prover(game), referee)]
    assert found
    for it in found:
        assert it.goal == Goal.BETTER
        ply = int(it.id.split("-")[1])
        verdict = referee.verdict(board.states[ply], board.history[ply], FINE)
        assert game.move_names[verdict.action] == it.answer
        assert verdict.cost >= MISTAKE
