"""The choice of an opponent: the companion, a few named levels, the pupil, and everybody else."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from randori.app.page.parts import box, text
from randori.app.page.tiles import Tiles, words
from randori.app.service import partner, pupils
from randori.app.service.duel import FRIEND
from randori.app.service.menu import Entry, is_partner

WHAT_A_RATING_IS = (
    "The numbers are ratings: a random player has 0, and 200 points more win about three games out of four."
)
_A_FRIEND = {FRIEND: Entry(FRIEND, "A friend", "On another device: you get a link to send.", "person")}
_LEVELS = ("Beginner", "Easy", "Medium", "Hard", "Strongest")


def levels(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """A few players of known strength, by level, spread evenly from the weakest that thinks to the strongest."""
    known = {it.strength.elo: it for it in entries.values() if it.strength is not None and it.family != "chance"}
    if not known:
        return {}
    low, high = min(known), max(known)
    wanted = [low + (high - low) * place / (len(_LEVELS) - 1) for place in range(len(_LEVELS))]
    # If there are fewer players than levels, each gets the highest level that it is nearest to.
    chosen = {_nearest(known, elo): level for elo, level in zip(wanted, _LEVELS, strict=True)}
    return {level: known[elo] for elo, level in chosen.items()}


def _nearest(known: Iterable[float], elo: float) -> float:
    return min(known, key=lambda it: abs(it - elo))


class Opponents:
    """Two groups of which one opponent is chosen: the few that most people look for, and all of them, folded away."""

    def __init__(self, label: str, entries: Mapping[str, Entry], chosen: str, choose: Callable[[str], None]) -> None:
        self._label, self._entries, self._chosen, self._choose = label, entries, chosen, choose

    def build(self, taught: str, with_friend: bool) -> None:
        """`taught` says what the person's pupil has learned."""
        few = self._few(taught) | (_A_FRIEND if with_friend else {})
        tiles = {spec: _tile(it) for spec, it in few.items()}
        self._groups = [Tiles(self._label, tiles, self._chosen, self._on_choose, "few")]
        styles = {spec: it for spec, it in self._entries.items() if partner.is_companion(spec)}
        with box("div", "styles") as self._styles:
            if len(styles) > 1:
                text("h3", "Style of your companion")
                names = {spec: words("Its own" if spec == partner.SPEC else it.title) for spec, it in styles.items()}
                self._groups.append(Tiles("Style of your companion", names, self._chosen, self._on_choose, "sizes"))
        self._styles.set_visibility(partner.is_companion(self._chosen))
        text("p", WHAT_A_RATING_IS, "note")
        with box("details", "everybody") as everybody:
            every = {
                spec: _tile(it) for spec, it in self._entries.items() if spec == partner.SPEC or spec not in styles
            }
            text("summary", f"All {len(every)} players")
            self._groups.append(Tiles(f"{self._label}, all players", every, self._chosen, self._on_choose, "opponents"))
        if self._chosen not in few and self._chosen not in styles:
            everybody.props("open")

    def _few(self, taught: str) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        if partner.SPEC in self._entries:
            summary = "Your companion plays about as strongly as you do, and learns how strong that is."
            found[partner.SPEC] = replace(self._entries[partner.SPEC], title="At my level", summary=summary)
        others = {spec: it for spec, it in self._entries.items() if not is_partner(spec)}
        for level, it in levels(others).items():
            found[it.spec] = replace(it, title=level, summary=it.title)
        if pupils.SPEC in self._entries:
            found[pupils.SPEC] = replace(self._entries[pupils.SPEC], title="My pupil", summary=taught)
        return found or others

    def _on_choose(self, spec: str) -> None:
        for group in self._groups:
            group.choose(spec)
        self._styles.set_visibility(partner.is_companion(spec))
        self._choose(spec)


def _tile(entry: Entry) -> str:
    rating = "" if entry.strength is None else entry.strength.figure
    return f'{words(entry.title, entry.summary)}<span class="rating">{rating}</span>'
