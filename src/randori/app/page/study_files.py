"""Import and export of an analysis: a record is pasted or loaded, and what was tried is saved as a file."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from randori.app.page.parts import box, button, notify, text
from randori.app.page.record_form import record_area, record_button, record_file
from randori.app.service.analysis import Analysis
from randori.app.service.refusals import Invalid, Refusal
from randori.app.service.rooms import Rooms, load_rules
from randori.core.game import Game
from randori.errors import UserError
from randori.formats import GameRecord, Study, parse_study, position_text, study_text, write_ggf, write_sgf_study


async def read(rooms: Rooms, game: Game, record: str) -> Study:
    """Raises Invalid if it cannot be read."""
    try:
        return await rooms.thinking.about(partial(_read, game, record))
    except Refusal:
        raise
    except UserError as error:
        raise Invalid(str(error)) from error


def _read(game: Game, record: str) -> Study:
    load_rules(game)
    return parse_study(game, record)


def open_panel(rooms: Rooms, profile: int, game: Game) -> None:
    """A record becomes an analysis with its own address, so the browser's Back returns to the one before."""

    async def go(record: str) -> None:
        rooms.pace.take(profile)
        study = await read(rooms, game, record)
        if not study.moves and study.start is None:
            notify("There is no move in it yet.")
            return
        ui.navigate.to(Analysis(game, study, study.moves.end_of()).address())

    with box("details", "record"):
        text("summary", "Paste or load")
        text("p", _readable(game), "note")
        record_area()
        record_file()
        with box("div", "controls"):
            record_button("Open", go, id="open-record")


def _readable(game: Game) -> str:
    """What can be pasted, in words."""
    files = game.knowledge.files
    forms = ["A transcript, with variations in brackets behind the move that they replace."]
    forms += ["SGF, with its variations."] * (files.sgf is not None) + ["GGF."] * (files.ggf is not None)
    forms += [
        "A position: its squares row by row as X, O and -, then X or O for the side to move."
    ] * game.cells_suffice
    return " ".join(forms)


def save_panel(game: Game, analysis: Callable[[], Analysis]) -> None:
    with box("details", "record"):
        text("summary", "Save")
        with box("div", "controls"):
            for name, write in _formats(game).items():
                button(name, partial(_save, name, write, analysis), "quiet", id=f"save-{name.lower()}")
            button("Copy the position", partial(_copy, analysis), "quiet", id="copy-position")
        text("p", "All moves are also in the address of this page: keep it, or pass it on.", "note")


Write = Callable[[Analysis], str]


def _formats(game: Game) -> dict[str, Write]:
    """The formats that can hold this game."""
    known: dict[str, Write] = {"Transcript": lambda it: study_text(game, it.study) + "\n"}
    if game.knowledge.files.sgf is not None:
        known["SGF"] = lambda it: write_sgf_study(game, it.study)
    if game.knowledge.files.ggf is not None:
        known["GGF"] = _main_line_as_ggf
    return known


def _main_line_as_ggf(it: Analysis) -> str:
    """The format has no variations."""
    start = None if it.study.start is None else position_text(it.game, *it.study.start)
    return write_ggf(it.game, [GameRecord(it.moves.end_of(), start=start)])


def _save(name: str, write: Write, analysis: Callable[[], Analysis]) -> None:
    suffix = "txt" if name == "Transcript" else name.lower()
    ui.download.content(write(analysis()), f"{analysis().game.name}.{suffix}", "text/plain")


def _copy(analysis: Callable[[], Analysis]) -> None:
    board = analysis().board
    ui.clipboard.write(position_text(board.game, board.state, board.first_to_move))
    notify("The position is on the clipboard.")
