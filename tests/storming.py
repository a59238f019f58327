"""One person's requests through several servers at once, and what must hold of the answers."""

import asyncio
from collections import Counter
from typing import Any

import numpy as np
from serving import Answer, Server, Visitor


class Witness:
    """Records the acknowledged moves of each game and finds contradictions."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self._moves: dict[str, dict[int, list[str]]] = {}

    def note(self, answer: Answer) -> dict[str, Any] | None:
        """The room in an answer. Without take-backs, its moves are the beginning of all later ones."""
        self.statuses[answer.status] += 1
        assert answer.status in (200, 201, 409, 429), answer
        room = answer.json.get("room") if answer.status == 409 else answer.json if answer.status < 300 else None
        if room is not None:
            known = self._moves.setdefault(room["id"], {})
            assert known.setdefault(room["ply"], room["moves"]) == room["moves"], "two courses of one game"
        return room

    def check(self, id: str, moves: list[str]) -> None:
        """Checks that the stored game contains all acknowledged moves."""
        for acknowledged in self._moves.get(id, {}).values():
            assert moves[: len(acknowledged)] == acknowledged

    @property
    def ids(self) -> list[str]:
        return list(self._moves)


async def storm(servers: list[Server], witness: Witness, address: str, seed: int, n_requests: int) -> None:
    """A person with a tab at each server plays the same game in all of them at once, at random."""
    rng = np.random.default_rng(seed)
    async with Visitor(servers[0].port, address) as first:
        await first.ask("GET", "/api/profile")
        tabs = [first]
        for server in servers[1:]:
            tabs.append(await Visitor(server.port, address, cookie=first.cookie).__aenter__())
        shared: dict[str, Any] = {"over": True, "id": ""}
        for tab in tabs:  # a server that is still compiling would be late for everything
            mine: dict[str, Any] = {"over": True, "id": ""}
            for _ in range(2):
                await _one(tab, mine, witness, rng)

        async def play(tab: Visitor) -> None:
            for _ in range(n_requests // len(tabs)):
                await _one(tab, shared, witness, rng)

        await asyncio.gather(*map(play, tabs))
        for tab in tabs[1:]:
            await tab.__aexit__()


async def _one(tab: Visitor, shared: dict[str, Any], witness: Witness, rng: np.random.Generator) -> None:
    """Each tab moves in the last position that any tab has received, so that tabs often collide."""
    room = dict(shared)
    if room["over"]:
        answer = await tab.ask("POST", "/api/rooms", {"game": "gomoku9", "second": "random"})
    else:
        move = {"move": str(rng.choice(room["legal"])), "ply": room["ply"]}
        answer = await tab.ask("POST", f"/api/rooms/{room['id']}/moves", move)
    found = witness.note(answer)
    if found is None:
        await asyncio.sleep(0.1)  # too many requests
    elif shared["over"] if found["id"] != shared["id"] else found["ply"] > shared["ply"]:
        shared.update(found)
