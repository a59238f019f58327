"""A review as people and programs read it: sentences, the command, records as they are pasted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from randori import formats, games
from randori.app.cli import main
from randori.core.notation import parse_transcript
from randori.errors import UserError
from randori.formats import GameRecord, parse_pasted
from randori.review import Judged, Mark, Verdict, mark_of
from randori.review.words import line_of, sentences


def described(name: str, played: str, best: str, verdict: Verdict, remarks: tuple[str, ...] = ()) -> str:
    game = games.game(name)
    action, better = game.move_names.index(played), game.move_names.index(best)
    verdict = verdict._replace(action=better, line=(better,))
    judged = Judged(0, action, verdict, mark_of(verdict), remarks)
    assert line_of(game, judged) == ("" if played == best else best)
    return sentences(game, judged, "You")


def test_sentences_about_a_move() -> None:
    estimated = Verdict(0.52, 0.30, 0)
    assert described("connect4", "2", "4", estimated) == "You played 2, a mistake: 4 was worth 22% more."
    assert (
        described("othello8", "d2", "c4", estimated._replace(discs=5.2), ("gave the corner a1 away",))
        == "You played d2, a mistake: c4 was worth 22% more, about 5 discs. It gave the corner a1 away."
    )
    assert described("tictactoe", "a1", "a1", Verdict(0.5, 0.5, 0)) == "You played a1: there was nothing better."
    assert described("tictactoe", "a1", "a1", Verdict(0.5, 0.5, 0, forced=True)) == "You played a1, the only move."
    assert described("connect4", "2", "4", Verdict(0.5, 0.47, 0)) == "You played 2."


@pytest.mark.parametrize(
    ("best", "played", "words"),
    [
        (1.0, 0.5, "You played 2 and missed a win: 4 wins, 2 only holds the draw."),
        (1.0, 0.0, "You played 2 and missed a win: 4 wins, 2 loses."),
        (0.5, 0.0, "You played 2, a blunder: 4 holds the draw, 2 loses."),
    ],
)
def test_a_proved_result_is_stated_without_chances(best: float, played: float, words: str) -> None:
    assert described("connect4", "2", "4", Verdict(best, played, 0, exact=True)) == words


def test_discs_that_were_given_away() -> None:
    sentence = described("othello8", "d2", "c4", Verdict(1.0, 1.0, 0, discs=8.0, exact=True))
    assert sentence == "You played d2, an inaccuracy: c4 was worth 8 discs more."


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["randori", "review", *arguments])
    status = 0
    try:
        main()
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    return status, *capsys.readouterr()


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    moves = "a1b2c3a3a2c1"
    status, out, _ = run(capsys, monkeypatch, moves, "--game", "tictactoe")
    assert status == 0
    assert "Cross played a2 and missed a win: c1 wins, a2 loses. It left a win at c1 open." in out
    assert "Nought: accuracy" in out
    file = tmp_path / "games.txt"
    file.write_text(f"a1\n{moves}\n")
    status, out, _ = run(capsys, monkeypatch, str(file), "--number", "2", "--game", "tictactoe", "--json")
    assert status == 0
    result = json.loads(out)
    assert result["complete"]
    assert result["chances"] == [0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0]
    assert [it["mark"] for it in result["moves"]] == [None, None, None, Mark.BLUNDER, Mark.MISSED_WIN, None]
    assert result["moves"][3]["line"][0] == result["moves"][3]["best"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(("a1a1",), "not legal"), (("{file}", "--number", "3"), "holds 1 games"), (("{file}x.sgf",), "there is no file")],
)
def test_what_the_command_refuses(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
    why: str,
) -> None:
    file = tmp_path / "games.txt"
    file.write_text("a1\n")
    words = [it.format(file=file) for it in arguments]
    status, _, err = run(capsys, monkeypatch, *words, "--game", "tictactoe")
    assert status in (1, 2)
    assert why in err.lower()


def test_a_process_of_its_own_knows_the_strongest_player() -> None:
    """Nothing has imported the methods there."""
    command = [sys.executable, "-m", "randori", "review", "4453", "--game", "connect4", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(json.loads(result.stdout)["chances"]) == 5


@pytest.mark.parametrize("write", [formats.write_sgf, formats.write_ggf, None])
def test_the_beginning_of_a_record_shows_its_format(write: object) -> None:
    game = games.game("othello8")
    actions = tuple(parse_transcript(game, "f5d6c3d3").tolist())
    text = write(game, [GameRecord(actions)]) if callable(write) else "1. f5 d6 2. c3 d3"
    assert parse_pasted(game, f"\n {text}").actions == actions


@pytest.mark.parametrize("text", ["(;GM[2]", "(", "(;GM[Othello]", "x9"])
def test_a_damaged_record_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_pasted(games.game("othello8"), text)


def test_a_game_from_a_position_of_its_own_is_refused() -> None:
    game = games.game("othello8")
    start = formats.position_text(game, game.play(game.start(1), [game.move_names.index("f5")]), 1)
    with pytest.raises(UserError, match="set-up position"):
        parse_pasted(game, formats.write_sgf(game, [GameRecord((), start=start)]))
