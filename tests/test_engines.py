"""Our players as engines: conversations line by line, noise, clocks, interrupts, the end of the input."""

import io
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import randori
from randori.core.game import Game, States
from randori.core.notation import parse_transcript
from randori.engines import Engine, GomocupEngine, GtpEngine, Inbox, NboardEngine, serve
from randori.engines.serving import LONGEST_LINE
from randori.errors import UserError
from randori.players import Choice, Player

START_GGF = "(;GM[Othello]PC[NBoard]PB[chris]PW[Human]RE[?]TI[5:00]TY[8]BO[8 {} *];)".format(
    "-" * 27 + "O*------*O" + "-" * 27
)


@dataclass(frozen=True)
class Lowest:
    """The first legal action; `simulations` of a hundredth of a second each, if any."""

    game: Game
    simulations: int = 0
    name = "lowest"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        time.sleep(0.01 * self.simulations)
        return Choice(self.game.legal(states).argmax(axis=1).astype(np.int16))


@dataclass(frozen=True)
class Slow:
    """Thinks longer than any time limit, except about the first two positions."""

    game: Game
    name = "slow"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        stones = int((self.game.cells(states) != 0).sum())
        time.sleep(0 if stones - (4 if self.game.layout.passes else 0) < 2 else 30)
        return Choice(self.game.legal(states).argmax(axis=1).astype(np.int16))


@dataclass(frozen=True)
class Broken:
    game: Game
    name = "broken"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        raise RuntimeError("out of order")


def gtp(game: str = "othello8", player: Callable[[Game], Player] = Lowest, **options: object) -> GtpEngine:
    return GtpEngine(randori.game(game), player, Inbox(), 0, **options)  # type: ignore[arg-type]


def nboard(player: Callable[[Game], Player] = Lowest) -> NboardEngine:
    return NboardEngine(randori.game("othello8"), player, Inbox(), 0)


def gomocup(game: str = "gomoku15", player: Callable[[Game], Player] = Lowest) -> GomocupEngine:
    return GomocupEngine(randori.game(game), player, Inbox(), 0)


ENGINES: dict[str, Callable[[], Engine]] = {"gtp": gtp, "nboard": nboard, "gomocup": gomocup}


def say(engine: Engine, *lines: str) -> list[str]:
    return [text for line in lines for text in engine.answer(line)]


def assert_conversation(engine: Engine, text: str) -> None:
    """Sends each `> line` and expects the lines up to the next one as the answer."""
    for part in re.split(r"^\s*> ?", text, flags=re.MULTILINE)[1:]:
        line, _, expected = part.partition("\n")
        answer = "\n".join(engine.answer(line))
        assert answer.split() == expected.split(), line


def test_gtp_as_in_its_specification() -> None:
    # The conversation in the specification of version 2, on one of our boards.
    assert_conversation(
        gtp("gomoku9", coordinates="go"),
        """
        > 1 boardsize 9
        =1
        > 2 clear_board
        =2
        > 3 play black D5
        =3
        > 4 genmove white
        =4 a9
        > 5 play black A9
        ?5 illegal move
        > 6 play black E3
        =6
        > 7 frobnicate
        ?7 unknown command
        > # a comment
        >
        > 8 play black J9 # nine columns, and none is called I
        ?8 wrong color
        > play white j9
        =
        > play b i1
        ? invalid coordinate
        > 9\tquit
        =9
        """,
    )


def test_gtp_answers_end_with_two_line_ends() -> None:
    assert say(gtp(), "7 protocol_version") == ["=7 2\n"]
    assert say(gtp(), "name") == ["= Randori lowest\n"]
    assert say(gtp(), "play b a1") == ["? illegal move\n"]
    assert say(gtp(), "komi 6.5", "12", "# nothing", "") == ["=\n", "?12 unknown command\n"]


