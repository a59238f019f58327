"""The state of a game in words: now, earlier, and at the end."""

from randori.app.page.board import side_names
from randori.app.service.room import Room


def standing(room: Room, mover: str) -> str:
    """The current state; `mover` is the name of whoever is to move."""
    if room.is_over:
        return f"{result(room, room.person_seat)} {rating_in_words(room)}".strip()
    last = f"{played(room, room.ply)}. " if room.ply else ""
    if room.persons_turn and room.board.must_pass:
        return f"{last}You have no move: pass."
    turn = "Your turn" if room.persons_turn else f"{mover} is thinking"
    return f"{last}{turn}, {side_names(room.game)[room.to_move]}."


def past(room: Room, ply: int) -> str:
    """The state after this many moves."""
    return f"Move {ply} of {room.ply}: {played(room, ply)}." if ply else "Before the first move."


def played(room: Room, ply: int) -> str:
    """The last of this many moves."""
    seat = (room.to_move - (room.ply - ply) - 1) % 2
    side, move = side_names(room.game)[seat].capitalize(), room.moves[ply - 1]
    return f"{side} passed" if move == "pass" else f"{side} played {move}"


def result(room: Room, seat: int | None) -> str:
    """The result of a finished game, for the person at a seat; None for somebody who watches."""
    sides = side_names(room.game)
    loser, how = room.resigned, "resigned"
    if room.duel is not None and room.duel.timed_out is not None:
        loser, how = room.duel.timed_out, "ran out of time"
    if loser is not None:
        who = "You" if loser == seat else sides[loser].capitalize()
        return f"{who} {how}: {sides[1 - loser]} wins."
    if room.duel is not None and room.duel.agreed:
        return "A draw by agreement."
    if room.result == 0.5:
        return f"A draw{_count(room, 0)}."
    winner = 0 if room.result == 1.0 else 1
    if seat is None:
        return f"{sides[winner].capitalize()} wins{_count(room, winner)}."
    return f"You {'won' if seat == winner else 'lost'}{_count(room, seat)}."


def rating_in_words(room: Room) -> str:
    """How the game changed the person's rating, if it counted."""
    if room.ratings is None:
        return ""
    before, after = room.ratings
    if before is None:
        return f"Your first rating in {room.game.title}: {after:.0f}."
    return f"Your rating: {before:.0f} \N{RIGHTWARDS ARROW} {after:.0f}."


def pieces(room: Room, seat: int) -> int | None:
    """How many pieces a seat has, in games that count them."""
    if room.game.counts is None:
        return None
    cells = room.game.cells(room.board.state)[0]
    return int((cells == (1 if seat == room.to_move else -1)).sum())


def _count(room: Room, seat: int) -> str:
    """The count of pieces, that of the seat first, in games that count them."""
    mine, theirs = pieces(room, seat), pieces(room, 1 - seat)
    return "" if mine is None else f" {mine} : {theirs}"
