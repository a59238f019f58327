"""Everything that the product does, over every registered game and over games that live outside the package.

What does not suit a game is refused in a sentence; nothing ends in a traceback.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import commands
import foreign
import numpy as np
import pytest

import randori
from randori import arena, games, methods, players
from randori.core.game import ONGOING, Game, States
from randori.core.options import option_defaults
from randori.engines import GtpEngine, Inbox
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.search.evaluators import preferences
from randori.workers import Workers

NAMES = [*foreign.FILES, *games.names()]
LARGE = 100
"""Squares; on larger boards games are not played to their end where that takes long."""
SLOW = [name for name in games.names() if games.game(name).n_squares > LARGE]

# Enough to go through everything once. Players and methods that are not listed use their defaults.
QUICK = {
    "uct": "uct:simulations=10",
    "lookahead": "lookahead:depth=1",
    "mcts-humphreys": "mcts-humphreys:simulations=10",
}
TINY: dict[str, dict[str, Any]] = {
    "table": {"games": 2},
    "evolution": {"descendants": 2, "standard_games": 2, "opponent": "random"},
    "som": {"height": 3, "width": 3, "data": (20,), "rough": (20,), "fine": (20,), "map_rounds": 1, "games": 4},
    "alphazero": {"channels": 4, "blocks": 1, "simulations": 4, "games": 2, "batch": 8, "play_simulations": 4},
    "deep-q": {"channels": 4, "blocks": 1, "games": 4, "batch": 8, "uses": 0.5},
    "ntuple": {"games": 4, "exact": 2},
    "comparison": {"games": 2, "positions": 0.05, "candidates": 2, "playouts": 2, "nodes": 20},
}

Randori = Callable[..., commands.Said]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


@pytest.fixture(params=[pytest.param(it, marks=[pytest.mark.thorough] if it in SLOW else []) for it in NAMES])
def game(request: pytest.FixtureRequest) -> Game:
    return randori.game(request.param)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Randori:
    """Runs a command, which may refuse in one sentence."""

    def checked(*words: object) -> commands.Said:
        result = commands.run(capsys, monkeypatch, *words)
        assert result.status in (0, 1, 2)
        if result.status:
            assert_sentence(result.err.strip().splitlines()[-1].removeprefix("randori: "))
        return result

    return checked


def assert_sentence(text: str) -> None:
    assert text.endswith("."), text
    assert "\n" not in text
    assert "Traceback" not in text


def positions(game: Game) -> States:
    """A position from each of the first plies of a random game."""
    rng, states = np.random.default_rng(0), [game.start(1)]
    for _ in range(6):
        after = game.play(states[-1], game.pick(states[-1], rng.random(1)))
        if game.outcome(after)[0] != ONGOING:
            break
        states.append(after)
    return np.concatenate(states)


def assert_plays(player: players.Player, game: Game) -> None:
    """Legal moves in some positions, and a match where games are short."""
    states = positions(game)
    actions = player.choose(states, np.random.default_rng(0)).actions
    assert game.legal(states)[np.arange(len(states)), actions].all()
    if game.n_squares < LARGE:
        planned = arena.duel(game, player, players.player("random", game), 2, seed=0)
        with Workers(1) as staff:
            assert arena.play_duels([planned], staff)[0].score.games == 2


WITHOUT_PROGRAMS = [name for name, it in players.kinds().items() if "..." not in option_defaults(it.maker).values()]


@pytest.mark.parametrize("kind", WITHOUT_PROGRAMS)
def test_every_player_plays_or_says_why_not(game: Game, kind: str) -> None:
    try:
        player = players.player(QUICK.get(kind, kind), game)
    except UserError as error:
        assert_sentence(str(error))
        return
    assert_plays(player, game)


def test_every_offered_player_can_be_created(game: Game) -> None:
    specs = [offer.spec for kind in players.kinds().values() for offer in kind.offered(game)]
    assert {"random", "greedy", "heuristic"} <= set(specs)
    for spec in specs:
        assert players.player(spec, game).name


def trained(game: Game, method: str, folder: Path) -> players.Player | None:
    """The player of a tiny training, read from its file; None where the method refuses the game."""
    kind = methods.load(method)
    config = replace(kind.presets["default"].config, **TINY.get(method, {}))
    try:
        recipe = Recipe(game.name, method, config, rounds=2, evaluate_games=1)
    except UserError as error:
        assert_sentence(str(error))
        assert methods.find(method).why_not(game) is not None
        return None
    with CountingWorkers(1) as staff:
        assert train(recipe, folder, staff).complete
    return players.player(str(folder), game)


@pytest.mark.parametrize("method", methods.all_methods())
def test_every_method_learns_or_says_why_not(game: Game, method: str, tmp_path: Path) -> None:
    player = trained(game, method, tmp_path / "run")
    if player is not None:
        assert_plays(player, game)


def test_a_run_can_be_inspected(game: Game, tmp_path: Path, run: Randori) -> None:
    """What follows a first training: the card measured again, the file, a report, a map, an export."""
    folder = tmp_path / "run"
    tiny = ("--descendants", 2, "--standard-games", 2, "--opponent", "random", "--rounds", 1, "--evaluate-games", 1)
    assert run("train", "evolution", "--game", game.name, *tiny, "--workers", 1, "--out", folder).status == 0
    assert game.title in run("card", folder, "--games", 1, "--workers", 1).out
    assert game.name in run("inspect", folder).out
    assert run("report", folder, "--out", tmp_path / "report").status == 0
    assert run("map", folder, "--out", tmp_path / "map.svg").status == 2
    assert run("export", folder, "--onnx", tmp_path / "network.onnx").status == 2


def test_matches_and_tournaments(game: Game, run: Randori) -> None:
    pair = ("random", "greedy") if game.n_squares < LARGE else ("random", "heuristic")
    assert "won" in run("match", *pair, "--game", game.name, "--games", 2, "--workers", 1).out
    assert game.title in run("tournament", *pair, "--game", game.name, "--games", 2, "--workers", 1).out


def test_laws_are_checked(game: Game, run: Randori) -> None:
    result = run("check-game", game.name, "--games", 5 if game.n_squares < LARGE else 1)
    assert result.status == 0, result
    assert game.title in result.out


def test_positions_are_solved_as_far_as_time_allows(game: Game, run: Randori) -> None:
    result = run("solve", "--game", game.name, "--seconds", 0.05)
    assert "to move" in result.out
    assert (" by " in result.out) <= (game.counts is not None)


def test_a_late_position_is_solved(game: Game, run: Randori) -> None:
    """Near the end of a random game, where everything is within reach."""
    rng, state, actions = np.random.default_rng(2), game.start(1), []
    while game.outcome(state)[0] == ONGOING:
        actions.append(int(game.pick(state, rng.random(1))[0]))
        state = game.play(state, actions[-1:])
    moves = " ".join(game.move_names[action] for action in actions[:-2])
    result = run("solve", "--game", game.name, "--seconds", 5, *moves.split())
    assert result.status == 0 or game.n_squares >= LARGE, result


def test_accuracy_is_measured_where_there_is_a_truth(game: Game, run: Randori) -> None:
    result = run("accuracy", "random", "--game", game.name, "--positions", 2)
    assert (result.status == 0) == ("keep the value" in result.out)


@pytest.mark.parametrize("command", ["companion", "pupil"])
@pytest.mark.parametrize("name", foreign.FILES)
def test_commands_that_need_measurements_say_that_there_are_none(name: str, command: str, run: Randori) -> None:
    assert run(command, "--game", name).status == 2


def test_records_are_converted(game: Game, run: Randori, tmp_path: Path) -> None:
    """Transcripts of every game; other people's files where they can hold the game."""
    first = game.move_names[int(game.legal(game.start(1))[0].argmax())]
    (tmp_path / "games.txt").write_text(f"{first}\n")
    assert run("convert", tmp_path / "games.txt", tmp_path / "again.txt", "--game", game.name).status == 0
    assert (tmp_path / "again.txt").read_text().split() == [first]
    for suffix, known in (("sgf", game.knowledge.files.sgf), ("ggf", game.knowledge.files.ggf)):
        result = run("convert", tmp_path / "games.txt", tmp_path / f"games.{suffix}", "--game", game.name)
        assert (result.status == 0) == (known is not None), result


