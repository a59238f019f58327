"""The opponents on offer: a list for each game. Nobody else can be chosen, so no client can name a file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from os.path import isfile
from pathlib import Path
from typing import Any, NamedTuple

from randori import games, methods, registry
from randori.app.service import leagues, partner, pupils
from randori.app.service.limits import MAX_SQUARES
from randori.app.service.refusals import Unknown
from randori.arena.ratings import Beyond, at_bound
from randori.core.game import Game
from randori.errors import UserError, suggest, warn
from randori.experiments.ladder import rungs
from randori.experiments.run import snapshots
from randori.methods.som import pupil
from randori.players import Offer, Player, companion, kinds, player
from randori.players.companion import OFFER
from randori.players.files import PLAYER_FILE, ZOO, Card, load_player, read_card

RUNS = "runs"


def is_partner(spec: str) -> bool:
    """Whether it is the companion or the pupil: everybody has their own."""
    return spec == pupils.SPEC or partner.is_companion(spec)


class Strength(NamedTuple):
    """A rating on the Elo scale, `random` being 0, with its 95% interval."""

    elo: float
    low: float
    high: float
    extrapolated: Beyond | None = None
    """Where no player of known strength bounds it on that side."""

    @property
    def figure(self) -> str:
        return at_bound(f"{self.elo:.0f}", self.extrapolated)


@dataclass(frozen=True)
class Entry:
    """Somebody to play against."""

    spec: str
    title: str
    summary: str
    family: str
    """How it learned to play: a learner's name, `search`, `rules of thumb`, `chance`, `companion`, `pupil`."""
    strength: Strength | None = None
    card: Card | None = None
    file: Path | None = None
    options: str = ""
    """Of the file, as in a spec."""

    @property
    def is_trained(self) -> bool:
        return self.card is not None


def game_named(name: str) -> Game:
    """Raises Unknown for what is not offered."""
    if name not in offered():
        raise Unknown(f"There is no game '{name}'.{suggest(name, offered())}")
    return games.game(name)


def offered() -> tuple[str, ...]:
    """The names of the games that are played here."""
    return tuple(name for name in games.names() if games.game(name).n_squares <= MAX_SQUARES)


