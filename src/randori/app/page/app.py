"""The page's routes, and the whole web application."""

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from nicegui import ui
from starlette.responses import Response

from randori.app.page import game, setup
from randori.app.service.server import LOOPBACK, service

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#24615a"/>'
    '<circle cx="12" cy="16" r="7" fill="#fbf8f1"/><circle cx="21" cy="16" r="7" fill="#17211f"/></svg>'
)


def application(
    runs: Path = Path("runs"), database: str | None = None, hosts: frozenset[str] | None = LOOPBACK
) -> FastAPI:
    """Service and page; one a process, because the framework keeps its routes in one place."""
    app = service(runs, database, hosts)
    style = files("randori.app.page").joinpath("style.css").read_text(encoding="utf-8")

    @app.get("/style.css", include_in_schema=False)
    async def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": "no-cache"})

    _views()
    ui.run_with(app, title="Randori", favicon=_ICON, dark=None, show_welcome_message=False, reconnect_timeout=20)
    return app


def _views() -> None:
    @ui.page("/")
    async def play(request: Request) -> None:
        await setup.show(request)

    @ui.page("/game/{id}")
    async def one_game(request: Request, id: str) -> None:
        await game.show(request, id)
