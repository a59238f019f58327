"""What the database has of somebody's practice: cards, skills, and the puzzles out of their mistakes."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from randori.app.service.room import PERSON
from randori.app.service.store import Conflict, Store
from randori.app.service.tables import _CARDS, _EXAMINED, _GAMES, _MISTAKES, _SKILLS
from randori.practice import Card, Goal, Puzzle, Skill


class Practised(NamedTuple):
    """Somebody's practice in a game."""

    cards: dict[str, Card]
    """By puzzle."""
    skill: Skill | None


class Try(NamedTuple):
    """What one try changes; kept whole or not at all."""

    profile: int
    game: str
    before: Card | None
    after: Card
    skill_before: Skill | None
    skill: Skill


def practised(store: Store, profile: int, game: str) -> Practised:
    return all_practised(store, profile).get(game, Practised({}, None))


def all_practised(store: Store, profile: int) -> dict[str, Practised]:
    """By game, those that somebody has practised."""
    with store._reading() as connection:
        cards = connection.execute(sa.select(_CARDS).where(_CARDS.c.profile == profile)).all()
        skills = connection.execute(sa.select(_SKILLS).where(_SKILLS.c.profile == profile)).all()
    found = {row.game: Practised({}, Skill(*row[2:])) for row in skills}
    for row in cards:
        found.setdefault(row.game, Practised({}, None)).cards[row.puzzle] = Card(*row[2:])
    return found


def keep_try(store: Store, attempt: Try) -> None:
    """Raises Conflict if card or skill have changed since the try, or the person is gone."""
    owner = {"profile": attempt.profile, "game": attempt.game}
    card, skill = attempt.after._asdict(), attempt.skill._asdict()
    same_card = [
        _CARDS.c.profile == attempt.profile,
        _CARDS.c.game == attempt.game,
        _CARDS.c.puzzle == attempt.after.puzzle,
    ]
    same_skill = [_SKILLS.c.profile == attempt.profile, _SKILLS.c.game == attempt.game]
    with store._changing() as connection:
        if attempt.before is None:
            connection.execute(_CARDS.insert().values(**owner, **card))
        else:
            old = _CARDS.update().where(*same_card, _CARDS.c.tries == attempt.before.tries)
            _one(connection, old.values(**card))
        if attempt.skill_before is None:
            connection.execute(_SKILLS.insert().values(**owner, **skill))
        else:
            _one(
                connection,
                _SKILLS.update().where(*same_skill, _SKILLS.c.tries == attempt.skill_before.tries).values(**skill),
            )


def _one(connection: sa.Connection, update: sa.Update) -> None:
    if connection.execute(update).rowcount != 1:
        raise Conflict


def unexamined(store: Store, profile: int, game: str, limit: int) -> list[str]:
    """Finished games of somebody against a player that have not been searched for mistakes, the newest first."""
    alone = (_GAMES.c.first == PERSON) != (_GAMES.c.second == PERSON)
    found = (
        sa.select(_GAMES.c.id)
        .where(_GAMES.c.profile == profile, _GAMES.c.game == game, _GAMES.c.result.is_not(None), alone)
        .where(~sa.exists().where(_EXAMINED.c.game == _GAMES.c.id))
        .order_by(_GAMES.c.created.desc())
        .limit(limit)
    )
    with store._reading() as connection:
        return list(connection.execute(found).scalars())


def keep_mistakes(store: Store, game: str, puzzles: Sequence[Puzzle]) -> None:
    """Keeps those of one game, which then counts as searched. Does nothing if it has been searched before, or is gone."""
    rows = [
        {"game": game, "puzzle": it.id, "moves": it.moves, "answer": it.answer, "goal": it.goal.value, "line": it.line}
        for it in puzzles
    ]
    try:
        with store._begin() as connection:
            connection.execute(_EXAMINED.insert().values(game=game))
            if rows:
                connection.execute(_MISTAKES.insert(), rows)
    except IntegrityError:
        pass  # another tab was quicker


def mistakes(store: Store, profile: int, game: str) -> list[Puzzle]:
    """Puzzles out of somebody's own games, the newest game first."""
    mine = (
        sa.select(_MISTAKES)
        .join(_GAMES, _GAMES.c.id == _MISTAKES.c.game)
        .where(_GAMES.c.profile == profile, _GAMES.c.game == game)
        .order_by(_GAMES.c.created.desc(), _MISTAKES.c.puzzle)
    )
    with store._reading() as connection:
        rows = connection.execute(mine).all()
    return [Puzzle(row.puzzle, row.moves, row.answer, Goal(row.goal), row.line, None) for row in rows]
