"""Every included trained player: small, measured, and with a card that says how it was made."""

import json
import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import randori
from randori import methods
from randori.app.commands.card import card
from randori.app.commands.train import parse_flags
from randori.arena import duel, in_words, play_duels
from randori.experiments.field import field
from randori.experiments.recipe import train_command
from randori.players.files import ZOO, copy_player, load_player, read_card
from randori.workers import Workers

PLAYERS = sorted(ZOO.glob("*.safetensors"))
every_player = pytest.mark.parametrize("path", PLAYERS, ids=[path.stem for path in PLAYERS])


def plain(value: Any) -> Any:
    """As JSON has it: tuples are lists."""
    if isinstance(value, dict):
        return {key: plain(it) for key, it in value.items()}
    return [plain(it) for it in value] if isinstance(value, list | tuple) else value


@every_player
def test_a_player_is_small_measured_and_named_after_what_it_plays(path: Path) -> None:
    its_card = read_card(path)
    assert path.stat().st_size < 3_000_000
    assert path.stem.startswith(f"{its_card.game}-{its_card.learner}")
    assert its_card.rating is not None
    assert its_card.rating["low"] <= its_card.rating["elo"] <= its_card.rating["high"]
    assert its_card.rating["games"] >= 200
    assert its_card.training["cpu_seconds"] > 0


@every_player
def test_its_command_is_that_of_its_settings(path: Path) -> None:
    its_card = read_card(path)
    program, verb, learner, *rest = shlex.split(its_card.training["command"])
    assert (program, verb, learner) == ("randori", "train", its_card.learner)
    flags = parse_flags(learner, rest)
    recipe = flags.recipe(learner)
    assert (recipe.game, recipe.seed, recipe.rounds) == (
        its_card.game,
        its_card.training["seed"],
        its_card.training["rounds"],
    )
    # Cards of the first edition have an empty text for missing settings; later settings have their defaults.
    stored = {key: None if it == "" else it for key, it in its_card.config.items()}
    assert plain(asdict(recipe.config)) == plain(asdict(type(recipe.config)())) | stored


@pytest.mark.thorough
@every_player
def test_it_beats_chance(path: Path) -> None:
    its_card = read_card(path)
    game = randori.game(its_card.game)
    ours = randori.player(f"zoo/{path.stem}", game)
    with Workers(1) as staff:
        match = play_duels([duel(game, ours, randori.player("random", game), 20)], staff)[0]
    assert match.score.mean > 0.5
    chosen = ours.choose(game.start(1), np.random.default_rng(0)).actions
    assert game.legal(game.start(1))[0, chosen[0]]


def test_its_rating_is_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    card("zoo/tictactoe-evolution", workers=1, json=True)
    figures = json.loads(capsys.readouterr().out)
    assert figures["measured"] == figures["card"]
    assert not figures["written"]


@pytest.mark.slow
@every_player
def test_its_rating_is_what_is_measured(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Networks may add up in another order on another machine, so other moves may be as good."""
    card(f"zoo/{path.stem}", json=True)
    figures = json.loads(capsys.readouterr().out)
    assert figures["measured"]["low"] <= figures["card"]["high"]
    assert figures["card"]["low"] <= figures["measured"]["high"]


def test_a_new_rating_is_written_on_the_card_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.safetensors"
    path.write_bytes((ZOO / "tictactoe-evolution.safetensors").read_bytes())
    before = read_card(path)
    card(str(path), games=4, seed=5, write=True, workers=1)
    after = read_card(path)
    assert after.rating is not None
    assert after.rating["games"] == 4 * len(after.rating["opponents"])
    assert "zoo/tictactoe-evolution" in field(randori.game("tictactoe")).order(), "a copy may meet its original"
    assert replace(after, rating=before.rating) == before
    output = capsys.readouterr().out
    assert before.rating is not None
    assert f"on its card  {in_words(before.rating)}" in output
    assert f"measured     {in_words(after.rating)}" in output
    assert all(it["player"] in output for it in after.rating["opponents"])
    load_player(path, randori.game("tictactoe"))


@pytest.mark.parametrize(
    "spoilt", [{}, {"seed": "x"}, {"opponents": 5}, {"opponents": [{"player": 3}, 7, {"player": "random"}]}]
)
def test_a_card_without_opponents_is_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, spoilt: dict[str, Any]
) -> None:
    source, path = ZOO / "tictactoe-evolution.safetensors", tmp_path / "mine.safetensors"
    kept = dict(read_card(source).rating or {})
    old = {key: kept[key] for key in ("elo", "low", "high", "games")}
    copy_player(source, path, training={}, rating=kept | spoilt if spoilt else old)
    monkeypatch.setattr("randori.app.commands.card.GAMES", 2)
    card(str(path), workers=1, json=True)
    measured = json.loads(capsys.readouterr().out)["measured"]
    assert measured["games"] == 2 * len(measured["opponents"])


@pytest.mark.parametrize("learner", methods.all_methods())
def test_a_command_says_what_differs_from_the_nearest_preset(learner: str) -> None:
    kind = methods.load(learner)
    for preset in kind.presets.values():
        command = train_command(learner, "tictactoe", plain(asdict(preset.config)), 3, 7)
        flags = parse_flags(learner, shlex.split(command)[3:])
        assert flags.config == preset.config
        assert (flags.seed, flags.rounds) == (3, 7)