def test_gtp_speaks_the_othello_dialect() -> None:
    # With rows counted from below, f5 would be illegal at the beginning.
    assert_conversation(
        gtp(),
        """
        > set_game Othello
        =
        > boardsize 8
        =
        > clear_board
        =
        > play b f5
        =
        > PLAY b f5
        ? unknown command
        > play white f6
        =
        > play W c5
        ? wrong color
        > play purple e6
        ? invalid color
        > play b
        ? syntax error
        > reg_genmove b
        = d3
        > genmove BLACK
        = d3
        > undo
        =
        > gogui-rules_side_to_move
        = black
        > gogui-rules_legal_moves
        = f4 c5 e6 f7 d7
        > gogui-rules_board_size
        = 8
        > gogui-rules_game_id
        = Othello
        > known_command genmove
        = true
        > known_command frobnicate
        = false
        > final_score
        ? cannot score
        > boardsize 7
        ? unacceptable size
        > boardsize 6
        =
        > gogui-rules_board
        =
        . . . . . .
        . . . . . .
        . . O X . .
        . . X O . .
        . . . . . .
        . . . . . .
        > undo
        ? cannot undo
        > time_settings 60 0 0
        =
        > time_left black 50 0
        =
        > time_left 5
        ? invalid color
        """.replace("= f4 c5 e6 f7 d7", "= " + legal_moves("f5f6")),
    )
    known = say(gtp(), "list_commands")[0].split()
    edax = "time_settings time_left set_game loadsgf showboard reg_genmove list_games"
    egaroucid = "final_score gogui-rules_game_id gogui-rules_board gogui-rules_final_result komi undo quit"
    assert set(f"{edax} {egaroucid}".split()) <= set(known)


def legal_moves(transcript: str) -> str:
    game = randori.game("othello8")
    state = game.start(1)
    for action in parse_transcript(game, transcript):
        state = game.play(state, [action])
    return " ".join(name for name, legal in zip(game.move_names, game.legal(state)[0], strict=True) if legal)


def test_gtp_inserts_the_pass_of_the_other_side() -> None:
    game = randori.game("othello4")
    engine = gtp("othello4")
    line = next(it for it in random_lines(game) if game.n_actions - 1 in it)
    place = line.index(game.n_actions - 1)
    colours = ["black", "white"]
    for ply, action in enumerate(line[:place]):
        assert say(engine, f"play {colours[ply % 2]} {game.move_names[action]}") == ["=\n"]
    after = say(engine, f"play {colours[(place + 1) % 2]} {game.move_names[line[place + 1]]}")
    assert after == ["=\n"]
    assert engine.board.history == line[: place + 2]


def random_lines(game: Game) -> Iterator[list[int]]:
    from randori.arena import play_games

    anyone = randori.player("random", game)
    games = play_games(game, anyone, anyone, np.empty((200, 0), np.int16), np.random.default_rng(0))
    for actions in games.actions:
        yield [int(action) for action in actions if action >= 0]


def test_gtp_at_the_end_of_a_game() -> None:
    engine = gtp("othello4")
    for _ in range(40):
        assert say(engine, "genmove b", "genmove w")
        if engine.board.is_over:
            break
    assert engine.board.is_over
    assert say(engine, "genmove b", "play w pass") == ["= pass\n", "=\n"]
    assert re.fullmatch(r"= ([BW]\+\d+|0)\n", say(engine, "final_score")[0])
    assert "by" in say(engine, "gogui-rules_final_result")[0] or "Draw" in say(engine, "gogui-rules_final_result")[0]


def test_gtp_loads_sgf(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;FF[4]GM[2]SZ[8];B[fe];W[ff];B[ef])")
    engine = gtp()
    assert say(engine, f"loadsgf {tmp_path}/game.sgf 3", "gogui-rules_side_to_move") == ["=\n", "= black\n"]
    assert len(engine.board.history) == 2
    assert say(engine, f"loadsgf {tmp_path}/none.sgf", "loadsgf") == ["? cannot load file\n", "? syntax error\n"]


