"""Training: what the table learns and by which equation, and that the recipe alone decides the result."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import randori
from randori import games, methods, tensorfile
from randori.arena.ratings import expected
from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.record import record
from randori.core.symmetry import canonical_keys, symmetries, transform
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, ladder, train
from randori.experiments.checkpoint import decode, encode
from randori.experiments.pairings import GAMES_A_TASK, play_pairings
from randori.experiments.recipe import parse_recipe, recipe_json
from randori.experiments.stopping import StopSignals
from randori.methods import Learner, Pairing
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.comparison.config import ComparisonConfig
from randori.methods.deep_q.config import DeepQConfig
from randori.methods.evolution.config import EvolutionConfig
from randori.methods.ntuple.config import NtupleConfig
from randori.methods.som.config import SomConfig
from randori.methods.table.learner import TableConfig, TableLearner, results_of
from randori.methods.table.player import Table
from randori.players.files import load_player
from randori.search.evaluators import child_values

# A tiny training of every learner: a line here, and all the tests of this file that are about learners cover it.
TINY: dict[str, Recipe] = {
    "table": Recipe("tictactoe", "table", TableConfig(games=4, memory=20), seed=3, rounds=25, evaluate_games=4),
    "evolution": Recipe(
        "tictactoe",
        "evolution",
        EvolutionConfig(descendants=3, standard_games=4, elite_games=1),
        rounds=30,
        evaluate_games=2,
    ),
    "alphazero": Recipe(
        "tictactoe",
        "alphazero",
        AlphaZeroConfig(channels=4, blocks=1, games=4, simulations=4, batch=16, window=2),
        rounds=15,
        evaluate_games=2,
    ),
    "deep-q": Recipe(
        "tictactoe",
        "deep-q",
        DeepQConfig(channels=4, blocks=1, games=4, replay=64, batch=16, openings=0),
        rounds=20,
        evaluate_games=2,
    ),
    "comparison": Recipe(
        "tictactoe",
        "comparison",
        ComparisonConfig(games=6, openings=2, nodes=20, candidates=3, playouts=2),
        rounds=25,
        evaluate_games=2,
    ),
    "ntuple": Recipe("tictactoe", "ntuple", NtupleConfig(games=40, first_rounds=5), rounds=20, evaluate_games=2),
    "som": Recipe(
        "tictactoe",
        "som",
        SomConfig(height=4, width=4, data=(200,), rough=(300,), fine=(300,), map_rounds=8, games=20),
        rounds=20,
        evaluate_games=4,
    ),
}

every_learner = pytest.mark.parametrize("name", methods.all_methods())


def test_every_learner_is_tested() -> None:
    assert set(TINY) == set(methods.all_methods())


def learner_of(recipe: Recipe, workers: CountingWorkers) -> tuple[Learner, np.random.Generator]:
    rng = np.random.default_rng(recipe.seed)
    return methods.load(recipe.learner)(randori.game(recipe.game), recipe.config, rng, workers), rng


def play_round(learner: Learner, recipe: Recipe, round: int, workers: CountingWorkers) -> dict[str, float]:
    played = play_pairings(randori.game(recipe.game), learner.pairings(), recipe.seed, round, workers)
    metrics = learner.learn(played)
    return {name: it for name, it in metrics.items() if not name.startswith("seconds/")}


def packed(learner: Learner, rng: np.random.Generator) -> bytes:
    return tensorfile.pack(*encode({"rng": rng, "learner": learner.state()}))


@every_learner
def test_a_state_holds_all_that_decides_the_future(name: str) -> None:
    recipe = TINY[name]
    with CountingWorkers(1) as staff:
        learner, rng = learner_of(recipe, staff)
        for number in range(2):
            play_round(learner, recipe, number, staff)
        saved = packed(learner, rng)
        expected = [play_round(learner, recipe, number, staff) for number in (2, 3)]
        again, rng_again = learner_of(recipe, staff)
        state = decode(*tensorfile.unpack(saved))
        rng_again.bit_generator.state = state["rng"].bit_generator.state
        again.restore(state["learner"])
        assert [play_round(again, recipe, number, staff) for number in (2, 3)] == expected
        assert packed(again, rng_again) == packed(learner, rng)


@every_learner
def test_a_player_is_a_snapshot_and_costs_no_chance(name: str) -> None:
    recipe = TINY[name]
    with CountingWorkers(1) as staff:
        learner, rng = learner_of(recipe, staff)
        play_round(learner, recipe, 0, staff)
        before = rng.bit_generator.state
        tensors, settings = learner.player().contents()
        kept = learner.player()
        assert rng.bit_generator.state == before
        copies = {key: it.copy() for key, it in tensors.items()}
        play_round(learner, recipe, 1, staff)
        for key, it in kept.contents()[0].items():
            np.testing.assert_array_equal(it, copies[key])
        json.dumps(settings, allow_nan=False)


@every_learner
def test_presets_are_recipes(name: str) -> None:
    """With a default; they survive the way through a file, and have no field that the command line has already."""
    from randori.app.commands.train import Flags

    kind = methods.load(name)
    assert "default" in kind.presets
    assert not set(kind.Config.__dataclass_fields__) & set(Flags.__dataclass_fields__)
    for preset in kind.presets.values():
        recipe = Recipe(TINY[name].game, name, preset.config, rounds=preset.rounds)
        assert parse_recipe(recipe_json(recipe), "recipe.json") == recipe


def test_a_preset_for_one_game_names_it() -> None:
    """Unless another game is named; a preset for any game needs one."""
    from randori.app.commands.train import parse_flags

    assert parse_flags("alphazero", ["--preset", "connect4-20m"]).game == "connect4"
    assert parse_flags("alphazero", ["--preset", "othello8-20m", "--game", "othello6"]).game == "othello6"
    with pytest.raises(SystemExit):
        parse_flags("alphazero", ["--preset", "hongcharoen"])
    for learner in methods.all_methods():
        for name, preset in methods.load(learner).presets.items():
            if preset.game is not None:
                assert methods.find(learner).why_not(games.game(preset.game)) is None, name


def run_alone(recipe: Recipe, folder: Path, checkpoint_seconds: float = 60.0, workers: int = 1) -> bytes:
    with CountingWorkers(workers) as staff:
        assert train(recipe, folder, staff, checkpoint_seconds=checkpoint_seconds).complete
    return (folder / "player.safetensors").read_bytes()


def in_child(target: Callable[..., Any], *arguments: Any) -> Any:
    """A fork, so that it need not import anything before it can be killed."""
    child = multiprocessing.get_context("fork").Process(target=target, args=arguments)
    child.start()
    return child


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def newest(folder: Path) -> str:
    """The name of the last checkpoint."""
    return max((path.name for path in (folder / "checkpoints").glob("*-*")), default="nothing")


@pytest.mark.thorough
@every_learner
def test_a_run_killed_again_and_again_gives_the_same_player(name: str, tmp_path: Path) -> None:
    recipe, hurt = TINY[name], tmp_path / "hurt"
    expected = run_alone(recipe, tmp_path / "whole")
    began = time.monotonic()
    run_alone(recipe, tmp_path / "saving", checkpoint_seconds=0)
    whole_time = time.monotonic() - began
    rng = np.random.default_rng(0)
    kills, reached = 0, list[str]()
    while kills < 20:
        child, before = in_child(run_alone, recipe, hurt, 0.0), newest(hurt)
        # Every other kill waits for a checkpoint: on a busy machine some tenths of the time lead nowhere.
        while kills % 2 and newest(hurt) == before and child.is_alive():
            time.sleep(0.001)
        child.join(timeout=rng.random() * whole_time / 10)
        if child.is_alive():
            child.kill()
            child.join()
            kills += 1
            reached.append(newest(hurt))
        elif kills < 20:
            assert (hurt / "player.safetensors").read_bytes() == expected
            # Done before the last kill: the next one has its whole way before it.
            hurt.rename(tmp_path / f"done after {kills}")
    assert run_alone(recipe, hurt) == expected
    assert len(set(reached)) > 5, f"killed at different places: {reached}"
    rounds = [row["round"] for row in rows_of(hurt)]
    assert rounds == sorted(set(rounds))
    assert rounds[-1] == recipe.rounds
    assert rows_of(hurt)[-1]["games"] == rows_of(tmp_path / "whole")[-1]["games"]


@pytest.mark.thorough
def test_a_run_with_two_workers_killed_twice_gives_the_same_player(tmp_path: Path) -> None:
    recipe, hurt = TINY["ntuple"], tmp_path / "hurt"
    expected = run_alone(recipe, tmp_path / "whole")
    for _ in range(2):
        child, before = in_child(run_alone, recipe, hurt, 0.0, 2), newest(hurt)
        while newest(hurt) == before and child.is_alive():
            time.sleep(0.001)
        child.kill()
        child.join()
    assert run_alone(recipe, hurt, workers=2) == expected


def die_at(step: int, recipe: Recipe, folder: Path) -> None:
    """Trains, and is killed at the given step of all that touches the disk for good."""
    steps = itertools.count()

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return call

    os.fsync = counted(os.fsync)
    for operation in ("replace", "rename", "unlink", "write_bytes", "mkdir"):
        setattr(Path, operation, counted(getattr(Path, operation)))
    run_alone(recipe, folder, 0.0)


@pytest.mark.thorough
def test_a_run_killed_at_any_step_of_saving_gives_the_same_player(tmp_path: Path) -> None:
    recipe = Recipe("tictactoe", "table", TableConfig(games=1), rounds=2, evaluate_games=0)
    expected = run_alone(recipe, tmp_path / "whole")
    for step in itertools.count():
        folder = tmp_path / str(step)
        child = in_child(die_at, step, recipe, folder)
        child.join()
        assert run_alone(recipe, folder) == expected
        rounds = [row["round"] for row in rows_of(folder)]
        assert rounds == sorted(set(rounds))
        if child.exitcode == 0:
            break
    assert step > 20, "killed at so many places"


@every_learner
def test_the_number_of_workers_changes_nothing(name: str, tmp_path: Path) -> None:
    recipe = TINY[name]
    short = Recipe(recipe.game, name, recipe.config, seed=recipe.seed, rounds=2, evaluate_games=4)
    assert run_alone(short, tmp_path / "two", workers=2) == run_alone(short, tmp_path / "one")
    assert rows_of(tmp_path / "two")[-1]["cpu_seconds"] > 0


def stop_by(number: int, folder: Path) -> subprocess.Popen[str]:
    """The command line, signalled after its first checkpoint."""
    code = "import sys; from randori.app.commands.train import main; main(sys.argv[1:])"
    flags = ["--game", "tictactoe", "--rounds", "100000", "--checkpoint-every", "1s", "--evaluate-games", "0"]
    command = [sys.executable, "-c", code, "table", *flags, "--workers", "1", "--out", str(folder)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (folder / "player.safetensors").exists():
        assert child.poll() is None, child.stderr and child.stderr.read()
        time.sleep(0.05)
    child.send_signal(number)
    return child


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_the_last_round_and_says_how_it_ended(number: int, tmp_path: Path) -> None:
    child = stop_by(number, tmp_path / "run")
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "exit status 1" in errors
    assert "Traceback" not in errors
    last = rows_of(tmp_path / "run")[-1]["round"]
    assert f"Stopped after round {last}" in errors
    newest = max((tmp_path / "run" / "checkpoints").iterdir())
    assert int(newest.name[:8]) == last
    recipe = Recipe("tictactoe", "table", TableConfig(), rounds=last, evaluate_games=0)
    stopped = (tmp_path / "run" / "player.safetensors").read_bytes()
    assert run_alone(recipe, tmp_path / "at once") == stopped


def test_a_budget_is_counted_over_sessions(tmp_path: Path) -> None:
    def session(budget: float) -> Any:
        recipe = Recipe("tictactoe", "table", TableConfig(games=2), budget=budget, evaluate_games=0)
        with CountingWorkers(1) as staff:
            return train(recipe, tmp_path, staff).progress

    first = session(0.3)
    assert first.seconds >= 0.3
    assert session(0.3) == first
    second = session(first.seconds + 0.1)
    assert second.round > first.round
    assert second.seconds >= first.seconds + 0.1


def test_ratings_on_the_way_and_at_the_end(tmp_path: Path) -> None:
    recipe = Recipe("tictactoe", "table", TableConfig(games=2), rounds=4, evaluate_every=2, evaluate_games=4)
    shown = []
    with CountingWorkers(1) as staff:
        ending = train(recipe, tmp_path, staff, show=lambda stage, strength: shown.append(strength))
    assert [strength is not None for strength in shown] == [False, True, False, True, True]
    assert [row["round"] for row in rows_of(tmp_path) if "rating" in row] == [2, 4]
    assert ending.progress.strength is not None
    assert rows_of(tmp_path)[-1]["rating"]["games"] == ending.progress.strength["games"]
    assert ending.progress.strength["low"] < ending.progress.strength["elo"] < ending.progress.strength["high"]


@pytest.mark.parametrize("name", games.names())
def test_the_ladder_of_every_game_can_be_played(name: str) -> None:
    known = ladder.ladder(randori.game(name))
    assert known["random"] == 0.0
    assert list(known.values()) == sorted(known.values())
    for spec in known:
        assert randori.player(spec, name).name


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "gomoku9"])
def test_the_ladder_still_gives_the_strength_of_its_opponents(name: str) -> None:
    """If not, a player in it was changed: `python -m randori.experiments.make_ladder` rates them again."""
    known = ladder.ladder(randori.game(name))
    for weaker, stronger in itertools.pairwise(known):
        score = randori.match(stronger, weaker, name, 30).score
        # Bradley and Terry's curve is not quite any pair's; 0.3 leaves room for that and for chance.
        assert score.mean == pytest.approx(expected(known[stronger] - known[weaker]), abs=0.3), (weaker, stronger)


class Solitary:
    """A learner that plays inside `learn`, through the workers, and asks for no games."""

    Config = TableConfig

    def __init__(self, game: Game, config: TableConfig, rng: np.random.Generator, workers: CountingWorkers) -> None:
        self.game, self.rng, self.workers, self.total = game, rng, workers, 0

    def pairings(self) -> list[Pairing]:
        return []

    def learn(self, played: list[randori.Games]) -> dict[str, float]:
        assert played == []
        self.total += sum(self.workers.map(draw, [(int(seed),) for seed in self.rng.integers(2**63, size=3)]))
        return {"games": 7, "total": self.total}

    def player(self) -> Table:
        return Table(self.game, np.array([self.total], np.uint64), np.zeros(1))

    def state(self) -> dict[str, Any]:
        return {"total": self.total}

    def restore(self, state: dict[str, Any]) -> None:
        self.total = state["total"]


def draw(seed: int) -> int:
    return int(np.random.default_rng(seed).integers(1000))


def test_a_learner_may_do_its_rounds_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "load", lambda name: Solitary)

    def player_after(folder: str, *sessions: int) -> bytes:
        for rounds in sessions:
            run_alone(Recipe("tictactoe", "table", TableConfig(), rounds=rounds, evaluate_games=0), tmp_path / folder)
        return (tmp_path / folder / "player.safetensors").read_bytes()

    assert player_after("at once", 6) == player_after("bit by bit", 1, 2, 5, 6)
    assert rows_of(tmp_path / "at once")[-1]["games"] == 42


def test_games_of_a_pairing_are_those_requested() -> None:
    game = randori.game("connect4")
    one = randori.player("random", game)
    openings = np.tile(np.array([[3, 3, 2]], np.int16), (5, 1))
    with CountingWorkers(1) as staff:
        pairings = [Pairing(one, one, GAMES_A_TASK + 9, 4), Pairing(one, one, 5, openings)]
        many, some = play_pairings(game, pairings, 1, 0, staff)
        other_round = play_pairings(game, pairings, 1, 1, staff)[0]
    assert (len(many), many.opening_plies) == (GAMES_A_TASK + 9, 4)
    assert many.distinct() == len(many)
    np.testing.assert_array_equal(some.actions[:, :3], openings)
    assert not np.array_equal(many.actions[:, :8], other_round.actions[:, :8])


def test_a_second_signal_stops_at_once() -> None:
    messages: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with StopSignals(messages.append) as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.requested
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert len(messages) == 1
    assert signal.getsignal(signal.SIGTERM) == before


def test_an_unknown_learner_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="'table'"):
        Recipe("tictactoe", "tabel", TableConfig())


def test_a_game_that_a_learner_refuses_is_refused_with_the_reason() -> None:
    with pytest.raises(UserError, match="too many"):
        Recipe("gomoku15", "table", TableConfig())


def test_results_are_for_the_side_to_move_and_openings_do_not_count() -> None:
    """The side that began wins 0 3 1 4 2; positions of even plies are its own."""
    game = randori.game("tictactoe")
    actions = np.array([[0, 3, 1, 4, 2]], np.int16)
    keys, results = results_of(record(game, actions, opening_plies=2))
    states = [game.start(1)]
    for action in actions[0]:
        states.append(game.play(states[-1], [action]))
    np.testing.assert_array_equal(keys, canonical_keys(game, np.concatenate(states[2:5])))
    np.testing.assert_array_equal(results, [1, -1, 1])


def test_the_learning_equation() -> None:
    """The mean of all results while they are few; then each result moves the value by 1 / memory of the way."""
    game = randori.game("tictactoe")
    with CountingWorkers(1) as staff:
        learner = TableLearner(game, TableConfig(memory=4), np.random.default_rng(0), staff)
    key = canonical_keys(game, game.start(1))[0]
    rng = np.random.default_rng(1)
    value, visits = 0.0, 0
    for n in (1, 2, 1, 3, 9, 1):
        results = rng.choice([-1.0, 0.0, 1.0], n)
        learner._update(np.full(n, key, np.uint64), results)
        visits += n
        value += min(1.0, n / min(visits, 4)) * (results.mean() - value)
        assert learner.player().evaluate(game.start(1), rng).values[0] == pytest.approx(value)


def test_a_position_and_its_mirror_images_share_a_row() -> None:
    game = randori.game("tictactoe")
    corner = game.play(game.start(1), [0])
    table = Table(game, canonical_keys(game, corner), np.array([0.5]))
    turned = np.concatenate([transform(game, corner, symmetry) for symmetry in symmetries(game)])
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(table.evaluate(turned, rng).values, np.full(8, 0.5))
    np.testing.assert_array_equal(table.evaluate(game.start(1), rng).values, [0.0])


def lost_lines(game: Game, table: Table, seat: int) -> int:
    """Positions lost for the player in `seat`, over all replies of the opponent and all its own equal choices."""
    rng = np.random.default_rng(0)
    states, lost = game.start(1), 0
    for ply in itertools.count():
        children = game.children(states)
        following = children.states
        if ply % 2 == seat:
            worth = -child_values(game, table.evaluate, following, rng)
            best = np.full(len(states), -np.inf)
            np.maximum.at(best, children.parents, worth)
            following = following[worth == best[children.parents]]
        outcomes = game.outcome(following)
        # After the player's own ply the opponent is to move, whose win is the player's loss.
        lost += int(np.sum(outcomes == (WIN if ply % 2 == seat else LOSS)))
        states = distinct(following[outcomes == ONGOING])
        if not len(states):
            return lost
    raise AssertionError


def distinct(states: States) -> States:
    return np.unique(states, axis=0)


def test_the_table_learns_tic_tac_toe_perfectly_from_the_command_line(tmp_path: Path) -> None:
    from randori.app.commands.train import main

    # Seconds of this process, whatever else the machine is doing.
    began = time.process_time()
    main(["table", "--game", "tictactoe", "--out", str(tmp_path), "--workers", "1"])
    assert time.process_time() - began < 30
    game = randori.game("tictactoe")
    table = load_player(tmp_path / "player.safetensors", game)
    assert isinstance(table, Table)
    assert [lost_lines(game, table, seat) for seat in (0, 1)] == [0, 0]
    novice = Table(game, np.empty(0, np.uint64), np.empty(0))
    assert min(lost_lines(game, novice, seat) for seat in (0, 1)) > 0, "the walk finds losses where there are any"


def test_perfect_tables_draw_with_each_other(tmp_path: Path) -> None:
    recipe = Recipe("tictactoe", "table", TableConfig(), seed=9, rounds=25, evaluate_games=0)
    run_alone(recipe, tmp_path)
    table = load_player(tmp_path / "player.safetensors", randori.game("tictactoe"))
    match = randori.match(table, table, "tictactoe", 20, opening_plies=0)
    assert match.score.draws == 20
    assert match.games is not None
    assert (match.games.outcomes == DRAW).all()


def test_flags_are_the_fields_of_the_config(capsys: pytest.CaptureFixture[str]) -> None:
    from randori.app.commands.train import main, parse_flags
    from randori.experiments.recipe import find_preset

    flags = parse_flags("table", ["--game", "tictactoe", "--memory", "7", "--budget", "1h"])
    recipe = flags.recipe("table")
    assert recipe == Recipe("tictactoe", "table", TableConfig(memory=7), budget=3600)
    assert str(flags.folder("table")) == "runs/tictactoe-table"
    flags = parse_flags("table", ["--game", "tictactoe"])
    assert flags.recipe("table").rounds == find_preset("table").rounds
    for arguments, status, words in [
        (["table", "--help"], 0, ["--memory", "last results", "default"]),
        (["--help"], 0, ["table"]),
        (["table", "--game", "tictactoe", "--memroy", "3"], 2, ["--memory"]),
        (["table", "--game", "tictactoe", "--memory", "much"], 2, ["much"]),
        (["table"], 2, ["--game"]),
    ]:
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        output = capsys.readouterr()
        assert exit_.value.code == status
        assert all(word in output.out + output.err for word in words), output
    for arguments, sentence in [
        (["tabel"], "'table'"),
        (["--game", "tictactoe"], "learner first"),
        (["table", "--game", "tictactoe", "--preset", "paper"], "no preset 'paper'"),
        (["table", "--game", "tictactow"], "'tictactoe'"),
        (["table", "--game", "tictactoe", "--budget", "long"], "20m"),
        (["table", "--game", "tictactoe", "--rounds", "-1"], "'rounds'"),
        (["table", "--game", "tictactoe", "--games", "0"], "1 or more"),
    ]:
        with pytest.raises((UserError, SystemExit)) as error:
            main(arguments)
        assert sentence in str(error.value) + "".join(capsys.readouterr())
