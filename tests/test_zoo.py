"""Every trained player that comes along: small, measured, and with a card that says how it was made."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import randori
from randori import learners
from randori.app.train import parse_flags
from randori.arena import duel, play_duels
from randori.experiments.recipe import train_command
from randori.players.files import ZOO, read_card
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
    card = read_card(path)
    assert path.stat().st_size < 3_000_000
    assert path.stem.startswith(f"{card.game}-{card.learner}")
    assert card.rating is not None
    assert card.rating["low"] <= card.rating["elo"] <= card.rating["high"]
    assert card.rating["games"] >= 200
    assert card.training["cpu_seconds"] > 0


@every_player
def test_its_command_is_that_of_its_settings(path: Path) -> None:
    card = read_card(path)
    program, verb, learner, *rest = shlex.split(card.training["command"])
    assert (program, verb, learner) == ("randori", "train", card.learner)
    preset, flags = parse_flags(learner, rest)
    recipe = flags.recipe(learner, preset)
    assert (recipe.game, recipe.seed, recipe.rounds) == (card.game, card.training["seed"], card.training["rounds"])
    assert plain(asdict(recipe.config)) == card.config


@every_player
def test_it_beats_chance(path: Path) -> None:
    card = read_card(path)
    game = randori.game(card.game)
    ours = randori.player(f"zoo/{path.stem}", game)
    with Workers(1) as staff:
        match = play_duels([duel(game, ours, randori.player("random", game), 20)], staff)[0]
    assert match.score.mean > 0.5
    chosen = ours.choose(game.start(1), np.random.default_rng(0)).actions
    assert game.legal(game.start(1))[0, chosen[0]]


@pytest.mark.parametrize("learner", learners.kinds())
def test_a_command_says_what_differs_from_the_nearest_preset(learner: str) -> None:
    kind = learners.load(learner)
    for preset in kind.presets.values():
        command = train_command(learner, "tictactoe", plain(asdict(preset.config)), 3, 7)
        _, flags = parse_flags(learner, shlex.split(command)[3:])
        assert flags.config == preset.config
        assert (flags.seed, flags.rounds) == (3, 7)
