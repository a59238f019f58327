"""Records of games and positions in the formats of other programs: round trips, published examples, damaged files."""

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import randori
from randori import formats
from randori.arena import play_games
from randori.arena.openings import random_openings
from randori.core.game import Game
from randori.core.notation import parse_transcript
from randori.core.record import Forfeit, Games, record
from randori.core.replay import last_position
from randori.errors import UserError
from randori.formats import GameRecord
from randori.formats.wthor import parse_names
from randori.methods.table.learner import TableConfig, TableLearner
from randori.workers import Workers

SGF_GAMES = ("othello8", "othello6", "othello4", "gomoku9", "gomoku15", "gomoku19", "hex5", "hex11")


def random_games(game: Game, n: int, seed: int = 0) -> Games:
    anyone = randori.player("random", game)
    return play_games(game, anyone, anyone, np.empty((n, 0), np.int16), np.random.default_rng(seed))


def assert_same(ours: Games, theirs: Games) -> None:
    width = max(ours.actions.shape[1], theirs.actions.shape[1])
    padded = [
        np.pad(it.actions, ((0, 0), (0, width - it.actions.shape[1])), constant_values=-1) for it in (ours, theirs)
    ]
    np.testing.assert_array_equal(*padded)
    np.testing.assert_array_equal(ours.outcomes, theirs.outcomes)
    np.testing.assert_array_equal(ours.margins, theirs.margins)


@pytest.mark.parametrize(
    ("suffix", "name", "n"),
    [
        (".ggf", "othello8", 2000),
        (".ggf", "othello6", 300),
        (".sgf", "othello8", 2000),
        (".sgf", "othello4", 500),
        (".sgf", "gomoku9", 1000),
        (".sgf", "gomoku19", 100),
        (".sgf", "hex11", 100),
        (".txt", "othello8", 200),
        (".txt", "othello4", 500),
        (".txt", "connect4", 200),
        (".txt", "tictactoe", 500),
        (".txt", "gomoku15", 20),
    ],
)
def test_written_records_are_read_back(suffix: str, name: str, n: int, tmp_path: Path) -> None:
    game = randori.game(name)
    games = random_games(game, n)
    records = formats.records_of(games, "Ann [the first]", "Bob \\ Bo", "A cup", "2026-11-15")
    path = tmp_path / f"games{suffix}"
    formats.write_records(path, game, records)
    again = formats.read_records(path, game)
    assert_same(games, formats.games_of(game, again))
    if suffix == ".sgf":
        assert again == records
    if suffix == ".ggf":
        assert [it.margin for it in again] == [it.margin for it in records]
        assert again[0].first == "Ann (the first)"


def test_resigned_games_and_games_from_positions_keep_their_details() -> None:
    game = randori.game("othello8")
    start = formats.position_text(game, last_position(game, parse_transcript(game, "f5d6c3")), False)
    moves = tuple(parse_transcript(game, "f5d6c3").tolist())
    kept = [
        GameRecord(moves, "A", "B", outcome=1, ending="resigned"),
        GameRecord(moves, "A", "B", outcome=-1, ending="time"),
        GameRecord((19, 26), "A", "B", start=start),
    ]
    assert formats.parse_sgf(game, formats.write_sgf(game, kept)) == kept
    through_ggf = formats.parse_ggf(game, formats.write_ggf(game, kept))
    assert [(it.actions, it.start, it.ending) for it in through_ggf] == [
        (it.actions, it.start, it.ending) for it in kept
    ]
    assert len(formats.games_of(game, kept)) == 0


def test_a_forfeited_game_is_recorded_as_resigned() -> None:
    game = randori.game("connect4")
    games = record(game, np.array([[3, 3, 2]], np.int16), 0, (Forfeit(0, "it died."),))
    assert games.outcomes.tolist() == [1]
    assert formats.records_of(games)[0].ending == "resigned"


def test_ggf_of_a_server_is_read() -> None:
    # The shape of a game from the Generic Game Server: evaluations, times, a pass, extra properties.
    text = """(;GM[Othello]PC[GGS/os]DT[2004.09.18_05:54:38.MDT]PB[ant]PW[bee]RB[2000.1]RW[1990]TI[15:00//02:00]TY[8]
    RE[+4.00:t]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
    B[F5//2.5]W[d6/1.00/3]B[C3/-0.5]W[d3]B[c4];)
    (;GM[Othello]PB[x]PW[y]RE[-10]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)"""
    game = randori.game("othello8")
    first, second = formats.parse_ggf(game, text)
    assert first.actions == tuple(parse_transcript(game, "f5d6c3d3c4").tolist())
    assert (first.first, first.second, first.event) == ("ant", "bee", "GGS/os")
    assert (first.margin, first.outcome, first.ending, first.start) == (4.0, 1, "time", None)
    assert (second.margin, second.outcome) == (-10.0, -1)


