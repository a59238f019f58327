"""The protocol of the Gomocup between a manager such as Piskvork and a brain (text of 2022-12-20), for Gomoku.

Coordinates are `x,y`, column and row, from 0 at the top left.
"""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import version

import numpy as np

from randori import games
from randori.core.game import Game
from randori.core.game_so_far import GameSoFar
from randori.engines.serving import Inbox
from randori.engines.thinking import Thinker, ThinkingFailed
from randori.errors import UserError
from randori.formats.points import action_at
from randori.players import Player
from randori.search.evaluators import Rollouts

_POINT = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*")
_STONE = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d)\s*")
_RULES = {1: "exactly five in a row", 2: "a continuous game", 4: "renju", 8: "caro"}
# A game still has about so many moves of one side when the time of the match is shared out.
_MOVES_TO_COME = 20
# "As fast as possible" is written as no time at all.
_SHORTEST_SECONDS = 0.1
_ROLLOUTS = 500
# Around the centre, as (right, down): two stones of Black and one of White between them, nearly balanced.
_SWAP2_STONES = ((0, 0), (1, 0), (2, 2))


class GomocupError(Exception):
    """The command cannot be carried out; the message follows ERROR."""


class GomocupEngine:
    """One conversation. `make_player` is called again when the board's size changes."""

    def __init__(self, game: Game, make_player: Callable[[Game], Player], inbox: Inbox, seed: int) -> None:
        if "gomocup" not in game.knowledge.protocols:
            raise UserError(f"The protocol of the Gomocup is for Gomoku, not {game.title}; use 'gtp'.")
        self.over = False
        self._make_player, self._inbox, self._seed = make_player, inbox, seed
        self._thinker = Thinker(make_player(game), game, inbox, seed)
        self._game = game
        self.board: GameSoFar | None = None
        self._turn_seconds: float | None = None
        self._match_seconds: float | None = None
        self._left_seconds: float | None = None
        self._collecting: tuple[str, list[str]] | None = None
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "START": self._start,
            "RECTSTART": self._rectstart,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "PLAY": self._play,
            "TAKEBACK": self._takeback,
            "BOARD": lambda _: self._collect("BOARD"),
            "SWAP2BOARD": lambda _: self._collect("SWAP2BOARD"),
            "INFO": self._info,
            "ABOUT": self._about,
            "END": self._end,
        }

    def answer(self, line: str) -> Iterator[str]:
        words = line.split(maxsplit=1)
        if not words:
            return
        command, rest = words[0].upper(), words[1].strip() if len(words) > 1 else ""
        try:
            if self._collecting is not None and command not in self._commands:
                yield from self._collected(line)
            elif command in self._commands:
                self._collecting = None
                yield from self._commands[command](rest)
            else:
                yield f"UNKNOWN {_one_line(words[0])[:60]}"
        except (GomocupError, ThinkingFailed, UserError) as error:
            yield f"ERROR {_one_line(str(error))}"

    def refuse(self, line: str, reason: str) -> str:
        self._collecting = None  # a board without one of its lines would be another one
        return f"ERROR {reason}"

    def _start(self, text: str) -> Iterator[str]:
        if not (text.isascii() and text.isdigit()):
            raise GomocupError("the size of the board is missing")
        self._open(int(text))
        yield "OK"

    def _rectstart(self, text: str) -> Iterator[str]:
        sides = _POINT.fullmatch(text)
        if sides is None or sides[1] != sides[2]:
            raise GomocupError("only square boards are supported")
        self._open(int(sides[1]))
        yield "OK"

    def _open(self, size: int) -> None:
        game = games.family_board(self._game.family.name, size)
        if game is None:
            boards = (it for it in map(games.game, games.names()) if it.family == self._game.family)
            sizes = ", ".join(str(it.shape[0]) for it in boards)
            raise GomocupError(f"size {size} is not supported; there are {sizes}")
        if game is not self._game:
            self._thinker = Thinker(self._make_player(game), game, self._inbox, self._seed)
            self._game = game
        self.board = GameSoFar(game)

    def _restart(self, _: str) -> Iterator[str]:
        self.board = GameSoFar(self._started().game)
        yield "OK"

    def _started(self) -> GameSoFar:
        if self.board is None:
            raise GomocupError("send START first")
        return self.board

    def _begin(self, _: str) -> Iterator[str]:
        if self._started().history or not self._started().usual_start:
            raise GomocupError("the board is not empty")
        yield self._chosen()

    def _turn(self, text: str) -> Iterator[str]:
        self._place(text)
        yield self._chosen()

    def _play(self, text: str) -> Iterator[str]:
        """The manager's answer to a move that was only suggested; we suggest none, but take what it says."""
        self._place(text)
        yield _point(self._started(), self._started().history[-1])

    def _place(self, text: str) -> None:
        board = self._started()
        action = self._action(text)
        if not board.legal[action]:
            raise GomocupError(f"{text} is not empty" if not board.is_over else "the game is over")
        board.play(action)

    def _takeback(self, text: str) -> Iterator[str]:
        board = self._started()
        action = self._action(text)
        if board.history and board.history[-1] == action:
            board.undo()
        else:
            cells = board.game.cells(board.state)
            if cells[0].flat[action] == 0:
                raise GomocupError(f"there is no stone on {text}")
            cells[0].flat[action] = 0
            # With one stone fewer it is the other side's turn, unless that would have moved twice.
            ahead = int(cells.sum())
            turned = cells if ahead == -1 else -cells
            self.board = GameSoFar(board.game, board.game.from_cells(turned), np.count_nonzero(cells) % 2 == 0)
        yield "OK"

    def _action(self, text: str) -> int:
        point = _POINT.fullmatch(text)
        action = action_at(self._started().game, int(point[1]), int(point[2])) if point else None
        if action is None:
            raise GomocupError(f"'{text}' is not a square of the board")
        return action

    def _chosen(self) -> str:
        board = self._started()
        if board.is_over:
            raise GomocupError("the game is over")
        action = self._thinker.choose(board, self._seconds())
        assert action is not None  # nothing interrupts it
        board.play(action)
        return _point(board, action)

    def _seconds(self) -> float | None:
        """The time for the next move; None: as long as it takes."""
        limits = [] if self._turn_seconds is None else [self._turn_seconds]
        left = self._left_seconds if self._left_seconds is not None else self._match_seconds
        if self._match_seconds and left is not None:
            limits.append(left / _MOVES_TO_COME)
        return max(_SHORTEST_SECONDS, min(limits)) if limits else None

    def _collect(self, command: str) -> Iterator[str]:
        self._started()
        self._collecting = command, []
        yield from ()

    def _collected(self, line: str) -> Iterator[str]:
        assert self._collecting is not None
        command, lines = self._collecting
        if line.strip().upper() != "DONE":
            lines.append(line)
            return
        self._collecting = None
        if command == "BOARD":
            self._set_up(lines)
            yield self._chosen()
        else:
            yield self._swap2([self._action(it) for it in lines])

    def _set_up(self, lines: list[str]) -> None:
        """In the order given where that is a game, else as a position."""
        game = self._started().game
        stones = []
        for line in lines:
            found = _STONE.fullmatch(line)
            if found is None or found[3] not in "123":
                raise GomocupError(f"'{line}' is not a stone: write x,y and 1 for yours or 2 for mine")
            if found[3] != "3":
                stones.append((self._action(f"{found[1]},{found[2]}"), found[3] == "1"))
        if len({action for action, _ in stones}) != len(stones):
            raise GomocupError("two stones are on the same square")
        # The side to move is us: in playing order the last stone is the other's, the one before it ours, and so on.
        if all(ours == ((len(stones) - ply) % 2 == 0) for ply, (_, ours) in enumerate(stones)):
            board = GameSoFar(game)
            for action, _ in stones:
                if not board.legal[action]:
                    raise GomocupError("the game is over")
                board.play(action)
            self.board = board
            return
        cells = np.zeros((1, *game.shape), np.int8)
        for action, ours in stones:
            cells[0].flat[action] = 1 if ours else -1
        self.board = GameSoFar(game, game.from_cells(cells), len(stones) % 2 == 0)

    def _swap2(self, actions: list[int]) -> str:
        """Three stones to begin with; with three or five on the board, colours are swapped where the other's is better.

        The fourth and fifth stone are never both ours: taking the better colour needs no such offer.
        """
        game = self._started().game
        if len(actions) not in (0, 3, 5):
            raise GomocupError("SWAP2BOARD takes no stones, three or five")
        if not actions:
            centre = game.shape[0] // 2
            return " ".join(f"{centre + right},{centre + down}" for right, down in _SWAP2_STONES)
        board = GameSoFar(game)
        for action in actions:
            if not board.legal[action]:
                raise GomocupError("two stones are on the same square")
            board.play(action)
        # White is to move; who takes White is asked.
        value = Rollouts(game, _ROLLOUTS)(board.state, self._thinker.random(board)).values[0]
        if value < 0:
            return "SWAP"
        chosen = self._thinker.choose(board, self._seconds())
        assert chosen is not None  # nothing interrupts it
        return _point(board, chosen)

    def _info(self, text: str) -> Iterator[str]:
        key, _, value = text.partition(" ")
        if not re.fullmatch(r"-?\d{1,18}", value.strip()):
            return
        number = int(value)
        if key.lower() == "timeout_turn":
            self._turn_seconds = max(0, number) / 1000
        elif key.lower() == "timeout_match":
            self._match_seconds = number / 1000 if number > 0 else None
        elif key.lower() == "time_left":
            self._left_seconds = max(0, number) / 1000
        elif key.lower() == "rule":
            unknown = [name for bit, name in _RULES.items() if number & bit]
            if unknown:
                yield f"MESSAGE {' and '.join(unknown)} is not supported: five or more in a row win here"

    def _about(self, _: str) -> Iterator[str]:
        name = "Randori " + self._thinker.player.name.replace('"', "'")
        yield f'name="{name}", version="{version("randori")}", author="The Randori authors"'

    def _end(self, _: str) -> Iterator[str]:
        self.over = True
        yield from ()


def _point(board: GameSoFar, action: int) -> str:
    row, column = divmod(action, board.game.shape[1])
    return f"{column},{row}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