def test_a_whole_game_by_gtp(game: Game) -> None:
    engine = GtpEngine(game, partial(players.player, "random"), Inbox(), 0)

    def ask(line: str) -> str:
        answer = "".join(engine.answer(line))
        assert answer.startswith("="), (line, answer)
        return answer[1:].strip()

    for line in ("name", "list_games", f"boardsize {game.shape[0]}", "clear_board", "showboard", "gogui-rules_board"):
        ask(line)
    first = ask("gogui-rules_legal_moves").split()[0]
    ask(f"play b {first}")
    ask("undo")
    ply = 0
    while not engine.board.is_over:
        assert ask(f"genmove {'bw'[ply % 2]}").lower() in game.move_names
        ply += 1
    assert ply <= game.max_plies
    assert ask("final_score")
    assert ask("gogui-rules_final_result")
    assert (" by " in ask("gogui-rules_final_result")) <= (game.counts is not None)


@pytest.mark.filterwarnings("ignore::UserWarning")  # which their own games cause as well: see test_envs.py
def test_environments(game: Game) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    pettingzoo = pytest.importorskip("pettingzoo")
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test

    import randori.envs
    from randori.envs.aec import wrapped

    assert f"randori/{game.family.name}-v0" in pettingzoo.aec_registry
    assert any(spec.kwargs.get("game") == game.name for spec in gymnasium.registry.values())
    api_test(wrapped(randori.envs.BoardEnv(game.name)), num_cycles=20)
    check_env(randori.envs.VsOpponentEnv(game.name, render_mode="ansi"))


def test_the_terminal(game: Game, run: Randori, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are few moves, typing them all again and again plays a whole game: illegal ones are refused."""
    first = game.move_names[int(game.legal(game.start(1))[0].argmax())]
    whole = list(game.move_names) * game.max_plies if game.n_actions <= 30 else []
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([first, "nonsense", "undo", *whole, "quit"]) + "\n"))
    result = run("play", "--terminal", "--game", game.name, "--opponent", "random")
    assert result.status == 0
    assert game.title in result.out
    assert not whole or "wins." in result.out or "You win." in result.out or "A draw." in result.out


@pytest.mark.parametrize("name", ["clobber5", "breakthrough5"])
def test_commands_that_need_a_board_that_fills_say_so(
    name: str, run: Randori, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "does not play" in run("train", "som", "--game", name).err
    assert "--seats together" in run("train", "evolution", "--game", name, "--seats", "apart", "--out", "nowhere").err
    assert "exact" not in run("match", "perfect", "random", "--game", name).err


@pytest.mark.parametrize("learner", ["alphazero", "deep-q"])
def test_networks_that_see_only_pieces_say_so(learner: str, run: Randori) -> None:
    assert "do not tell the whole position." in run("train", learner, "--game", "breakthrough5").err


def test_equal_preferences_count_as_none() -> None:
    alike = replace(randori.game("snort5"), knowledge=randori.Knowledge(preferences=lambda game: np.ones(25)))
    assert not preferences(alike).any()
