"""The JSON API: what the page does, for programs. Described at `/openapi.json`, readable at `/docs`."""

from functools import partial
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from starlette.concurrency import run_in_threadpool

from randori.app.service.duels import Duels
from randori.app.service.menu import game_named, offered
from randori.app.service.profiles import Profiles
from randori.app.service.progress import progress_of
from randori.app.service.room import Room
from randori.app.service.rooms import Rooms
from randori.app.service.schemas import (
    Conflict,
    GameOut,
    HealthOut,
    KeptGameOut,
    Meant,
    MindOut,
    Move,
    Name,
    NewGame,
    PlayerOut,
    Problem,
    ProfileOut,
    ProgressOut,
    PupilOut,
    RatingOut,
    Record,
    ReviewOut,
    RoomOut,
)
from randori.app.service.store import Profile
from randori.methods.som.pupil import has_maps

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description}
    for status, description in {
        400: "The request cannot be read.",
        401: "This server has a password, and the request has no key.",
        403: "The sender may not do this, or a page of another site sent it.",
        404: "There is nothing by that name.",
        409: "It does not fit the state of the game.",
        405: "The address does not accept that method; `Allow` says which.",
        413: "The request is too long.",
        422: "What was sent is not understood.",
        429: "Too much at once.",
        431: "The headers are too long.",
        503: "The database does not answer at the moment.",
    }.items()
}
REFUSALS[409]["model"] = Conflict
_LISTED = 100
_SECONDS_TO_REVIEW = 2.0
"""Then the answer has what is known so far."""
_WHATEVER = Meant()

router = APIRouter(prefix="/api", responses=REFUSALS)
health = APIRouter(responses={status: REFUSALS[status] for status in (400, 403, 405, 413, 429, 431, 503)})


# A dependency that is not a coroutine would be called in a thread, and one that depends on others takes longer than its work.
async def rooms_of(request: Request) -> Rooms:
    rooms: Rooms = request.app.state.rooms
    return rooms


RoomsHere = Annotated[Rooms, Depends(rooms_of)]


async def duels_of(request: Request) -> Duels:
    duels: Duels = request.app.state.duels
    return duels


DuelsHere = Annotated[Duels, Depends(duels_of)]


async def profile_of(request: Request) -> Profile:
    """Whoever sent the request, by the cookie that the gate has read or made."""
    return await (await rooms_of(request)).profile_of(request.state.token)


Me = Annotated[Profile, Depends(profile_of)]
GameId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,24}$")]
GameName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


async def room_of(id: GameId, request: Request) -> Room:
    rooms, me = await rooms_of(request), await profile_of(request)
    return await (await duels_of(request)).settle(await rooms.find(me.id, id))


RoomHere = Annotated[Room, Depends(room_of)]


@health.get("/health")
async def show_health(rooms: RoomsHere) -> HealthOut:
    """Whether the server works: its database answers. Needs no password."""
    await run_in_threadpool(rooms.store.check)
    return HealthOut(status="ok", version=version("randori"))


@router.get("/games")
async def list_games() -> list[GameOut]:
    """The games there are."""
    return [GameOut.of(game_named(name)) for name in offered()]


@router.get("/games/{game}/players")
async def list_players(game: GameName, rooms: RoomsHere) -> list[PlayerOut]:
    """The players that you can play this game against."""
    listed = await run_in_threadpool(rooms.menu.entries, game_named(game))
    return [PlayerOut.of(entry) for entry in listed.values()]


@router.get("/profile")
async def show_profile(me: Me, rooms: RoomsHere) -> ProfileOut:
    """Your profile, by the cookie."""
    known = await rooms.ratings(me.id)
    ratings = {it.game: RatingOut(elo=it.elo, deviation=it.deviation, games=it.games) for it in known.values()}
    return ProfileOut(name=me.name, ratings=ratings)


@router.put("/profile", status_code=204)
async def rename(name: Name, request: Request, rooms: RoomsHere) -> None:
    """Chooses a name."""
    await rooms.rename(request.state.token, name.name)


@router.delete("/profile", status_code=204)
async def forget_me(request: Request) -> None:
    """Deletes your profile, name, games, ratings and lessons for good, and stops your trainings. The cookie then belongs to
    a newcomer."""
    profiles: Profiles = request.app.state.profiles
    await profiles.forget(request.state.token)


@router.get("/progress")
async def show_progress(me: Me, rooms: RoomsHere) -> dict[str, ProgressOut]:
    """By game: your rating after each game that counted, and your results by opponent."""
    return {name: ProgressOut.of(it) for name, it in (await progress_of(rooms, me.id)).items()}


