"""NBoard's protocol, version 2, for Othello. `go` leaves the board as it is; a ping ends all thought."""

import re
import time
from collections.abc import Callable, Iterator

import numpy as np

from randori import games
from randori.core.game import Floats, Game, States
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of
from randori.engines.serving import Inbox
from randori.engines.thinking import Thinker, ThinkingFailed
from randori.errors import UserError
from randori.formats import parse_ggf, parse_position
from randori.formats.ggf import ggf_move
from randori.players import Player

# Random games per position for the values in hints; they are rough, and say so.
_ROLLOUTS = 200
_SIZE = re.compile(r"BO\s*\[\s*(\d+)")


class NboardEngine:
    """One conversation. Lines that are not understood are passed over, as the protocol asks."""

    def __init__(self, game: Game, make_player: Callable[[Game], Player], inbox: Inbox, seed: int) -> None:
        if "nboard" not in game.knowledge.protocols:
            raise UserError(f"NBoard's protocol is for Othello, not {game.title}; use 'gtp' or 'gomocup'.")
        self.over = False
        self._make_player, self._inbox, self._seed = make_player, inbox, seed
        self._open(game)
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "nboard": lambda _: iter([f"set myname {self._name()}"]),
            "set": self._set,
            "move": self._move,
            "hint": self._hint,
            "go": self._go,
            "ping": lambda text: iter([f"pong {text}".rstrip()]),
            "learn": lambda _: iter(["learned"]),
            "analyze": self._analyze,
            "quit": self._quit,
        }

    def _open(self, game: Game) -> None:
        self._thinker = Thinker(self._make_player(game), game, self._inbox, self._seed)
        self.board = GameSoFar(game)

    def _name(self) -> str:
        return f"Randori {self._thinker.player.name}"

    def answer(self, line: str) -> Iterator[str]:
        words = line.split(maxsplit=1)
        if not words:
            return
        command, rest = words[0], words[1].strip() if len(words) > 1 else ""
        # The first version of the protocol sent a move bare, and some leave out `set`.
        if action_of(self.board.game, command.partition("/")[0]) is not None:
            command, rest = "move", line.strip()
        elif command in ("depth", "game", "contempt"):
            command, rest = "set", line.strip()
        if command not in self._commands:
            return
        try:
            yield from self._commands[command](rest)
        except (ThinkingFailed, UserError) as error:
            yield f"status {_one_line(str(error))}"

    def refuse(self, line: str, reason: str) -> str:
        return f"status {reason}"

    def _set(self, text: str) -> Iterator[str]:
        key, _, value = text.partition(" ")
        if key == "game":
            self._set_game(value)
        elif key == "depth":
            # Our players have a strength of their own; the depth is taken note of by the name, as Ntest does.
            yield f"set myname {self._name()}"

    def _set_game(self, text: str) -> None:
        size = _SIZE.search(text)
        game = games.family_board(self.board.game.family.name, int(size[1])) if size else self.board.game
        if game is None:
            raise UserError(
                f"There is no {self.board.game.family.title} board of size {size[1] if size else '?'} here."
            )
        found = parse_ggf(game, text)
        if len(found) != 1:
            raise UserError("Give one game in GGF.")
        record = found[0]
        board = GameSoFar(game) if record.start is None else GameSoFar(game, *parse_position(game, record.start))
        for action in record.actions:
            if not board.legal[action] and board.must_pass:
                board.pass_on()
            _play(board, action)
        if game is not self.board.game:
            self._open(game)
        self.board = board

    def _move(self, text: str) -> Iterator[str]:
        action = action_of(self.board.game, re.split(r"[/\s]", text)[0])
        if action is None:
            raise UserError(f"'{text}' is not a move.")
        _play(self.board, action)
        yield from ()

    def _go(self, _: str) -> Iterator[str]:
        if self.board.is_over:
            yield "status The game is over"
            return
        yield "status Thinking"
        began = time.monotonic()
        action = self._thinker.choose(self.board, interrupt="ping")
        if action is None:
            return
        yield "status"
        seconds = time.monotonic() - began
        forced = self.board.must_pass
        # NBoard takes no evaluation after a pass.
        yield f"=== {ggf_move(self.board.game, action)}" + ("" if forced else f"//{seconds:.2f}")

    def _hint(self, text: str) -> Iterator[str]:
        n = int(text) if text.isascii() and text.isdigit() else 1
        if self.board.is_over:
            yield "status The game is over"
            return
        yield "status Analyzing"
        best = self._thinker.choose(self.board, interrupt="ping")
        if best is None:
            return
        children = self.board.game.children(self.board.state)
        values = -self._values(children.states)
        # The player's own choice comes first, the others by their value in random games.
        order = np.lexsort((-values, children.actions != best))
        for place in order[: max(1, n)]:
            move = ggf_move(self.board.game, int(children.actions[place]))
            yield f"search {move} {values[place]:.2f} 0 1 random games"
        yield "status"

    def _analyze(self, _: str) -> Iterator[str]:
        """A value for each position of the game, the last first, for the side to move there."""
        values = self._values(np.concatenate(self.board.states))
        for ply in range(len(values) - 1, -1, -1):
            yield f"analysis {ply} {values[ply]:.2f}"

    def _values(self, states: States) -> Floats:
        """The mean final margin of random games from each position, in discs for the side to move, `[B]`."""
        game = self.board.game
        finished = game.finish(np.repeat(states, _ROLLOUTS, axis=0), self._thinker.random(self.board))
        # The last position is seen by the side to move there, which after an odd number of plies is the other.
        margins = game.margin(finished.states) * np.where(finished.plies % 2 == 0, 1, -1)
        return np.asarray(margins.reshape(-1, _ROLLOUTS).mean(axis=1))

    def _quit(self, _: str) -> Iterator[str]:
        self.over = True
        yield from ()


def _play(board: GameSoFar, action: int) -> None:
    if not board.legal[action]:
        raise UserError(f"{ggf_move(board.game, action)} is not legal here.")
    board.play(action)


def _one_line(text: str) -> str:
    return " ".join(text.split())
