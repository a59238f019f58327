"""The page's routes, added to those of the service."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from importlib.resources import files
from urllib.parse import quote

from fastapi import FastAPI, Request
from nicegui import app as framework
from nicegui import ui
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, Response

from randori.app.page import (
    analysis,
    dueling,
    game,
    ladder,
    league,
    learning,
    papers,
    practice,
    practising,
    progress,
    record_form,
    reference,
    review,
    setup,
    watching,
)
from randori.app.page.builders import Builders
from randori.app.page.frame import visit
from randori.app.page.kept_files import KeptFiles
from randori.app.page.meeting import Meeting
from randori.app.service.analysis import PATH as ANALYSIS
from randori.app.service.claims import Who
from randori.app.service.limits import PAGES, Buckets
from randori.app.service.menu import game_named, offered
from randori.app.service.pictures import picture, picture_of_game
from randori.app.service.plain import problem_page
from randori.app.service.problems import answer_problems
from randori.app.service.refusals import Refusal, Unknown
from randori.app.service.rooms import Rooms
from randori.app.service.tournaments import Tournaments
from randori.app.service.trainings import Trainings
from randori.app.service.turns import asker

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#24615a"/>'
    '<circle cx="12" cy="16" r="7" fill="#fbf8f1"/><circle cx="21" cy="16" r="7" fill="#17211f"/></svg>'
)
_FIRST_GAME = "othello8"
_LONGEST_RECORD = 4000
"""Characters in an address."""


def with_page(app: FastAPI) -> FastAPI:
    """The service with its page; one per process, because the framework keeps its routes in one place."""
    _files(app)
    _pictures(app, app.state.rooms, app.state.trainings)
    _views(app, app.state.rooms, app.state.trainings, app.state.tournaments)
    answer_problems(framework)
    ui.run_with(
        app,
        title="Randori",
        favicon=_ICON,
        dark=None,
        language="en-US",
        show_welcome_message=False,
        reconnect_timeout=20,
        # Pages are compressed for each visitor: the best level takes twice as long for 5% less.
        gzip_middleware_factory=partial(GZipMiddleware, compresslevel=4),
    )
    framework.config.quasar_config["loadingBar"] = {"skipHijack": True}  # no view fetches anything that people wait for
    framework.add_middleware(KeptFiles)
    return app


def _files(app: FastAPI) -> None:
    style, settings = (files("randori.app.page").joinpath(it).read_text("utf-8") for it in ("style.css", "settings.js"))

    @app.get("/style.css", include_in_schema=False)
    async def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": "no-cache"})

    @app.get("/settings.js", include_in_schema=False)
    async def script_of_settings() -> Response:
        return Response(settings, media_type="text/javascript", headers={"Cache-Control": "no-cache"})

    @app.get("/papers/{paper}/{file}", include_in_schema=False)
    async def paper_picture(paper: str, file: str) -> Response:
        found = papers.pictures().get(f"{paper}/{file}")
        if found is None:
            raise Unknown("There is no such picture.")
        return FileResponse(found, media_type="image/svg+xml")


def _pictures(app: FastAPI, rooms: Rooms, trainings: Trainings) -> None:
    """Pictures of what a run has learned, at the `round` of a snapshot or `newest`; and the run as a file."""

    @app.get("/learning/{name}/picture.svg", include_in_schema=False)
    async def one_picture(name: str, round: str = "", number: str = "") -> Response:
        draw = partial(picture, rooms.menu, trainings.run(name), _number(round), _number(number))
        return Response(await rooms.thinking.about(draw), media_type="image/svg+xml")

    @app.get("/learning/{name}/game.svg", include_in_schema=False)
    async def one_game(name: str, round: str = "", moves: str = "") -> Response:
        draw = partial(picture_of_game, rooms.menu, trainings.run(name), _number(round), moves[:4000])
        return Response(await rooms.thinking.about(draw), media_type="image/svg+xml")

    @app.get("/learning/{name}/run.zip", include_in_schema=False)
    async def one_run(request: Request, name: str) -> Response:
        archive = await asyncio.to_thread(trainings.archive, _who(request), name)
        saved_as = f"attachment; filename*=UTF-8''{quote(name)}.zip"
        return Response(archive, media_type="application/zip", headers={"Content-Disposition": saved_as})


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _who(request: Request) -> Who:
    """The visitor of a view that needs no profile, so none is made."""
    return Who.of(request.state.token, request.state.is_owner)


def _views(app: FastAPI, rooms: Rooms, trainings: Trainings, tournaments: Tournaments) -> None:
    @_view("/")
    async def play(request: Request) -> None:
        await setup.show(await visit(request, rooms), app.state.duels)

    @_view("/game/{id}")
    async def one_game(request: Request, id: str) -> None:
        await game.show(await visit(request, rooms), app.state.duels, id)

    @_view("/friend/{key}")
    async def invitation(request: Request, key: str) -> Response | None:
        return await dueling.show_invitation(await visit(request, rooms), app.state.duels, key)

    @_view("/friend/{key}/next")
    async def rematch(key: str) -> Response | None:
        return await dueling.show_next(app.state.duels, key)

    @_view("/game/{id}/review")
    async def one_review(request: Request, id: str) -> None:
        await review.show_room(await visit(request, rooms), id)

    @_view("/review")
    async def any_review(request: Request) -> None:
        visitor, query = await visit(request, rooms), request.query_params
        if "moves" in query:
            await review.show_record(visitor, query.get("game", ""), query["moves"][:_LONGEST_RECORD])
        else:
            chosen = query.get("game", "")
            await record_form.show(visitor, chosen if chosen in offered() else _FIRST_GAME)

    @_view(ANALYSIS)
    async def any_analysis(request: Request) -> None:
        query = request.query_params
        await analysis.show(await visit(request, rooms), game_named(query.get("game", _FIRST_GAME)), query)

    @_view("/practice")
    async def courses(request: Request) -> None:
        await practice.show(await visit(request, rooms), app.state.practice)

    @_view("/practice/{name}")
    async def one_course(request: Request, name: str) -> None:
        await practising.show(await visit(request, rooms), app.state.practice, game_named(name), own=False)

    @_view("/practice/{name}/mistakes")
    async def own_mistakes(request: Request, name: str) -> None:
        await practising.show(await visit(request, rooms), app.state.practice, game_named(name), own=True)

    @_view("/progress")
    async def own_progress(request: Request) -> None:
        await progress.show(await visit(request, rooms), request.query_params.get("game", ""))

    @_view("/ladder")
    async def ratings(request: Request) -> Response | None:
        chosen = request.query_params.get("game", _FIRST_GAME)
        if chosen not in offered():
            return _unknown_board(chosen)
        await ladder.show(_who(request), Meeting(rooms, request.state.token), tournaments, chosen)
        return None

    @_view("/learning")
    async def runs(request: Request) -> None:
        await learning.show(_who(request), rooms.menu, trainings)

    @_view("/learning/{name}")
    async def one_run(request: Request, name: str) -> None:
        if await asyncio.to_thread(trainings.claim, name) is None:  # one that has just begun has nothing to read yet
            await asyncio.to_thread(trainings.run, name)
        await watching.show_run(await visit(request, rooms), trainings, name)

    @_view("/league")
    async def one_league(request: Request) -> None:
        query = request.query_params
        await league.show(Meeting(rooms, request.state.token), query.get("name", ""), query.get("game", ""))

    @_view("/papers")
    async def all_papers() -> None:
        await papers.show()

    @_view("/papers/{name}")
    async def one_paper(request: Request, name: str) -> None:
        await papers.show_paper(Meeting(rooms, request.state.token), name)

    @_view("/docs")
    async def docs() -> None:
        await reference.show(app.openapi())


_BUILDERS = Builders(most=4)
_PACE = Buckets(PAGES)
_SECONDS_TO_BUILD = 60.0
"""Includes the wait in the queue: the framework's own limit of 3 s is too short when many visitors come at once."""


def _view(path: str) -> Callable[[Callable[..., Awaitable[Response | None]]], object]:
    """Registers a view of the page; a refusal becomes a page that explains it."""

    def register(build: Callable[..., Awaitable[Response | None]]) -> object:
        @wraps(build)
        async def build_in_turn(*args: object, **kwargs: object) -> Response | None:
            async with _BUILDERS.turn():
                try:
                    _PACE.take(asker.get())
                    return await build(*args, **kwargs)
                except Refusal as refusal:
                    return problem_page(refusal.status, str(refusal))

        return ui.page(path, response_timeout=_SECONDS_TO_BUILD)(build_in_turn)

    return register


def _unknown_board(name: str) -> Response:
    known = {game_named(it).title: f"/ladder?game={it}" for it in offered()}
    return problem_page(404, f"There is no board called '{name[:40]}'. These have a ladder:", known)
