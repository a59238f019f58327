"""Other programs as players: whole matches through each protocol, dialects, and engines that fail."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import randori
from randori.arena import duel, play_duels, play_games, play_tournament
from randori.core.game import Game, States
from randori.core.record import Forfeit, concatenate, record
from randori.errors import UserError
from randori.players import Choice, FollowsGames, Player, player
from randori.players.outside.talk import Talk
from randori.workers import Workers

SEEDS = (3, 4)


@dataclass(frozen=True)
class Seeded:
    """A player whose chance comes from a seed and the position, as an engine's does."""

    inner: Player
    game: Game
    seed: int
    name: str

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        keys = self.game.keys(states)
        chances = (np.random.default_rng([self.seed, int(key)]) for key in keys)
        rows = (self.inner.choose(states[i : i + 1], chance).actions[0] for i, chance in enumerate(chances))
        return Choice(np.fromiter(rows, np.int16, len(states)))


def engine_spec(protocol: str, spec: str, game: Game, seed: int) -> str:
    command = f"{sys.executable} -m randori engine {protocol} --player {spec} --game {game.name} --seed {seed}"
    return f'{protocol}:command="{command}"'


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """A small program that stands for an engine; returns the command that starts it."""

    def write(text: str) -> str:
        path = tmp_path / f"engine{len(list(tmp_path.iterdir()))}.py"
        path.write_text("import sys\n" + text)
        return f"{sys.executable} {path}"

    return write


@pytest.mark.parametrize(("protocol", "name"), [("gtp", "othello4"), ("nboard", "othello4"), ("gomocup", "gomoku9")])
def test_engines_play_as_their_players_do_in_the_arena(protocol: str, name: str) -> None:
    game = randori.game(name)
    specs = ("heuristic", "random" if name == "gomoku9" else "greedy")
    here = [Seeded(player(it, game), game, seed, it) for it, seed in zip(specs, SEEDS, strict=True)]
    there = [player(engine_spec(protocol, it, game, seed), game) for it, seed in zip(specs, SEEDS, strict=True)]
    matches = []
    for first, second in (here, there):
        planned = duel(game, first, second, 20, seed=7, opening_plies=2)
        with Workers(1) as staff:
            matches.append(play_duels([planned], staff)[0])
    ours, theirs = matches
    assert ours.games is not None
    assert theirs.games is not None
    assert theirs.forfeits == ()
    np.testing.assert_array_equal(ours.games.actions, theirs.games.actions)
    assert ours.score == theirs.score
    assert ours.score.distinct_games > 10


# Answers as Edax does: a space before the id, errors with a wrong one, noise between; or as Egaroucid: upper case.
DIALECT = """
print("Egaroucid for Console 7.5.1", flush=True)
moves = []
LINES = {0: "F5", 2: "C3"}
for line in sys.stdin:
    words = line.split()
    if words[0] == "clear_board":
        moves = []
    if words[0] == "play":
        moves.append(words[2])
    if words[0] == "genmove":
        move = LINES.get(len(moves), "PASS")
        moves.append(move)
        print(f"= 5 {move}\\n", flush=True)
    elif words[0] == "quit":
        break
    else:
        print("=\\n", flush=True)
"""


def test_dialects_are_understood(script: Callable[[str], str]) -> None:
    game = randori.game("othello8")
    engine = player(f'gtp:command="{script(DIALECT)}",clock=true', game)
    assert isinstance(engine, FollowsGames)
    chance = np.random.default_rng(0)
    states = game.start(1)
    assert engine.choose(states, chance).actions.tolist() == [37]
    history = np.array([[37, 43]], np.int16)
    for action in history[0]:
        states = game.play(states, [action])
    assert engine.choose_after(history, states, chance).actions.tolist() == [18]
    with pytest.raises(UserError, match="whole games"):
        engine.choose(states, chance)


def test_nboard_answers_with_spaces_are_understood(script: Callable[[str], str]) -> None:
    command = script(
        """
for line in sys.stdin:
    words = line.split()
    if words[0] == "ping":
        print("pong", words[1], flush=True)
    if words[0] == "go":
        print("status Thinking")
        print("=== d3 -1.00 0.0", flush=True)
"""
    )
    game = randori.game("othello8")
    engine = player(f'nboard:command="{command}"', game)
    assert engine.choose(game.start(1), np.random.default_rng(0)).actions.tolist() == [19]