def test_sgf_of_other_programs_is_read() -> None:
    othello, gomoku = randori.game("othello8"), randori.game("gomoku15")
    expected = tuple(parse_transcript(othello, "f5d6c3").tolist())
    edax = "(;GM[2]FF[4]SZ[8:8]PB[Edax]PW[?]RE[B+12];B[f5];W[d6];B[c3])"
    standard = "(;FF[4]GM[2]SZ[8]AB[ed][de]AW[dd][ee]PL[B]\n;B[fe];W[df]C[a \\] bracket; and (more)];B[cc])"
    assert [it.actions for it in formats.parse_sgf(othello, edax + standard)] == [expected, expected]
    assert formats.parse_sgf(othello, edax)[0].margin == 12
    branching = "(;FF[4]GM[4]SZ[15];B[hh](;W[ih];B[ii](;W[ij])(;W[ab]))(;W[aa];B[bb]))"
    assert formats.parse_sgf(gomoku, branching)[0].actions == tuple(parse_transcript(gomoku, "h8i8i7i6").tolist())
    # On a large board `pa` is a square, not a pass.
    assert formats.parse_sgf(randori.game("gomoku19"), "(;GM[4]SZ[19];B[pa])")[0].actions == (15,)
    lower = "(;FileFormat[3]GaMe[2]SiZe[8];Black[fe])"
    assert formats.parse_sgf(othello, lower)[0].actions == expected[:1]


