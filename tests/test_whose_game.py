"""A trained player's card names its game, and `randori players --game` lists who can play one."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import run

from randori import games, players
from randori.errors import UserError
from randori.players import game_for


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: run(capsys, monkeypatch, *words)


def test_the_game_on_a_card_is_the_game() -> None:
    assert game_for(["heuristic", "zoo/connect4-som:exact=2"]) is games.game("connect4")
    assert game_for(["zoo/connect4-som"], "othello8") is games.game("othello8")  # loading the player refuses


@pytest.mark.parametrize(
    ("specs", "sentence"),
    [
        (["random", "greedy"], "Choose a game with --game: tictactoe, connect4, "),
        (["zoo/connect4-som", "zoo/othello8-som"], "'zoo/connect4-som' plays connect4, but 'zoo/othello8-som' plays"),
        (["zoo/conect4-som"], "There is no 'conect4-som' in the zoo. Did you mean 'connect4-som'?"),
    ],
)
def test_no_game_two_games_and_an_unknown_player_are_refused(specs: list[str], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence.replace("?", r"\?")):
        game_for(specs)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("match zoo/tictactoe-som random --games 2", "Tic-Tac-Toe"),
        ("match random zoo/tictactoe-som --games 2", "Tic-Tac-Toe"),
        ("tournament random zoo/tictactoe-som --games 2", "Tic-Tac-Toe"),
        ("accuracy zoo/tictactoe-ntuple --positions 5", "Tic-Tac-Toe"),
    ],
)
def test_commands_take_the_game_from_a_card(cli: Any, words: str, title: str) -> None:
    result = cli(*words.split())
    assert result.status == 0
    assert title in result.out


def test_a_player_of_another_game_is_refused_in_one_sentence(cli: Any) -> None:
    result = cli("match", "zoo/tictactoe-som", "random", "--game", "connect4")
    assert (result.status, result.out) == (2, "")
    assert "plays tictactoe, not connect4" in result.err
    assert result.err.count("\n") == 1


def test_the_board_in_the_terminal_is_that_of_the_opponent(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    assert cli("play", "--terminal", "--opponent", "zoo/connect4-som").out.startswith("Connect Four against")
    assert cli("play", "--terminal").out.startswith("Othello 8x8 against heuristic")


def test_players_of_a_game_are_listed_the_strongest_first(cli: Any) -> None:
    rows = json.loads(cli("players", "--game", "tictactoe", "--json").out)["players"]
    specs = [it["spec"] for it in rows]
    assert {"zoo/tictactoe-ntuple", "heuristic", "perfect", "random"} <= set(specs)
    assert "companion" not in specs  # it plays as strongly as it is asked to
    assert not [it for it in specs if "connect4" in it]
    ratings = [it["rating"] for it in rows]
    n_rated = sum(it is not None for it in ratings)
    assert ratings[n_rated:] == [None] * (len(ratings) - n_rated)
    elos = [it["elo"] for it in ratings[:n_rated]]
    assert elos == sorted(elos, reverse=True)
    for spec in specs:
        assert players.player(spec, games.game("tictactoe")).name


def test_the_next_step_after_a_list_of_players_works(cli: Any) -> None:
    result = cli("players", "--game", "tictactoe")
    assert result.status == 0
    last = result.out.splitlines()[-1]
    assert cli(*shlex.split(last)[2:], "--games", "2").status == 0


def test_an_unknown_game_is_refused_in_one_sentence(cli: Any) -> None:
    result = cli("players", "--game", "othelo8")
    assert (result.status, result.out) == (2, "")
    assert "Did you mean 'othello8'?" in result.err


def test_without_a_game_trained_players_are_grouped(cli: Any) -> None:
    lines = cli("players").out.splitlines()
    start = lines.index("Othello 8x8, trained players:")
    group = lines[start + 1 : lines.index("", start)]
    assert group[0] == "zoo/othello8-ntuple"
    assert all(it.startswith("zoo/othello8-") for it in group[::2])