def test_gtp_plays_every_game() -> None:
    for name, expected in (("connect4", "= 1\n"), ("tictactoe", "= a1\n"), ("gomoku9", "= a9\n")):
        engine = gtp(name)
        assert say(engine, "genmove b") == [expected]
        board = say(engine, "showboard")[0]
        assert board.count("X") == 1
    assert say(gtp("connect4"), "set_game Othello", "genmove b") == ["=\n", "= d3\n"]
    assert say(gtp("connect4"), "set_game Chess", "boardsize 3") == ["? unsupported game\n", "? unacceptable size\n"]


def test_nboard_as_in_its_description() -> None:
    engine = nboard()
    assert_conversation(
        engine,
        f"""
        > nboard 2
        set myname Randori lowest
        > set depth 12
        set myname Randori lowest
        > set contempt 3
        > set game {START_GGF}
        > ping 1
        pong 1
        > move F5/1.5/2.3
        > learn
        learned
        > some new command
        """,
    )
    moved = say(engine, "go")
    assert moved[0] == "status Thinking"
    assert re.fullmatch(r"=== F4//\d+\.\d\d|=== D6//\d+\.\d\d|=== F6//\d+\.\d\d", moved[-1])
    # `go` leaves the board to the other program.
    assert len(engine.board.history) == 1
    say(engine, "f6", "depth 5")
    assert len(engine.board.history) == 2
    hints = [line for line in say(engine, "hint 2") if line.startswith("search")]
    assert len(hints) == 2
    assert all(re.fullmatch(r"search [A-H][1-8] -?\d+\.\d\d 0 1 .*", line) for line in hints)
    assert [line.split()[1] for line in say(engine, "analyze")] == ["2", "1", "0"]
    assert say(engine, "move a1")[0].startswith("status A1")
    assert say(engine, "set game (;GM[Othello]BO[9 -];)")[0].startswith("status There is no Othello board")
    say(engine, "quit")
    assert engine.over


def test_nboard_takes_games_with_moves_and_passes() -> None:
    engine = nboard()
    say(engine, "set game " + START_GGF.replace(";)", "B[F5//2.5]W[D6/0.1]B[C3];)"))
    assert engine.board.history == parse_transcript(randori.game("othello8"), "f5d6c3").tolist()
    # White has no disc that could turn one: its move is the pass.
    corner = "*O" + "-" * 62
    say(engine, f"set game (;GM[Othello]TY[8]BO[8 {corner} O];)")
    assert say(engine, "go")[-1] == "=== PA"
    say(engine, "move PA")
    assert say(engine, "go")[-1].startswith("=== C1")


def test_gomocup_as_in_its_description() -> None:
    assert_conversation(
        gomocup(),
        """
        > START 15
        OK
        > BEGIN
        0,0
        > TURN 1,2
        1,0
        > INFO timeout_turn 5000
        > INFO folder C:\\brains
        > INFO evaluate 3,4
        > RESTART
        OK
        > BOARD
        > 10,10,1
        > 10,11,2
        > 11,11,1
        > 9,10,2
        > DONE
        0,0
        > TAKEBACK 0,0
        OK
        > TAKEBACK 10,10
        OK
        > TAKEBACK 10,10
        ERROR there is no stone on 10,10
        > RECTSTART 9,9
        OK
        > rectstart 9,8
        ERROR only square boards are supported
        > START 5
        ERROR size 5 is not supported; there are SIZES
        > START 15
        OK
        > TURN 7,7
        0,0
        > TURN 0,0
        ERROR 0,0 is not empty
        > TURN 15,0
        ERROR '15,0' is not a square of the board
        > PLAY 3,3
        3,3
        > YXSHOWINFO
        UNKNOWN YXSHOWINFO
        """.replace("SIZES", ", ".join(it[6:] for it in randori.games.names() if it.startswith("gomoku"))),
    )
    assert re.match(r'name="Randori lowest", version="[^"]+", author="[^"]+"$', say(gomocup(), "ABOUT")[0])
    assert say(gomocup(), "BEGIN") == ["ERROR send START first"]
    assert say(gomocup(), "INFO rule 1") == [
        "MESSAGE exactly five in a row is not supported: five or more in a row win here"
    ]
    engine = gomocup()
    assert say(engine, "END") == []
    assert engine.over


