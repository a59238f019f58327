"""A game that is defined in a plain script plays and learns in several processes, on Ray, and by `--plugin`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import foreign
import pytest

MATCH = """
if __name__ == "__main__":
    alone = randori.match("uct:simulations=20", "heuristic", "{game}", 24, workers=1)
    together = randori.match("uct:simulations=20", "heuristic", "{game}", 24, workers=2)
    assert alone.summary() == together.summary()
    print("the same", alone.score.games)
"""
TRAINING = """
if __name__ == "__main__":
    from pathlib import Path
    from randori.experiments import CountingWorkers, Recipe, train
    from randori.methods.evolution.config import EvolutionConfig

    config = EvolutionConfig(seats="together", descendants=3, standard_games=4)
    recipe = Recipe("{game}", "evolution", config, rounds=2, evaluate_games=4)
    for n in (1, 2):
        with CountingWorkers(n) as staff:
            assert train(recipe, Path(str(n)), staff).complete
    assert Path("1/player.safetensors").read_bytes() == Path("2/player.safetensors").read_bytes()
    print("the same", randori.match("./1", "random", "{game}", 2).score.games)
"""
ON_RAY = """
if __name__ == "__main__":
    from randori import arena
    from randori.workers import Workers

    rules = randori.game("{game}")
    duel = arena.duel(rules, randori.player("uct:simulations=20", rules), randori.player("random", rules), 24, seed=0)
    with Workers(1) as alone, Workers(ray="auto") as cluster:
        played = [arena.play_duels([duel], staff)[0].summary() for staff in (alone, cluster)]
    assert played[0] == played[1]
    print("the same", played[0]["games"])
"""


def output_of(script: str, game: str, folder: Path) -> str:
    """What `python my_game.py` prints, where the file is the game's with these lines at its end."""
    path = folder / "my_game.py"
    path.write_text(foreign.FILES[game].read_text(encoding="utf-8") + script, encoding="utf-8")
    process = subprocess.run([sys.executable, str(path)], cwd=folder, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr
    assert "Traceback" not in process.stderr
    return process.stdout


@pytest.mark.parametrize("game", foreign.FILES)
def test_a_scripts_game_is_played_in_two_processes(game: str, tmp_path: Path) -> None:
    assert output_of(MATCH.format(game=game), game, tmp_path) == "the same 24\n"


@pytest.mark.parametrize("game", ["snort5", "breakthrough5"])
def test_a_scripts_game_is_learned_in_two_processes(game: str, tmp_path: Path) -> None:
    assert output_of(TRAINING.format(game=game), game, tmp_path) == "the same 2\n"


@pytest.mark.thorough
@pytest.mark.xdist_group("ray")
def test_a_scripts_game_is_played_on_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    assert output_of(ON_RAY.format(game="snort5"), "snort5", tmp_path).endswith("the same 24\n")


def randori(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "randori", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "COLUMNS": "120"})


def test_a_command_takes_a_plugin() -> None:
    if "--plugin" not in randori("--help").stdout:
        pytest.skip("this command line takes no plugins")
    process = randori(
        "match", "random", "greedy", "--game", "clobber5", "--games", 4, "--plugin", foreign.FILES["clobber5"]
    )
    assert process.returncode == 0, process.stderr
    assert "Clobber 5x5" in process.stdout
