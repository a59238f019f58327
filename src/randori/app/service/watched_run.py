"""A run as somebody sees it: what its folder tells, how it stands, and what they may do about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from randori.app.service.menu import RUNS
from randori.arena import in_words
from randori.reading import is_count, is_number

COMPLETE, STOPPED = "complete", "stopped"
"""How a training ended, in its claim."""


@dataclass(frozen=True)
class WatchedRun:
    """A run as its folder tells it, going on or not."""

    name: str
    game: str
    learner: str
    rows: list[dict[str, Any]]
    """The metrics so far."""
    has_player: bool
    snapshots: tuple[int, ...] = ()
    """The rounds whose players are kept."""
    complaint: str = ""
    """What cannot be read in the folder, in words."""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """As the file has it: what is in there is not checked."""

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides the result, the learner's own settings included."""
        config = self.recipe.get("config")
        common = {"game": self.game, "learner": self.learner, "seed": self.recipe.get("seed", 0)}
        return common | (config if isinstance(config, dict) else {})

    @property
    def seconds_left(self) -> float | None:
        """By the clock, estimated from its limits and its pace; None if it has no limit, or no round yet."""
        if not self.rows:
            return None
        last, budget, rounds = self.rows[-1], self.recipe.get("budget"), self.recipe.get("rounds")
        left = [budget - last["seconds"]] if is_number(budget) else []
        if is_count(rounds) and last["round"]:
            left.append((rounds - last["round"]) * last["seconds"] / last["round"])
        return max(min(left), 0.0) if left else None

    @property
    def rated(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if row.get("rating")]

    @property
    def rating(self) -> str:
        """The last one with its interval, in words; empty if there is none."""
        if not self.rated:
            return ""
        return in_words(self.rated[-1]["rating"])

    def spec(self, round: int | None) -> str:
        """Its player after a round, None for the newest."""
        return f"{RUNS}/{self.name}" if round is None else f"{RUNS}/{self.name}@{round}"


class Status(NamedTuple):
    """How a run stands for somebody who looks at it; these are the values of one that was not started on the page."""

    whose: str = ""
    goes_on: bool = False
    ended: str | None = None
    """As in its claim."""
    may_stop: bool = False
    may_continue: bool = False
    may_change: bool = False
    """Whether it can be renamed, deleted and taken away by them."""

    @property
    def complaint(self) -> str:
        """Why it failed: its last sentence; empty if it did not."""
        return "" if self.goes_on or self.ended in (None, COMPLETE, STOPPED) else self.ended or ""

    @property
    def words(self) -> str:
        if not self.whose:
            return ""
        ended = {None: "interrupted", COMPLETE: "complete", STOPPED: "stopped"}.get(self.ended, "failed")
        return f"{self.whose}, {'learning' if self.goes_on else ended}"