def test_gomocup_swap2() -> None:
    engine = gomocup()
    opening = say(engine, "START 15", "SWAP2BOARD", "DONE")[1]
    stones = opening.split()
    assert len(set(stones)) == 3
    answer = say(engine, "SWAP2BOARD", *stones, "DONE")
    assert answer[0] == "SWAP" or re.fullmatch(r"\d+,\d+", answer[0])
    # Black has four in a row and nobody stops it: White is the worse side.
    assert say(engine, "SWAP2BOARD", "3,7", "0,0", "4,7", "0,14", "5,7", "DONE") == ["SWAP"]
    assert say(engine, "SWAP2BOARD", "1,1", "DONE")[0].startswith("ERROR")


def test_the_same_seed_and_position_give_the_same_move() -> None:
    game = randori.game("othello8")
    moves = {
        GtpEngine(game, lambda it: randori.player("random", it), Inbox(), 5).answer("genmove b").__next__()
        for _ in range(5)
    }
    assert len(moves) == 1
    others = {
        GtpEngine(game, lambda it: randori.player("random", it), Inbox(), it).answer("genmove b").__next__()
        for it in range(30)
    }
    assert len(others) == 4


def test_an_engine_answers_for_a_player_that_fails() -> None:
    assert say(gtp(player=Broken), "3 genmove b", "4 name") == ["?3 out of order\n", "=4 Randori broken\n"]
    assert say(nboard(Broken), "go", "ping 3")[-2:] == ["status out of order", "pong 3"]
    assert say(gomocup(player=Broken), "START 15", "BEGIN", "START 15") == ["OK", "ERROR out of order", "OK"]


def test_engines_refuse_other_games() -> None:
    with pytest.raises(UserError, match="Othello"):
        NboardEngine(randori.game("gomoku9"), Lowest, Inbox(), 0)
    with pytest.raises(UserError, match="Gomoku"):
        GomocupEngine(randori.game("othello8"), Lowest, Inbox(), 0)


SESSIONS = {
    "gtp": "1 protocol_version\nboardsize 8\nclear_board\nplay b f5\ngenmove w\nundo\nshowboard\nquit\n",
    "nboard": f"nboard 2\nset depth 8\nset game {START_GGF}\nping 1\nhint 2\ngo\nmove F5\nping 2\nlearn\nquit\n",
    "gomocup": "ABOUT\nSTART 15\nINFO timeout_turn 1000\nBEGIN\nTURN 3,3\nRESTART\nBOARD\n5,5,1\n6,6,2\nDONE\nEND\n",
}


@pytest.mark.parametrize("protocol", ENGINES)
def test_an_engine_still_answers_after_any_prefix_of_a_session(protocol: str) -> None:
    session = SESSIONS[protocol]
    question = {"gtp": "9 protocol_version", "nboard": "ping 9", "gomocup": "START 15"}[protocol]
    expected = {"gtp": "=9 2\n", "nboard": "pong 9", "gomocup": "OK"}[protocol]
    for length in range(len(session)):
        engine = ENGINES[protocol]()
        say(engine, *session[:length].split("\n"))
        assert say(engine, question)[-1] == expected


COMMANDS = [
    *("play b", "genmove w", "loadsgf", "time_settings", "time_left b", "boardsize", "undo"),
    *("set game (;", "hint", "move", "go", "analyze"),
    *("START", "BOARD", "TURN", "INFO", "DONE", "SWAP2BOARD", "TAKEBACK", "1,1,1", "7,7"),
]


