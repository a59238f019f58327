"""GTP, the Go Text Protocol, version 2, as Othello programs speak it: the commands of Edax and Egaroucid, and GoGui's.

Moves are the game's own names, in Othello `a1` at the top left; Go's way, rows from the bottom and no column I, is an
option. Black is the side that begins.
"""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

from randori import games
from randori.core.game import Family, Game
from randori.core.game_so_far import GameSoFar
from randori.core.notation import board_text
from randori.engines.serving import Inbox
from randori.engines.thinking import Thinker, ThinkingFailed
from randori.errors import UserError
from randori.formats import parse_position, parse_sgf
from randori.formats.points import Coordinates, action_of_vertex, vertex
from randori.players import Player
from randori.reading import read_bytes

_COLOURS = {"black": True, "b": True, "white": False, "w": False}
# A game still has about so many moves of one side when its time is shared out.
_MOVES_TO_COME = 20
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class GtpError(Exception):
    """The command fails; the message is its answer."""


class GtpEngine:
    """One conversation. `make_player` is called again when the board's size or the game changes."""

    def __init__(
        self,
        game: Game,
        make_player: Callable[[Game], Player],
        inbox: Inbox,
        seed: int,
        coordinates: Coordinates = "board",
    ) -> None:
        self.over = False
        self._make_player, self._inbox, self._seed, self._coordinates = make_player, inbox, seed, coordinates
        self._main_seconds, self._byo_yomi_seconds, self._byo_yomi_stones = 0.0, 0.0, 0
        self._left: dict[bool, tuple[float, int]] = {}
        self._open(game)
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: f"Randori {self._thinker.player.name}",
            "version": lambda _: version("randori"),
            "known_command": lambda words: "true" if _word(words, 0) in self._commands else "false",
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": lambda words: _nothing(_number(words, 0)),
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "showboard": lambda _: "\n" + board_text(self.board.game, self.board.state, self._ply_parity()),
            "list_games": lambda _: "\n".join(_letters(it) for it in games.families().values()),
            "set_game": self._set_game,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "loadsgf": self._loadsgf,
            "final_score": lambda _: self._final_score(),
            "gogui-rules_game_id": lambda _: _letters(self.board.game.family),
            "gogui-rules_board": lambda _: "\n" + self._rows(),
            "gogui-rules_board_size": lambda _: str(self.board.game.shape[0]),
            "gogui-rules_legal_moves": lambda _: self._legal_moves(),
            "gogui-rules_side_to_move": lambda _: "black" if self.board.first_to_move else "white",
            "gogui-rules_final_result": lambda _: self._final_result(),
        }

    def _open(self, game: Game) -> None:
        self._thinker = Thinker(self._make_player(game), game, self._inbox, self._seed)
        self.board = GameSoFar(game)

    def answer(self, line: str) -> Iterator[str]:
        """An empty line, or one with nothing but a comment, has no answer."""
        number, words = _parsed(line)
        if not words:
            if number:
                yield f"?{number} unknown command\n"
            return
        try:
            if words[0] not in self._commands:
                raise GtpError("unknown command")
            text, mark = self._commands[words[0]](words[1:]), "="
        except (GtpError, ThinkingFailed, UserError) as error:
            text, mark = str(error), "?"
        # An empty line would end the answer.
        text = re.sub(r"\n\s*\n", "\n", text).rstrip()
        yield f"{mark}{number} {text}".rstrip() + "\n"

    def refuse(self, line: str, reason: str) -> str:
        return f"?{_parsed(line)[0]} {reason}\n"

    def _quit(self, _: list[str]) -> str:
        self.over = True
        return ""

    def _boardsize(self, words: list[str]) -> str:
        size = int(_number(words, 0))
        height = self.board.game.shape[0]
        game = self.board.game if size == height else games.family_board(self.board.game.family.name, size)
        if game is None:
            raise GtpError("unacceptable size")
        if game is not self.board.game:
            self._open(game)
        return self._clear_board([])

    def _clear_board(self, _: list[str]) -> str:
        self.board = GameSoFar(self.board.game)
        self._left = {}
        return ""

    def _turn(self, word: str) -> None:
        """Makes it the turn of a colour; where the other must pass, it does, as Edax has it."""
        if word.lower() not in _COLOURS:
            raise GtpError("invalid color")
        if _COLOURS[word.lower()] == self.board.first_to_move:
            return
        if not self.board.must_pass:
            raise GtpError("wrong color")
        self.board.pass_on()

    def _play(self, words: list[str]) -> str:
        board = self.board
        if _word(words, 1).lower() == "pass" and words[0].lower() in _COLOURS and board.is_over:
            # Go's controllers end a game with two passes, whatever the game, and so does `genmove`.
            return ""
        action = action_of_vertex(board.game, _word(words, 1), self._coordinates)
        if action is None:
            raise GtpError("invalid coordinate")
        before = len(board.history)
        self._turn(_word(words, 0))
        try:
            board.play(action)
        except ValueError:
            if len(board.history) > before:
                board.undo()
            raise GtpError("illegal move") from None
        return ""

    def _genmove(self, words: list[str]) -> str:
        if self.board.is_over:
            return "pass"
        self._turn(_word(words, 0))
        action = self._chosen()
        self.board.play(action)
        return vertex(self.board.game, action, self._coordinates)

    def _reg_genmove(self, words: list[str]) -> str:
        if self.board.is_over:
            return "pass"
        before = len(self.board.history)
        self._turn(_word(words, 0))
        try:
            return vertex(self.board.game, self._chosen(), self._coordinates)
        finally:
            while len(self.board.history) > before:
                self.board.undo()

    def _chosen(self) -> int:
        action = self._thinker.choose(self.board, self._seconds())
        assert action is not None  # nothing interrupts it
        return action

    def _seconds(self) -> float | None:
        """The time for the next move, by the clock of the side to move; None: as long as it takes."""
        if self._main_seconds == 0 and self._byo_yomi_seconds == 0:
            return None
        main, stones = self._left.get(self.board.first_to_move, (self._main_seconds, 0))
        if stones:
            return max(0.0, main) / stones
        period = self._byo_yomi_seconds / max(1, self._byo_yomi_stones)
        return max(max(0.0, main) / _MOVES_TO_COME, period)

    def _undo(self, _: list[str]) -> str:
        if not self.board.history:
            raise GtpError("cannot undo")
        self.board.undo()
        return ""

    def _set_game(self, words: list[str]) -> str:
        wanted = re.sub(r"[^a-z]", "", "".join(words).lower())
        known = {word: it for it in games.families().values() for word in (_letters(it).lower(), *it.aliases)}
        if wanted not in known:
            raise GtpError("unsupported game")
        if self.board.game.family.name != known[wanted].name:
            self._open(games.game(known[wanted].usual))
        return ""

    def _time_settings(self, words: list[str]) -> str:
        main, byo_yomi, stones = (_number(words, place) for place in range(3))
        if main < 0 or byo_yomi < 0 or stones < 0:
            raise GtpError("syntax error")
        # Without stones in it, a period of extra time means no limit at all.
        if stones == 0 and byo_yomi > 0:
            main = byo_yomi = 0.0
        self._main_seconds, self._byo_yomi_seconds, self._byo_yomi_stones = main, byo_yomi, int(stones)
        self._left = {}
        return ""

    def _time_left(self, words: list[str]) -> str:
        if _word(words, 0).lower() not in _COLOURS:
            raise GtpError("invalid color")
        seconds, stones = _number(words, 1), int(_number(words, 2))
        self._left[_COLOURS[words[0].lower()]] = seconds, max(0, stones)
        return ""

    def _loadsgf(self, words: list[str]) -> str:
        """The main line of the file's first game, up to but without the move of this number where one is given."""
        before = max(0, int(_number(words, 1)) - 1) if len(words) > 1 else None
        try:
            text = read_bytes(Path(_word(words, 0))).decode("utf-8", "replace")
            record = parse_sgf(self.board.game, text)[0]
        except (OSError, ValueError, IndexError):
            raise GtpError("cannot load file") from None
        if record.start is None:
            board = GameSoFar(self.board.game)
        else:
            board = GameSoFar(self.board.game, *parse_position(self.board.game, record.start))
        try:
            for action in record.actions[:before]:
                board.play(action)
        except ValueError:
            raise GtpError("cannot load file") from None
        self.board = board
        return ""

    def _ply_parity(self) -> int:
        return 0 if self.board.first_to_move else 1

    def _margin(self) -> int:
        """For Black; empty squares count for nobody."""
        margin = int(self.board.game.margin(self.board.state)[0])
        return margin if self.board.first_to_move else -margin

    def _final_score(self) -> str:
        if not self.board.is_over:
            raise GtpError("cannot score")
        margin = self._margin()
        return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin)}"

    def _final_result(self) -> str:
        if not self.board.is_over:
            raise GtpError("the game is not over")
        margin = self._margin()
        if margin == 0:
            return "Draw"
        counts = self.board.game.counts
        by = "" if counts is None else f" by {abs(margin)} {counts}"
        return f"{'Black' if margin > 0 else 'White'} wins{by}"

    def _rows(self) -> str:
        mine, theirs = ("X", "O") if self.board.first_to_move else ("O", "X")
        letters = {1: mine, -1: theirs, 0: "."}
        cells = self.board.game.cells(self.board.state)[0]
        return "\n".join(" ".join(letters[int(cell)] for cell in row) for row in cells)

    def _legal_moves(self) -> str:
        return " ".join(
            vertex(self.board.game, action, self._coordinates)
            for action, legal in enumerate(self.board.legal.tolist())
            if legal
        )


def _parsed(line: str) -> tuple[str, list[str]]:
    """The id of a command, if it has one, and its words."""
    words = _CONTROL.sub("", line).replace("\t", " ").partition("#")[0].split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return number, words


def _word(words: list[str], place: int) -> str:
    if place >= len(words):
        raise GtpError("syntax error")
    return words[place]


def _number(words: list[str], place: int) -> float:
    try:
        number = float(_word(words, place))
    except ValueError:
        raise GtpError("syntax error") from None
    if not abs(number) < 1e9:  # nor nan
        raise GtpError("syntax error")
    return number


def _letters(family: Family) -> str:
    """A title as one word."""
    return re.sub(r"[^A-Za-z]", "", family.title)


def _nothing(_: float) -> str:
    return ""
