"""Problems in sentences: refusals, requests that cannot be read, unknown addresses, our own errors."""

from collections import defaultdict
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute, APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from randori.app.service.plain import problem
from randori.app.service.refusals import Refusal

_NO_SUCH_PLACE = "There is nothing at this address; it may be misspelt."
_SENTENCES = {
    400: "The request cannot be read.",
    404: _NO_SUCH_PLACE,
    405: "This address does not accept that method.",
}


def answer_problems(app: FastAPI) -> None:
    """Lets an application answer problems with our sentences instead of its framework's."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _no_such_thing)
    app.add_exception_handler(404, _no_such_thing)
    app.add_exception_handler(Exception, _our_mistake)


def refuse_other_methods(app: FastAPI, *routers: APIRouter) -> None:
    """Answers 405 to methods that a path does not have; what is mounted later would look for the path elsewhere."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for route in (it for router in routers for it in router.routes if isinstance(it, APIRoute)):
        known[route.path] |= route.methods or set()
    for path, methods in known.items():
        allowed = methods | ({"HEAD"} if "GET" in methods else set())
        app.routes.append(Route(path, _Refusing(405, {"Allow": ", ".join(sorted(allowed))})))
    app.routes.append(Route("/api/{rest:path}", _Refusing(404)))


class _Refusing:
    """Takes every method that no earlier route takes."""

    def __init__(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        self._status, self._headers = status, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise HTTPException(self._status, headers=self._headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return problem(request.url.path, error.status, str(error))


async def _not_understood(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()[0]
    place = ".".join(str(it) for it in found["loc"][1:])
    sentence = str(found["msg"]).rstrip(".")
    return problem(request.url.path, 422, f"{place}: {sentence}." if place else f"{sentence}.")


async def _no_such_thing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = _SENTENCES.get(error.status_code, str(error.detail))
    return problem(request.url.path, error.status_code, sentence, error.headers)


async def _our_mistake(request: Request, error: Exception) -> Response:
    # The server beneath writes the traceback.
    return problem(request.url.path, 500, "Something went wrong here, and has been noted in the server's log.")
