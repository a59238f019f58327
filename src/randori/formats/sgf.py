"""SGF, the Smart Game Format FF[4], for Othello (GM[2]) and Gomoku (GM[4]): games along their main line, or one with all its
variations."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from randori.core.game import Game
from randori.core.variations import Line, Variations
from randori.errors import UserError
from randori.formats.game_record import Ending, GameRecord, checked, outcome_of
from randori.formats.points import action_of_sgf, sgf_point
from randori.formats.positions import parse_position, position_text, start_text
from randori.formats.study import Growing, Study

Node = list[tuple[str, list[str]]]
"""The properties of one node in their order: identifier, values."""

_PROPERTY = re.compile(r"\s*([A-Za-z]+)\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_RESULT = re.compile(r"([BW])\+(R(?:esign)?|T(?:ime)?|F(?:orfeit)?|[0-9]{1,4}(?:\.[0-9]{1,9})?)?", re.IGNORECASE)


def parse_sgf(game: Game, text: str) -> list[GameRecord]:
    """Every game of a collection, along its main line. Raises UserError that says what is wrong."""
    sheets = [_sheet(game, nodes) for nodes in _main_lines(text)]
    lines = checked(game, [it.squares for it in sheets], [it.start for it in sheets])
    return [_record(sheet, actions) for sheet, actions in zip(sheets, lines, strict=True)]


def parse_sgf_study(game: Game, text: str) -> Study:
    """The first game of a collection with its variations. Raises UserError that says what is wrong."""
    tree = next(_trees(text), None)
    if tree is None:
        raise UserError("There is no game in this record.")
    start = _sheet(game, _main_line(tree)).start
    growing = Growing(game, None if start is None else parse_position(game, start))
    lines: list[Line] = []
    for node, before in tree:
        line = lines[before] if before >= 0 else ()
        for name, values in node:
            if name in ("B", "W"):
                line = growing.add(line, game.move_names[_action(game, values[0].strip())])
        lines.append(line)
    return growing.study


def write_sgf_study(game: Game, study: Study) -> str:
    """One game with its variations."""
    start = None if study.start is None else position_text(game, *study.start)
    root = _root(game, _game_number(game), GameRecord((), start=start))
    return f"(;{root}{_tree_text(game, study.moves, (), _colours(start))})\n"


def write_sgf(game: Game, records: list[GameRecord]) -> str:
    """A collection with one line a game."""
    number = _game_number(game)
    return "".join(_written(game, number, it) + "\n" for it in records)


class _Sheet(NamedTuple):
    """One game before its moves are checked."""

    squares: list[int]
    root: dict[str, str]
    start: str | None


def _main_lines(text: str) -> Iterator[list[Node]]:
    """The nodes of each game tree, following the first variation wherever there are several."""
    return map(_main_line, _trees(text))


class _Placed(NamedTuple):
    """A node of a game tree, in the order of the text."""

    node: Node
    before: int
    """The place of the node that it follows; -1 of the first."""


def _main_line(tree: list[_Placed]) -> list[Node]:
    n_main = next((place for place, it in enumerate(tree) if it.before != place - 1), len(tree))
    return [it.node for it in tree[:n_main]]


def _trees(text: str) -> Iterator[list[_Placed]]:
    """The game trees of a collection."""
    place = 0
    while (place := text.find("(", place)) >= 0:
        tree: list[_Placed] = []
        before: list[int] = []  # of each open parenthesis, the node that stood before it
        last = -1
        while True:
            while place < len(text) and text[place].isspace():
                place += 1
            if place >= len(text):
                raise UserError("The SGF text ends within a game: a closing parenthesis is missing.")
            mark, place = text[place], place + 1
            if mark == "(":
                before.append(last)
            elif mark == ")":
                last = before.pop()
                if not before:
                    break
            elif mark == ";":
                node, place = _node(text, place)
                tree.append(_Placed(node, last))
                last = len(tree) - 1
            else:
                raise UserError(f"The SGF text is damaged at character {place}, before '{text[place - 1 :][:20]}'.")
        yield tree


def _node(text: str, place: int) -> tuple[Node, int]:
    properties: Node = []
    while found := _PROPERTY.match(text, place):
        # Lower case letters in identifiers are an old custom that means nothing.
        name = "".join(it for it in found[1] if it.isupper())
        properties.append((name, [re.sub(r"\\(.)", r"\1", it, flags=re.DOTALL) for it in _VALUE.findall(found[2])]))
        place = found.end()
    return properties, place


def _sheet(game: Game, nodes: list[Node]) -> _Sheet:
    root = {name: values[0].strip() for name, values in (nodes[0] if nodes else [])}
    _check_game(game, root)
    squares = []
    setup: dict[str, list[str]] = {}
    for node in nodes:
        for name, values in node:
            if name in ("B", "W"):
                squares.append(_action(game, values[0].strip()))
            elif name in ("AB", "AW", "PL"):
                setup.setdefault(name, []).extend(values)
    return _Sheet(squares, root, _start(game, setup))


def _check_game(game: Game, root: dict[str, str]) -> None:
    number = str(_game_number(game))
    if root.get("GM", number) != number:
        raise UserError(f"The SGF file holds games of kind GM[{root['GM']}], not {game.title} (GM[{number}]).")
    size = root.get("SZ", str(game.shape[0]))
    if size.split(":")[0] != str(game.shape[0]):
        raise UserError(f"The SGF file holds games on a board of size {size}, not {game.shape[0]}.")


def _game_number(game: Game) -> int:
    number = game.knowledge.files.sgf
    if number is None:
        raise UserError(f"SGF has no {game.title}; write a transcript, '.txt', instead.")
    return number


def _action(game: Game, text: str) -> int:
    action = action_of_sgf(game, text)
    if action is None:
        raise UserError(f"'{text}' in the SGF file is not a square of {game.title}.")
    return action


def _start(game: Game, setup: dict[str, list[str]]) -> str | None:
    """The position that AB, AW and PL set up; None where it is the usual one."""
    if not setup:
        return None
    letters = ["-"] * (game.shape[0] * game.shape[1])
    for name, letter in (("AB", "X"), ("AW", "O")):
        for point in setup.get(name, []):
            letters[_action(game, point.strip()) % len(letters)] = letter
    to_move = setup.get("PL", ["B"])[0].strip().upper()[:1]
    position = parse_position(game, "".join(letters) + ("O" if to_move in ("W", "2") else "X"))
    written = position_text(game, *position)
    return None if written == start_text(game) else written


def _record(sheet: _Sheet, actions: tuple[int, ...]) -> GameRecord:
    root = sheet.root
    outcome, margin, ending = _result(root.get("RE", ""))
    return GameRecord(
        actions,
        root.get("PB", ""),
        root.get("PW", ""),
        root.get("EV", ""),
        root.get("DT", ""),
        outcome,
        margin,
        ending,
        sheet.start,
    )


def _result(text: str) -> tuple[int | None, float | None, Ending]:
    if text.lower() in ("0", "draw"):
        return 0, 0.0 if text == "0" else None, "played"
    found = _RESULT.fullmatch(text)
    if not found:
        return None, None, "played"
    sign = 1 if found[1].upper() == "B" else -1
    how = (found[2] or "").upper()
    if how[:1] in ("R", "T", "F"):
        return sign, None, "time" if how[0] == "T" else "resigned"
    return sign, sign * float(how) if how else None, "played"


def _written(game: Game, number: int, it: GameRecord) -> str:
    colours = _colours(it.start)
    moves = "".join(f";{colours[ply % 2]}[{sgf_point(game, action)}]" for ply, action in enumerate(it.actions))
    return f"(;{_root(game, number, it)}{moves})"


def _root(game: Game, number: int, it: GameRecord) -> str:
    """The properties of the first node."""
    root = f"FF[4]CA[UTF-8]AP[randori]GM[{number}]SZ[{game.shape[0]}]"
    given = [("PB", it.first), ("PW", it.second), ("EV", it.event), ("DT", it.date), ("RE", _result_text(it))]
    root += "".join(f"{name}[{_escaped(value)}]" for name, value in given if value)
    if it.start is not None:
        for name, letter in (("AB", "X"), ("AW", "O")):
            squares = [square for square, found in enumerate(it.start[:-2]) if found == letter]
            if squares:
                root += name + "".join(f"[{sgf_point(game, square)}]" for square in squares)
        root += f"PL[{_colours(it.start)[0]}]"
    return root


def _colours(start: str | None) -> str:
    """Of the side to move in a position, and of the other."""
    return "BW" if start is None or start.endswith("X") else "WB"


def _tree_text(game: Game, moves: Variations, line: Line, colours: str) -> str:
    """What follows a place; where there are several moves, each in parentheses with its own."""
    nodes = ""
    while len(following := moves.at(line)) == 1:
        nodes += f";{colours[len(line) % 2]}[{sgf_point(game, following[0])}]"
        line = (*line, following[0])
    for action in following:
        node = f";{colours[len(line) % 2]}[{sgf_point(game, action)}]"
        nodes += f"({node}{_tree_text(game, moves, (*line, action), colours)})"
    return nodes


def _result_text(it: GameRecord) -> str:
    if it.outcome is None:
        return ""
    if it.outcome == 0:
        return "Draw" if it.margin is None else "0"
    how = {"resigned": "R", "time": "T"}.get(it.ending, "" if it.margin is None else f"{abs(it.margin):g}")
    return f"{'B' if outcome_of(it.outcome) > 0 else 'W'}+{how}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