@router.get("/pupils")
async def list_pupils(me: Me, rooms: RoomsHere) -> list[PupilOut]:
    """Your pupils, and how many games with you have taught each of them."""
    with_maps = [it for it in map(game_named, offered()) if has_maps(it)]
    return [PupilOut(game=it.name, games=len(await rooms.pupils.lessons(me.id, it))) for it in with_maps]


@router.delete("/pupils/{game}", status_code=204)
async def forget(game: GameName, me: Me, rooms: RoomsHere) -> None:
    """Lets your pupil forget all that it has learned."""
    rooms.pace.take(me.id)
    await rooms.pupils.forget(me.id, game_named(game))


@router.get("/rooms")
async def list_rooms(me: Me, rooms: RoomsHere) -> list[KeptGameOut]:
    """Your own games, the newest first."""
    return [KeptGameOut.of(it) for it in await run_in_threadpool(rooms.store.games, me.id, _LISTED)]


@router.post("/rooms", status_code=201)
async def begin(new: NewGame, me: Me, rooms: RoomsHere) -> RoomOut:
    """Begins a game. Where the other side begins, its first move is in the answer."""
    room = await rooms.open(me.id, new.game, (new.first, new.second), new.moves)
    return await _answered(rooms, room)


@router.get("/rooms/{id}")
async def show(room: RoomHere) -> RoomOut:
    """How a game stands; `transcript` is its record."""
    return RoomOut.of(room)


@router.post("/rooms/{id}/moves")
async def play(move: Move, room: RoomHere, rooms: RoomsHere, me: Me, duels: DuelsHere) -> RoomOut:
    """Makes your move. The answer has the other side's reply too, unless the opponent is a friend."""
    room.check_meant(move.ply)
    if room.duel is not None:
        return RoomOut.of(await duels.move(room, me.id, move.move))
    return RoomOut.of(await rooms.answer(room, move.move))


@router.post("/rooms/{id}/step")
async def step(room: RoomHere, rooms: RoomsHere, meant: Meant = _WHATEVER) -> RoomOut:
    """The next move of a game between two players."""
    room.check_meant(meant.ply)
    return RoomOut.of(await rooms.reply(room))


@router.post("/rooms/{id}/undo")
async def undo(room: RoomHere, rooms: RoomsHere, meant: Meant = _WHATEVER) -> RoomOut:
    """Takes back your last move and what followed; the game then does not count for your rating."""
    room.check_meant(meant.ply)
    return RoomOut.of(await rooms.undo(room))


@router.post("/rooms/{id}/resign")
async def resign(room: RoomHere, rooms: RoomsHere, me: Me, duels: DuelsHere, meant: Meant = _WHATEVER) -> RoomOut:
    """Gives the game up."""
    room.check_meant(meant.ply)
    if room.duel is not None:
        return RoomOut.of(await duels.resign(room, me.id))
    return RoomOut.of(await rooms.resign(room))


@router.post("/rooms/{id}/hint")
async def hint(room: RoomHere, rooms: RoomsHere, meant: Meant = _WHATEVER) -> MindOut:
    """What a strong player would do; the game then does not count for your rating."""
    room.check_meant(meant.ply)
    return MindOut.of(room.game, await rooms.hint(room))


@router.get("/rooms/{id}/minds")
async def minds(room: RoomHere, rooms: RoomsHere) -> dict[str, MindOut]:
    """The position judged by one player of each family."""
    families = await run_in_threadpool(partial(rooms.menu.families, room.game))
    return {it.spec: MindOut.of(room.game, await rooms.mind(room, it.spec)) for it in families}


@router.get("/rooms/{id}/review")
async def review_room(room: RoomHere, rooms: RoomsHere) -> ReviewOut:
    """What every move of a finished game cost. It is made while you ask: ask again until it is `complete`."""
    rooms.pace.take(room.profile)
    return ReviewOut.of(await rooms.reviews.within(rooms.reviews.of_room(room), _SECONDS_TO_REVIEW))


@router.post("/reviews")
async def review_record(record: Record, me: Me, rooms: RoomsHere) -> ReviewOut:
    """The same for any record, even of a game that is not over. It is not kept for long."""
    rooms.pace.take(me.id)
    under_way = await rooms.reviews.of_record(record.game, record.moves)
    return ReviewOut.of(await rooms.reviews.within(under_way, _SECONDS_TO_REVIEW))


async def _answered(rooms: Rooms, room: Room) -> RoomOut:
    """With a reply if a person plays: two players would play on to the end."""
    return RoomOut.of(await rooms.reply(room) if room.person_seat is not None else room)
