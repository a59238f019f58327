"""Books of openings: every line is played whole, and once before any is played twice, with any number of workers."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import randori
from randori import formats
from randori.arena.openings import drawn_openings, random_openings
from randori.core.notation import transcript
from randori.errors import UserError

GAME = randori.game("othello6")


def random_lines(n: int, lengths: tuple[int, ...], seed: int = 0) -> list[str]:
    """Distinct lines, none of which begins with another."""
    rng, found = np.random.default_rng(seed), set[str]()
    for _ in range(100 * n):
        plies = lengths[len(found) % len(lengths)]
        line = transcript(GAME, random_openings(GAME, 1, plies, rng)[0])
        if not any(line.startswith(it) or it.startswith(line) for it in found):
            found.add(line)
        if len(found) == n:
            break
    return sorted(found)


def uses(match: randori.Match, lines: list[str]) -> Counter[str]:
    """How many games began with each line."""
    assert match.games is not None
    transcripts = [transcript(GAME, it) for it in match.games.actions]
    return Counter(line for it in transcripts for line in lines if it.startswith(line))


def test_each_line_is_played_once_before_any_is_played_twice() -> None:
    lines = random_lines(100, (6,))
    half, whole, more = (randori.match("random", "greedy", GAME, n, book=lines) for n in (100, 200, 250))
    assert set(uses(half, lines).values()) == {2}  # from both sides
    assert len(uses(half, lines)) == 50
    assert uses(whole, lines) == dict.fromkeys(lines, 2)
    assert sorted(uses(more, lines).values()) == [2] * 75 + [4] * 25
    one_seat = randori.match("random", "greedy", GAME, 150, book=lines, seats="first")
    assert sorted(uses(one_seat, lines).values()) == [1] * 50 + [2] * 50


def test_a_match_from_a_book_depends_only_on_its_seed() -> None:
    lines = random_lines(100, (6,))
    one, two = (randori.match("random", "greedy", GAME, 70, book=lines, workers=n) for n in (1, 2))
    assert one.games is not None
    assert two.games is not None
    np.testing.assert_array_equal(one.games.actions, two.games.actions)
    other = randori.match("random", "greedy", GAME, 70, book=lines, seed=1)
    assert set(uses(other, lines)) != set(uses(one, lines))


@pytest.mark.parametrize(("begin", "n"), [(0, 0), (0, 1), (0, 7), (3, 4), (3, 11), (6, 1), (7, 7), (20, 30)])
def test_stretches_of_the_order_fit_together(begin: int, n: int) -> None:
    book = np.arange(7, dtype=np.int16)[:, None]
    whole = drawn_openings(book, 0, 60, 5, (1,))
    np.testing.assert_array_equal(drawn_openings(book, begin, n, 5, (1,)), whole[begin : begin + n])
    assert all(len(set(whole[time : time + 7, 0].tolist())) == 7 for time in range(0, 49, 7))


def test_lines_of_any_length_are_played_whole() -> None:
    lines = random_lines(30, (3, 4, 5, 9, 14))
    match = randori.match("random", "greedy", GAME, 60, book=lines)
    assert uses(match, lines) == dict.fromkeys(lines, 2)
    assert match.score.games == 60


def test_lines_as_long_as_the_openings_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from commands import run

    lines = random_lines(20, (4,))
    book = tmp_path / "book.txt"
    book.write_text("\n".join(lines))
    for openings in ((), ("--openings", 4), ("--openings", 30)):
        result = run(
            capsys, monkeypatch, *f"match random greedy --game othello6 --games 40 --book {book}".split(), *openings
        )
        assert result.status == 0, result.err
        assert "40 games" in result.out
    match = randori.match("random", "random", GAME, 40, book=book, opening_plies=2)
    assert len(uses(match, sorted({line[:4] for line in lines}))) == len({line[:4] for line in lines})


def test_a_line_that_ends_the_game_is_named() -> None:
    tictactoe = randori.game("tictactoe")
    with pytest.raises(UserError, match=r"^Game 2 of the book, a1b1a2b2a3, is over after 5 plies") as error:
        randori.match("random", "random", tictactoe, 10, book=["a1b1", "a1b1a2b2a3"])
    assert "--openings" in str(error.value)
    assert (
        randori.match("random", "random", tictactoe, 10, book=["a1b1", "a1b1a2b2a3"], opening_plies=4).score.games == 10
    )


def test_bad_books_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no opening"):
        randori.match("random", "random", GAME, 10, book=[])
    with pytest.raises(UserError, match=r"There is no file '.*none\.txt'"):
        randori.match("random", "random", GAME, 10, book=tmp_path / "none.txt")
    with pytest.raises(UserError, match="0 or more plies, not -1"):
        randori.match("random", "random", GAME, 10, book=["c2"], opening_plies=-1)
    with pytest.raises(UserError, match="Line 2: Move 1, 'a1'"):
        formats.read_book(["c2", "a1"], GAME)