@pytest.mark.parametrize("protocol", ENGINES)
@given(
    st.lists(
        st.binary(max_size=30).map(lambda it: it.decode("utf-8", "replace"))
        | st.tuples(st.sampled_from(COMMANDS), st.text(max_size=12)).map(" ".join)
        | st.tuples(st.sampled_from(COMMANDS), st.integers().map(str)).map(" ".join),
        max_size=8,
    )
)
def test_noise_never_ends_an_engine(protocol: str, lines: list[str]) -> None:
    engine = ENGINES[protocol]()
    for line in lines:
        for text in engine.answer(line):
            if protocol == "gtp":
                assert re.match(r"[=?]\d*( |\n)", text)
                assert "\n\n" not in text
            else:
                assert "\n" not in text


def test_time_limits_are_kept_with_fewer_simulations() -> None:
    player = Lowest(randori.game("othello8"), 50)
    engine = gtp(player=lambda game: Lowest(game, player.simulations))
    say(engine, "reg_genmove b", "time_settings 0 1 5")
    began = time.monotonic()
    assert say(engine, "genmove b") == ["= d3\n"]
    assert time.monotonic() - began < 0.25


@pytest.mark.parametrize("protocol", ["gtp", "gomocup"])
def test_an_engine_answers_in_time_for_a_slow_player(protocol: str) -> None:
    engine = gtp(player=Slow) if protocol == "gtp" else gomocup(player=Slow)
    if protocol == "gtp":
        say(engine, "genmove b", "genmove w", "time_settings 10 0 0")
        question = "genmove b"
    else:
        say(engine, "START 15", "INFO timeout_turn 400", "INFO timeout_match 20000", "INFO time_left 15000")
        say(engine, "BEGIN")
        question = "TURN 9,9"
    began = time.monotonic()
    answer = say(engine, question)
    assert 0.1 < time.monotonic() - began < 0.8
    assert re.fullmatch(r"= [a-h][1-8]\n|\d+,\d+", answer[0])


def test_a_ping_interrupts_thought() -> None:
    inbox = Inbox()
    engine = NboardEngine(randori.game("othello8"), Slow, inbox, 0)
    say(engine, "move f5", "move f6")
    answers = engine.answer("go")
    assert next(answers) == "status Thinking"
    inbox.put("ping 4")
    began = time.monotonic()
    assert list(answers) == []
    assert time.monotonic() - began < 0.5
    assert say(engine, next(inbox.lines()).text) == ["pong 4"]


def served(engine: Engine, inbox: Inbox, data: bytes) -> bytes:
    out = io.BytesIO()
    inbox.listen(io.BytesIO(data))
    serve(engine, inbox, out)
    return out.getvalue()


@pytest.mark.parametrize("protocol", ENGINES)
@given(st.binary(max_size=200))
def test_bytes_never_end_an_engine(protocol: str, data: bytes) -> None:
    inbox = Inbox()
    make = {"gtp": GtpEngine, "nboard": NboardEngine, "gomocup": GomocupEngine}[protocol]
    engine = make(randori.game("gomoku9" if protocol == "gomocup" else "othello8"), Lowest, inbox, 0)
    last = {"gtp": b"name", "nboard": b"ping 77", "gomocup": b"ABOUT"}[protocol]
    assert b"Randori" in served(engine, inbox, data + b"\r\n" + last) or protocol == "nboard"


@dataclass(frozen=True)
class Deliberate(Lowest):
    """Takes longer than an engine may wait after the end of its input."""

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        time.sleep(0.3)
        return super().choose(states, rng)


def test_everything_before_the_end_of_the_input_is_answered() -> None:
    inbox = Inbox()
    engine = GtpEngine(randori.game("othello8"), Deliberate, inbox, 0)
    output = served(engine, inbox, b"genmove b\ngenmove w\ngenmove b\ngenmove w\n7 name")
    assert output.count(b"= ") == 4
    assert output.endswith(b"=7 Randori lowest\n\n")