def test_a_brain_gets_the_board_and_the_time(script: Callable[[str], str], tmp_path: Path) -> None:
    log_file = tmp_path / "log.txt"
    command = script(
        f"""
log = open({str(log_file)!r}, "w")
for line in sys.stdin:
    print(line.strip(), file=log, flush=True)
    if line.startswith("START"):
        print("MESSAGE hello\\nok - ready", flush=True)
    elif line.startswith("RESTART"):
        print("UNKNOWN RESTART", flush=True)
    elif line.startswith(("BEGIN", "DONE")):
        print("DEBUG thinking\\n4,4", flush=True)
"""
    )
    game = randori.game("gomoku9")
    engine = player(f'gomocup:command="{command}",seconds=2', game)
    states = game.play(game.play(game.start(1), [0]), [10])
    both = np.concatenate([game.start(1), states])
    assert engine.choose(both, np.random.default_rng(0)).actions.tolist() == [40, 40]
    lines = log_file.read_text().split("\n")
    assert "INFO timeout_turn 2000" in lines
    assert lines[-5:-1] == ["BOARD", "0,0,1", "1,1,2", "DONE"]


LEGAL_THEN = """
count = 0
for line in sys.stdin:
    word = line.split()[0]
    if word == "genmove":
        count += 1
        if count == 2:
            {then}
        print("= d3\\n" if count == 1 else "= c5\\n", flush=True)
    else:
        print("=\\n", flush=True)
"""
FAILURES = {
    "dies": ("sys.exit('no more')", "ended (it said: no more)"),
    "hangs": ("import time; time.sleep(60)", "no answer in time"),
    "plays an illegal move": ("print('= a1\\n', flush=True); continue", "'a1', which is not legal"),
    "plays nonsense": ("print('= \\x00q99\\n', flush=True); continue", "not legal"),
    "resigns": ("print('= resign\\n', flush=True); continue", "resigned"),
    "refuses": ("print('? cannot\\n', flush=True); continue", "refused 'genmove"),
    "floods": ("[print('noise', flush=True) for _ in range(10**9)]", "no answer in time"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_an_engine_that_fails_loses_that_game(
    failure: str, script: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Talk, "GRACE_SECONDS", 0.2)
    then, reason = FAILURES[failure]
    game = randori.game("othello8")
    failing = player(f'gtp:command="{script(LEGAL_THEN.format(then=then))}",seconds=1.5', game)
    began = time.monotonic()
    games = play_games(game, failing, player("random", game), np.empty((1, 0), np.int16), np.random.default_rng(0))
    assert time.monotonic() - began < 10
    assert games.outcomes.tolist() == [-1]
    assert games.margins.tolist() == [-1]
    assert games.lengths.tolist() == [2]
    assert reason in games.forfeits[0].reason


def test_a_player_that_cannot_play_leaves_the_tournament(script: Callable[[str], str]) -> None:
    game = randori.game("othello4")
    command = script("sys.exit('no data file')")
    dying = player(f'gtp:command="{command}"', game)
    with Workers(1) as staff:
        tournament = play_tournament(game, [player("random", game), dying, player("greedy", game)], 6, workers=staff)
    assert tournament.complete
    assert tournament.score(dying.name, "random") is None
    assert 0 < (tournament.score("random", "greedy") or 0) < 1
    assert [it.name for it in tournament.ratings] == tournament.names
    assert set(tournament.names) == {"random", "greedy"}
    summary = tournament.summary()
    assert [it["games"] for it in summary["matches"]] == [6]
    assert summary["failures"][0]["player"] == dying.name
    assert "ended (it said: no data file) and never got ready to play" in summary["failures"][0]["reason"]


def test_forfeits_stay_with_their_games() -> None:
    game = randori.game("connect4")
    chance = np.random.default_rng(0)
    anyone = player("random", game)
    whole = play_games(game, anyone, anyone, np.empty((3, 0), np.int16), chance)
    broken = record(game, np.array([[3, 3], [2, -1]], np.int16), 0, (Forfeit(0, "a"), Forfeit(1, "b")))
    assert broken.outcomes.tolist() == [-1, 1]
    together = concatenate([whole, broken])
    assert together.forfeits == (Forfeit(3, "a"), Forfeit(4, "b"))
    assert together.take(slice(4, None)).forfeits == (Forfeit(0, "b"),)
    assert together.take(np.array([0, 3, 3])).forfeits == (Forfeit(1, "a"), Forfeit(2, "a"))


def test_wrong_commands_are_refused() -> None:
    othello, gomoku = randori.game("othello8"), randori.game("gomoku9")
    for spec, game, message in (
        ("gtp", othello, "command"),
        ("gtp:command=", othello, "command"),
        ("gtp:command=no-such-program -x", othello, "no program 'no-such-program'"),
        ('gtp:command="a,b', othello, "quotation mark"),
        (f"gtp:command={sys.executable},seconds=0", othello, "positive"),
        (f"gtp:command={sys.executable},coordinates=chess", othello, "board"),
        (f"nboard:command={sys.executable}", gomoku, "Othello"),
        (f"gomocup:command={sys.executable}", othello, "Gomoku"),
    ):
        with pytest.raises(UserError, match=message):
            player(spec, game)


def test_a_spec_with_commas_names_the_same_player_again() -> None:
    game = randori.game("othello8")
    spec = f'gtp:command="{sys.executable} -c a,b",seconds=5.0'
    assert player(spec, game).name == spec
    assert player(player(spec, game).name, game) == player(spec, game)
