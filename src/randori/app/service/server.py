"""The web application without its page: API and gate put together, and what must happen before and after."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse

from randori.app.service.access import OPEN, Access
from randori.app.service.api import health, router
from randori.app.service.duels import Duels
from randori.app.service.friends_api import friends
from randori.app.service.gate import Gate
from randori.app.service.menu import Menu
from randori.app.service.practice import Practice
from randori.app.service.practice_api import practising
from randori.app.service.problems import answer_problems, refuse_other_methods
from randori.app.service.profiles import Profiles
from randori.app.service.room import GoneOn
from randori.app.service.rooms import Rooms
from randori.app.service.schemas import Conflict, RoomOut
from randori.app.service.senders import LOOPBACK, Network
from randori.app.service.store import Store, database_url
from randori.app.service.thinking import Thinking
from randori.app.service.tournaments import Tournaments
from randori.app.service.trainings import Trainings


def service(
    runs: Path = Path("runs"),
    database: str | None = None,
    hosts: frozenset[str] | None = LOOPBACK,
    access: Access = OPEN,
    proxies: Sequence[Network] = (),
    open_training: bool = False,
) -> FastAPI:
    """The service without its page, which works with `app.state.rooms`, `trainings` and `tournaments`.

    `open_training` lets visitors start trainings and tournaments who are not the machine's owner.
    """
    store, thinking = Store(database or database_url()), Thinking()
    rooms = Rooms(store, Menu(runs), thinking)
    trainings = Trainings(runs, open_to_all=open_training)
    tournaments = Tournaments(rooms.menu, open_to_all=open_training)
    profiles, duels = Profiles(rooms, trainings, tournaments), Duels(rooms)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        clearing = asyncio.create_task(profiles.keep_clearing())
        yield
        clearing.cancel()
        tournaments.close()
        await asyncio.to_thread(trainings.close)
        thinking.close()
        duels.close()
        rooms.close()
        store.close()

    app = FastAPI(
        title="Randori",
        version=version("randori"),
        summary="Play board games against players that have learned them.",
        lifespan=lifespan,
        docs_url=None,  # the usual page loads its scripts from elsewhere; ours is one of the views
        redoc_url=None,
    )
    app.state.rooms, app.state.trainings, app.state.tournaments = rooms, trainings, tournaments
    app.state.profiles, app.state.practice, app.state.duels = profiles, Practice(rooms), duels
    app.include_router(router)
    app.include_router(friends)
    app.include_router(practising)
    app.include_router(health)
    answer_problems(app)
    app.add_exception_handler(GoneOn, _gone_on)
    refuse_other_methods(app, router, friends, practising, health)
    app.add_middleware(Gate, hosts=hosts, access=access, proxies=proxies)
    return app


async def _gone_on(request: Request, gone_on: Exception) -> JSONResponse:
    """With the room as it is now, so that nobody has to ask for it."""
    assert isinstance(gone_on, GoneOn)
    return JSONResponse(Conflict(detail=str(gone_on), room=RoomOut.of(gone_on.room)).model_dump(), gone_on.status)
