"""Rates the zoo's players: `python -m randori.experiments.make_field [GAME ...]`.

Each player plays a few games against everybody in its field, then more against those next to it in strength, as the
games so far show it. Every match is stored as it ends: the same command continues where it stopped, and repeats only
the matches of players whose files have changed. Finally the ratings are written on the cards.
"""

import hashlib
import json
import sys

from randori import games, players
from randori.arena import in_words
from randori.arena.scores import Score
from randori.core.game import Game
from randori.experiments.field import FIELD_FILE, Field, Measured, Pair, field, meet, read_fields
from randori.experiments.gauge import strength_of
from randori.players.files import ZOO, copy_player, find_file, read_card, read_tensors
from randori.tensorfile import write_whole
from randori.workers import Workers

GAMES_AT_FIRST, GAMES_A_PAIR = 20, 100
NEIGHBOURS = 1
"""On each side. With more of them the games against those further away would decide about the next ones: no rating
predicts how all styles meet, and it had better be right about neighbours."""
SEED = 0


def zoo_of(game: Game) -> list[str]:
    paths = sorted(ZOO.glob("*.safetensors"))
    return [f"zoo/{path.stem}" for path in paths if read_card(path).game == game.name]


def next_match(known: Field, trained: list[str]) -> tuple[Pair, int] | None:
    """The next pair and its number of games, which follow from the games so far; None when everything has been
    played.
    """
    everybody = sorted({*known.order(), *trained})
    for pair in ((a, b) for a in trained for b in everybody if b not in trained or a < b):
        if pair not in known.pairs:
            return pair, GAMES_AT_FIRST
    order = known.order()
    for name in trained:
        place = order.index(name)
        near = [*order[max(place - NEIGHBOURS, 0) : place], *order[place + 1 : place + 1 + NEIGHBOURS]]
        for other in near:
            pair = (min(name, other), max(name, other)) if other in trained else (name, other)
            if known.pairs[pair].games < GAMES_A_PAIR:
                return pair, GAMES_A_PAIR
    return None


def make_field(game: Game, trained: list[str], workers: Workers) -> Field:
    """Plays the missing matches, and stores each as it ends."""
    digests = {name: _digest(name) for name in trained}
    earlier = read_fields().get(game.name, {"players": {}})["players"]
    changed = {name for name in earlier if digests.get(name) != earlier[name]}
    known = Field(game, {pair: score for pair, score in field(game).pairs.items() if not changed & set(pair)})
    while (planned := next_match(known, trained)) is not None:
        (name, other), n_games = planned
        score = meet(game, name, players.player(name, game), other, n_games, SEED, workers)
        if score is None:
            raise KeyboardInterrupt
        print(game.name, name, other, score, flush=True)
        known = Field(game, {**known.pairs, (name, other): score})
        _keep(known, digests)
    return known


def _keep(known: Field, digests: dict[str, str]) -> None:
    kept = read_fields()
    rows = [{"first": a, "second": b, **_row(score)} for (a, b), score in sorted(known.pairs.items())]
    kept[known.game.name] = {"seed": SEED, "players": digests, "pairs": rows}
    lines = json.dumps(kept, indent=1).replace("\n    ", " ").replace("\n   }", " }")
    write_whole(FIELD_FILE, (lines + "\n").encode())


def _row(score: Score) -> dict[str, int]:
    return {key: getattr(score, key) for key in ("wins", "draws", "losses", "distinct_games")}


def _digest(name: str) -> str:
    """A hash of everything that decides how a player plays, such as its settings and arrays but not its rating."""
    path = find_file(name)
    digest = hashlib.sha256(json.dumps(read_card(path).settings, sort_keys=True).encode())
    for key, tensor in sorted(read_tensors(path).items()):
        digest.update(key.encode() + tensor.tobytes())
    return digest.hexdigest()[:16]


def write_cards(known: Field) -> None:
    """Puts the ratings on the cards of the zoo."""
    for rating in known.ratings():
        path = find_file(rating.name)
        strength = strength_of(Measured(rating, known.opponents(rating.name), SEED))
        copy_player(path, path, training={}, rating=strength)
        print(rating.name, in_words(strength), sep="  ")


def main(names: list[str]) -> None:
    """Rates the zoo's players of these games, or of all."""
    with Workers(1) as staff:
        for game in map(games.game, names or games.names()):
            if trained := zoo_of(game):
                write_cards(make_field(game, trained, staff))


if __name__ == "__main__":
    main(sys.argv[1:])
