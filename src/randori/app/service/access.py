"""Who may come in, and who is the machine's owner: a password, and keys that stand in links and cookies."""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from functools import cached_property

COOKIE = "randori-key"
_KEY_BYTES = 24


@dataclass(frozen=True)
class Access:
    """Without a password everybody may come in. `owner_key` makes its bearer the owner; None if only the machine itself is."""

    password: str | None = None
    owner_key: str | None = None

    @cached_property
    def guest_key(self) -> str | None:
        """What a link or cookie carries instead of the password. It is derived from the password, so it outlives a restart
        and is the same on every server; deriving it is slow, and so is guessing the password from it.
        """
        if self.password is None:
            return None
        derived = hashlib.scrypt(self.password.encode(), salt=b"randori", n=2**14, r=8, p=1, dklen=_KEY_BYTES)
        return urlsafe_b64encode(derived).decode()

    def is_password(self, guess: str) -> bool:
        return self.password is not None and _same(guess, self.password)

    def is_owners(self, key: str | None) -> bool:
        return key is not None and self.owner_key is not None and _same(key, self.owner_key)

    def knows(self, key: str | None) -> bool:
        is_guests = key is not None and self.guest_key is not None and _same(key, self.guest_key)
        return is_guests or self.is_owners(key)

    def admits(self, key: str | None) -> bool:
        """Whether a bearer of this key may come in."""
        return self.password is None or self.knows(key)


OPEN = Access()


def new_key() -> str:
    return secrets.token_urlsafe(_KEY_BYTES)


def _same(one: str, other: str) -> bool:
    """Takes the same time wherever they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
