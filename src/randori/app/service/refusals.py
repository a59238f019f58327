"""What the service does not do, each with the HTTP status that says so."""

from randori.errors import UserError


class Refusal(UserError):
    """The request is understood but does not fit the current state."""

    status = 409


class Forbidden(Refusal):
    """They may not do that."""

    status = 403


class Unknown(Refusal):
    """There is no such thing, or it is somebody else's."""

    status = 404


class Invalid(Refusal):
    """What was sent cannot be read."""

    status = 422


class TooMany(Refusal):
    """More than the limits allow; the same request may be fine a little later."""

    status = 429


class Unavailable(Refusal):
    """What is needed for it cannot be reached at the moment, such as the database."""

    status = 503