def wthor_file(game: Game, games: Games, numbers: tuple[int, int, int] = (7, 11, 13)) -> bytes:
    """Follows the description of the format, independently of the reader."""
    data = struct.pack("<BBBBIHHBBBB", 20, 26, 11, 15, len(games), 0, 2025, 8, 0, 22, 0)
    for row in games.actions:
        placements = [int(action) for action in row if 0 <= action < 64]
        board = last_position(game, np.array([action for action in row if action >= 0], np.int16))
        cells = game.cells(board)[0] * (1 if (row >= 0).sum() % 2 == 0 else -1)
        black, white = int((cells == 1).sum()), int((cells == -1).sum())
        empty = 64 - black - white
        score = black + (empty if black > white else empty // 2 if black == white else 0)
        moves = [10 * (square // 8 + 1) + square % 8 + 1 for square in placements]
        data += struct.pack("<HHHBB", *numbers, score, score) + bytes(moves) + bytes(60 - len(moves))
    return data


def test_a_wthor_file_is_replayed_and_its_scores_agree(tmp_path: Path) -> None:
    game = randori.game("othello8")
    games = random_games(game, 1500, seed=3)
    path = tmp_path / "WTH_2025.wtb"
    path.write_bytes(wthor_file(game, games))
    records = formats.read_records(path, game)
    again = formats.games_of(game, records)
    assert_same(games, again)
    assert (games.actions == 64).any(axis=1).sum() > 100  # or no pass would have been put in
    assert [it.margin for it in records] == [it.margin for it in formats.records_of(again)]
    assert [it.outcome for it in records] == games.outcomes.tolist()
    assert records[0].first == "#11"
    header = struct.pack("<BBBBIHHBBBB", 20, 26, 11, 15, 0, 14, 0, 0, 0, 0, 0)
    (tmp_path / "WTHOR.JOU").write_bytes(
        header + b"".join(f"Player {it}".encode().ljust(20, b"\0") for it in range(14))
    )
    (tmp_path / "WTHOR.TRN").write_bytes(header + b"".join(f"Cup {it}".encode().ljust(26, b"\0") for it in range(14)))
    named = formats.read_records(path, game)[0]
    assert (named.first, named.second, named.event) == ("Player 11", "Player 13", "Cup 7")


def test_square_numbers_of_wthor() -> None:
    game = randori.game("othello8")
    head = struct.pack("<BBBBIHHBBBB", 20, 26, 11, 15, 1, 0, 2025, 0, 0, 22, 0)
    data = head + struct.pack("<HHHBB", 0, 0, 0, 33, 33) + bytes([56, 64, 33]) + bytes(57)
    assert formats.parse_wthor(game, data)[0].actions == tuple(parse_transcript(game, "f5d6c3").tolist())


def test_damaged_wthor_files_are_refused() -> None:
    game = randori.game("othello8")
    whole = wthor_file(game, random_games(game, 3))
    for data, message in (
        (whole[:10], "shorter"),
        (whole[:-1], "promises"),
        (whole + b"x", "promises"),
        (whole[:24] + bytes([99]) + whole[25:], "outside"),
        (whole[:24] + bytes([11]) + whole[25:], "not legal"),
    ):
        with pytest.raises(UserError, match=message):
            formats.parse_wthor(game, data)
    with pytest.raises(UserError, match="othello8"):
        formats.parse_wthor(randori.game("othello6"), whole)
    with pytest.raises(UserError, match="damaged"):
        parse_names(struct.pack("<BBBBIHHBBBB", 20, 26, 11, 15, 0, 5, 0, 0, 0, 0, 0), "JOU")


def test_hex_in_sgf_has_the_names_of_its_cells() -> None:
    """As https://www.red-bean.com/sgf/hex.html has it; Black begins and connects top and bottom there too."""
    game = randori.game("hex11")
    (found,) = formats.parse_sgf(game, "(;FF[4]GM[11]SZ[11];B[e4];W[F9];B[d11])")
    assert [game.move_names[it] for it in found.actions] == ["e4", "f9", "d11"]
    assert ";B[e4];W[f9];B[d11]" in formats.write_sgf(game, [found])


@pytest.mark.parametrize("name", SGF_GAMES)
def test_positions_in_a_line(name: str) -> None:
    game = randori.game(name)
    for ply in random_games(game, 3).replay():
        first = ply.number % 2 == 0
        for state in ply.states:
            text = formats.position_text(game, state[None], first)
            again = formats.parse_position(game, text)
            assert again.first_to_move == first
            np.testing.assert_array_equal(again.state[0], state)


def test_a_test_line_of_endgames() -> None:
    game = randori.game("othello8")
    # Number 40 of the FFO endgame suite.
    line = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; B1:-2; % FFO 40"
    problem = formats.parse_obf(game, f"{line}\n# nothing\n\n")[0]
    legal = game.legal(problem.position.state)[0]
    assert problem.values == {8: 38, 1: -2}
    assert problem.position.first_to_move
    assert all(legal[action] for action in problem.values)


@pytest.mark.parametrize("name", ["othello8", "gomoku9"])
def test_records_as_openings(name: str, tmp_path: Path) -> None:
    game = randori.game(name)
    formats.write_records(tmp_path / "book.sgf", game, formats.records_of(random_games(game, 50)))
    book = formats.openings_of(game, formats.read_records(tmp_path / "book.sgf", game), 6)
    assert book.shape[1] == 6
    assert len({tuple(line) for line in book.tolist()}) == len(book) > 40
    anyone = randori.player("random", game)
    games = play_games(game, anyone, anyone, book, np.random.default_rng(0))
    np.testing.assert_array_equal(games.actions[:, :6], book)


def test_records_as_training_data(tmp_path: Path) -> None:
    game = randori.game("tictactoe")
    anyone = randori.player("random", game)
    games = play_games(
        game, anyone, anyone, random_openings(game, 2000, 1, np.random.default_rng(1)), np.random.default_rng(2)
    )
    formats.write_records(tmp_path / "games.txt", game, formats.records_of(games))
    learned = formats.games_of(game, formats.read_records(tmp_path / "games.txt", game))
    with Workers(1) as staff:
        learner = TableLearner(game, TableConfig(), np.random.default_rng(0), staff)
        learner.learn([learned])
    score = randori.match(learner.player(), "random", game, 200, seed=1).score
    assert score.mean > 0.7


def test_wrong_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    othello, connect4 = randori.game("othello8"), randori.game("connect4")
    for name, text, game, message in (
        ("a.pgn", "", othello, "not a file of records"),
        ("a.sgf", "(;GM[1]SZ[19];B[aa])", othello, "GM"),
        ("a.sgf", "(;GM[2]SZ[6])", othello, "size"),
        ("a.sgf", "(;GM[2]", othello, "parenthesis"),
        ("a.sgf", "(;GM[2]SZ[8];B[zz])", othello, "not a square"),
        ("a.sgf", "(;GM[2]SZ[8];B[aa])", othello, "not legal"),
        ("a.sgf", "(;GM[4])", connect4, "SGF has no"),
        ("a.ggf", "hello", othello, "no game in GGF"),
        ("a.ggf", "(;GM[Amazons];)", othello, "Amazons"),
        ("a.ggf", "(;GM[Othello]BO[8 ---];)", othello, "64 characters"),
        ("a.ggf", "(;GM[Othello]B[I9];)", othello, "not a move"),
        ("a.txt", "f5d6\nf5f5", othello, "Line 2"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UserError, match=message):
            formats.read_records(tmp_path / name, game)
    with pytest.raises(UserError, match="no file"):
        formats.read_records(tmp_path / "none.sgf", othello)
    with pytest.raises(UserError, match="written"):
        formats.write_records(tmp_path / "a.wtb", othello, [])


@given(st.text(alphabet="(;)[]\\BWGMSZ2418abcfx-*O \n", max_size=80) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    game = randori.game("othello8")
    for parse in (formats.parse_sgf, formats.parse_ggf, formats.parse_obf, formats.parse_position):
        try:
            parse(game, text)
        except UserError:
            continue


@given(st.binary(max_size=200))
def test_any_bytes_are_a_wthor_file_or_refused(data: bytes) -> None:
    try:
        formats.parse_wthor(randori.game("othello8"), data)
    except UserError:
        return