class Menu:
    """The lists. Trained players are the zoo's, and those of the runs in one folder."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        self._listed: dict[str, dict[str, Entry]] = {}
        self._players: dict[tuple[str, str, float], Player] = {}
        self._damaged: dict[Path, float] = {}
        """Files that hold no player after all, and when they were written."""
        self._n_changes = registry.n_changes()

    def entries(self, game: Game) -> Mapping[str, Entry]:
        """By spec: the person's own partners, the trained ones, the others, the strongest first. Runs are looked up each time."""
        found = self._lasting(game) | {it.spec: it for it in self._of_runs(game)}
        return {spec: it for spec, it in found.items() if not self._is_damaged(it)}

    def _lasting(self, game: Game) -> dict[str, Entry]:
        """All but the runs."""
        self._check_registry()
        if game.name not in self._listed:
            found = [*_partners(game), *_zoo(game), *_untrained(game)]
            self._listed[game.name] = {it.spec: it for it in found}
        return self._listed[game.name]

    def is_listed(self, game: Game) -> bool:
        """Whether the list is there already: making one asks for the rules, which may have to be compiled."""
        self._check_registry()
        return game.name in self._listed

    def entry(self, game: Game, spec: str) -> Entry:
        """Raises Unknown for whoever is not listed."""
        # Every move asks for its player: the folder of runs is read only where that player is one of them.
        lasting = self._lasting(game)
        listed = lasting if spec in lasting else {**self.entries(game), **self._snapshot(game, spec)}
        listed = {**listed, **self._of_league(game, spec)}
        if spec not in listed or self._is_damaged(listed[spec]):
            raise Unknown(f"No player of {game.title} here is called '{spec}'.{suggest(spec, listed)}")
        return listed[spec]

    def title(self, game: Game, spec: str) -> str:
        """What people call somebody; the spec itself where nobody is listed by it any more."""
        try:
            return self.entry(game, spec).title
        except Unknown:
            return spec

    def player(self, game: Game, spec: str) -> Player:
        """The player of an entry; a file is read again only after it has changed. Not for a person's own partners."""
        entry = self.entry(game, spec)
        key = _key(game, entry)
        if key not in self._players:
            loaded = player(spec, game) if entry.file is None else self._load(entry.file, game, entry)
            self._players = {it: kept for it, kept in self._players.items() if it[:2] != key[:2]} | {key: loaded}
        return self._players[key]

    def _load(self, file: Path, game: Game, entry: Entry) -> Player:
        """Its card can be read, but only loading it shows whether the rest can. A damaged file is not loaded twice."""
        try:
            return load_player(file, game, entry.options, name=entry.spec)
        except UserError as error:
            self._damaged[file] = written_at(file)
            warn(f"{entry.spec} is left out: {error}")
            raise Unknown(f"'{entry.spec}' cannot play: its file is damaged. Choose somebody else.") from error

    def _is_damaged(self, entry: Entry) -> bool:
        return entry.file in self._damaged and self._damaged[entry.file] == written_at(entry.file)

    def known_player(self, game: Game, spec: str) -> Player | None:
        """As `player`, but at once: None if it would have to be loaded first."""
        self._check_registry()
        entry = self._listed.get(game.name, {}).get(spec)
        return None if entry is None else self._players.get(_key(game, entry))

    def adviser(self, game: Game) -> Entry:
        """The strongest player of known strength; if there is none, the longest search."""
        thinking = [it for it in self.entries(game).values() if it.family != "chance" and not is_partner(it.spec)]
        if any(it.strength is not None for it in thinking):
            return max(thinking, key=_elo)
        return next((it for it in reversed(thinking) if it.family == "search"), thinking[-1])

    def families(self, game: Game) -> list[Entry]:
        """One of each family, the strongest: those whose judgements are shown beside each other."""
        best: dict[str, Entry] = {}
        for it in self.entries(game).values():
            if it.family == "chance" or is_partner(it.spec):
                continue
            kept = best.get(it.family)
            # If none has been measured, the one that thinks more is listed later.
            if kept is None or _elo(it) >= _elo(kept):
                best[it.family] = it
        return list(best.values())

    def _check_registry(self) -> None:
        """Forgets the lists if a player has been registered or replaced since."""
        if self._n_changes != registry.n_changes():
            self._n_changes = registry.n_changes()
            self._listed, self._players = {}, {}

    def _of_runs(self, game: Game) -> list[Entry]:
        files = [folder / PLAYER_FILE for folder in run_folders(self.runs)]
        return _trained(game, {f"{RUNS}/{it.parent.name}": it for it in files if isfile(it)}, "run")

    def _snapshot(self, game: Game, spec: str) -> dict[str, Entry]:
        """What a run was after a round, such as `runs/NAME@64`; nothing if it is not there."""
        place, _, round = spec.rpartition("@")
        folders = [it for it in run_folders(self.runs) if f"{RUNS}/{it.name}" == place]
        files = {str(n): path for it in folders for n, path in snapshots(it).items()}
        found = _trained(game, {spec: files[round]}, "run") if round in files else []
        return {it.spec: it for it in found}

    def _of_league(self, game: Game, spec: str) -> dict[str, Entry]:
        """A snapshot of a league; nothing if it is not there."""
        snapshot = leagues.snapshot_named(self.runs, game.name, spec)
        found = [] if snapshot is None else _trained(game, {spec: snapshot.file}, "league")
        strength = None if snapshot is None or snapshot.rating is None else _strength(snapshot.rating)
        return {
            it.spec: replace(it, title=snapshot.title, options=snapshot.options, strength=strength)
            for it in found
            if snapshot is not None
        }