@pytest.mark.parametrize(
    ("protocol", "refused", "last"),
    [
        ("gtp", rb"\?5 [^\n]*65,536[^\n]*\n\n=6 2\n\n", b"6 protocol_version"),
        ("nboard", rb"status [^\n]*65,536[^\n]*\npong 6\n", b"ping 6"),
        ("gomocup", rb"ERROR [^\n]*65,536[^\n]*\nOK\n", b"START 15"),
    ],
)
def test_a_line_that_is_too_long_is_one_error(protocol: str, refused: bytes, last: bytes) -> None:
    inbox = Inbox()
    make = {"gtp": GtpEngine, "nboard": NboardEngine, "gomocup": GomocupEngine}[protocol]
    engine = make(randori.game("gomoku15" if protocol == "gomocup" else "othello8"), Lowest, inbox, 0)
    line = b"5 play b f5 " + b" quit END ping 5 " * 20_000
    assert re.fullmatch(refused, served(engine, inbox, line + b"\r\n" + last))


def test_the_limit_on_the_length_of_lines_is_exact() -> None:
    for length in range(LONGEST_LINE - 3, LONGEST_LINE + 3):
        for end in (b"\n", b""):
            inbox = Inbox()
            inbox.listen(io.BytesIO(b"first\n" + b"x" * length + end + (b"last" if end else b"")))
            lines = list(inbox.lines())
            assert lines[1].is_whole == (length + len(end) <= LONGEST_LINE if end else length < LONGEST_LINE)
            assert [it.text for it in lines[2:]] == (["last"] if end else [])


def test_engines_answer_while_their_player_gets_ready() -> None:
    ready = Event()

    @dataclass(frozen=True)
    class Unready(Lowest):
        def choose(self, states: States, rng: np.random.Generator) -> Choice:
            ready.wait(60)
            return super().choose(states, rng)

    brain, engine = gomocup(player=Unready), gtp(player=Unready)
    assert say(brain, "START 15", "INFO timeout_turn 500") == ["OK"]
    assert say(engine, "protocol_version", "boardsize 8", "clear_board") == ["= 2\n", "=\n", "=\n"]
    # Within its time, a simple rule answers for the player.
    assert re.fullmatch(r"\d+,\d+", say(brain, "BEGIN")[0])
    ready.set()
    assert say(engine, "genmove b") == ["= d3\n"]


def test_gomoku_takes_the_pass_that_it_answers_after_the_end() -> None:
    engine = gtp("gomoku9")
    for column in "abcde":
        say(engine, f"play b {column}1", f"play w {column}2")
    assert engine.board.is_over
    assert say(engine, "genmove w", "play w pass", "play b PASS") == ["= pass\n", "=\n", "=\n"]
    assert say(engine, "play w f1", "play purple pass") == ["? illegal move\n", "? invalid coordinate\n"]
    assert say(gtp("gomoku9"), "play b pass") == ["? invalid coordinate\n"]


@contextmanager
def started(protocol: str, game: str, player: str, question: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """The command as other programs start it, once it has answered."""
    command = [sys.executable, "-m", "randori", "engine", protocol, "--player", player, "--game", game]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(question)
    process.stdin.flush()
    assert process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("protocol", "game", "question", "unfinished"),
    [
        ("gtp", "othello8", b"name\n", b"genmo"),
        ("nboard", "othello8", b"nboard 2\n", b"\xff\xfe go\nhi"),
        ("gomocup", "gomoku15", b"START 15\r\n", b"BOARD\n1,1"),
    ],
)
def test_the_end_of_the_input_ends_the_program(protocol: str, game: str, question: bytes, unfinished: bytes) -> None:
    with started(protocol, game, "heuristic", question) as process:
        began = time.monotonic()
        process.communicate(unfinished, timeout=20)
        assert process.returncode == 0
        assert time.monotonic() - began < 1


def test_a_closed_output_ends_the_program_while_it_thinks() -> None:
    with started("gtp", "othello8", "uct:simulations=600000", b"name\n") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"genmove b\n")
        process.stdin.flush()
        process.stdout.close()
        assert process.wait(20) == 0