def run_folders(runs: Path) -> list[Path]:
    """Whatever is in the folder of runs, under names that a page can show; what is hidden is the page's own."""
    try:
        return sorted(it for it in runs.iterdir() if it.name.isprintable() and not it.name.startswith("."))
    except OSError:
        return []


def _key(game: Game, entry: Entry) -> tuple[str, str, float]:
    return game.name, entry.spec, written_at(entry.file) if entry.file is not None else 0.0


def written_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0  # it has just gone


def _partners(game: Game) -> list[Entry]:
    return [_partner(companion.OFFER), *_styles(game), *[_partner(pupil.OFFER)] * pupil.has_maps(game)]


def _styles(game: Game) -> list[Entry]:
    """The companion in the style of each family of the zoo's players."""
    known = methods.all_methods()
    try:
        found = companion.families(game)
    except UserError as error:
        _warn_once(str(error))
        return []
    named = {family: known[family].title if family in known else family for family, _ in found}
    return [
        Entry(partner.styled(family), title, "its style, about as strong as you are", OFFER.spec)
        for family, title in named.items()
    ]


def _partner(offer: Offer) -> Entry:
    return Entry(*offer, family=offer.spec)


def _zoo(game: Game) -> list[Entry]:
    found = _trained(game, {f"zoo/{it.stem}": it for it in sorted(ZOO.glob("*.safetensors"))}, "zoo")
    return sorted(found, key=_elo, reverse=True)


@cache
def _warn_once(sentence: str) -> None:
    warn(sentence)


def _trained(game: Game, files: Mapping[str, Path], where: str) -> list[Entry]:
    entries = []
    for spec, path in files.items():
        try:
            card = read_card(path)
        except UserError as error:
            _warn_once(f"{spec} is left out: {error}")
            continue
        if card.game != game.name:
            continue
        strength = None if card.rating is None else _strength(card.rating)
        summary = f"learned in {card.training.get('games', 0):,} games ({where})"
        entries.append(Entry(spec, _title(spec, card), summary, card.learner, strength, card, path))
    return entries


def _strength(rating: Mapping[str, Any]) -> Strength:
    elo, low, high = (float(rating[it]) for it in ("elo", "low", "high"))
    beyond = rating.get("extrapolated")
    return Strength(elo, low, high, beyond if beyond in ("above", "below") else None)


def _title(spec: str, card: Card) -> str:
    """How it learned, and the variant where its name has one; a run is called as its owner called it."""
    name, _, round = spec.partition("/")[2].partition("@")
    own = name.removeprefix(f"{card.game}-")
    if round:
        return f"{_title(f'{RUNS}/{name}', card)}, round {round}"
    if not own.startswith(card.learner):
        return own
    known = methods.all_methods()
    learned = known[card.learner].title if card.learner in known else card.learner
    parts = [learned, *own.removeprefix(card.learner).split("-")]
    return " ".join(it for it in [*parts, "(run)" if spec.startswith(RUNS) else ""] if it)


def _untrained(game: Game) -> list[Entry]:
    """Every kind of player that plays the game, as it offers itself."""
    try:
        measured = {it.player: Strength(*it[1:]) for it in rungs(game)}
    except UserError as error:
        _warn_once(str(error))
        measured = {}
    entries = []
    for kind in kinds().values():
        for offer in kind.offered(game):
            # Where the ladder has measured a player of the same first option, that one is offered: its strength is known.
            spec = next((it for it in measured if it.startswith(f"{offer.spec},")), offer.spec)
            entries.append(Entry(spec, offer.title, offer.summary, kind.family or kind.name, measured.get(spec)))
    return sorted(entries, key=_elo, reverse=True)


def _elo(entry: Entry) -> float:
    return entry.strength.elo if entry.strength is not None else float("-inf")
