"""Forfeited games: lost in the score, listed beside it everywhere, and left out of ratings."""

import pickle  # noqa: TID251 (workers send what a player raises)
from dataclasses import dataclass

import numpy as np
import pytest

import randori
from randori.app.commands.tournament import print_tournament
from randori.app.crosstable import cross_table_html
from randori.arena import Tournament, play_tournament
from randori.arena.match import Forfeited
from randori.core.game import Game, States
from randori.core.player import PlayerFailed
from randori.core.record import Forfeit
from randori.players import Choice
from randori.workers import Workers


@dataclass(frozen=True)
class Quits:
    """Plays the first legal action; gives up the first game of each batch that has at least `after` stones."""

    game: Game
    after: int
    resigning: bool = False
    name = "quits"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        actions = self.game.legal(states).argmax(axis=1).astype(np.int16)
        stones = (self.game.cells(states) != 0).sum(axis=(1, 2))
        forfeits = [Forfeit(int(row), "it died.", self.resigning) for row in np.flatnonzero(stones >= self.after)[:1]]
        return Choice(actions, None, tuple(forfeits))


def tournament(quits: Quits) -> Tournament:
    others = [randori.player(it, quits.game) for it in ("random", "heuristic")]
    with Workers(1) as staff:
        return play_tournament(quits.game, [quits, *others], 20, workers=staff)


def test_forfeits_are_beside_the_score_and_not_in_the_rating(capsys: pytest.CaptureFixture[str]) -> None:
    result = tournament(Quits(randori.game("othello4"), after=11))
    match = result.matches[0]
    n = match.n_forfeits
    assert 0 < n < 20
    assert match.forfeits == (Forfeited("quits", match.duel.second.name, "it died.", n),)
    assert match.score.games == 20
    assert match.score.losses == match.by_rules.losses + n
    assert match.by_rules.games == 20 - n
    assert match.summary()["forfeits"] == [{"player": "quits", "opponent": "random", "reason": "it died.", "games": n}]
    rating = next(it for it in result.ratings if it.name == "quits")
    assert rating.games == 40 - result.forfeits("quits")
    assert {it["player"]: it["forfeits"] for it in result.summary()["ratings"]}["quits"] == result.forfeits("quits")
    print_tournament(result)
    output = capsys.readouterr().out
    assert "forfeits" in output
    assert f"quits forfeited {n} games against random: it died." in output
    page = cross_table_html(result)
    assert "<th>forfeits</th>" in page
    assert f"quits forfeited {n} games: it died." in page


def test_a_player_that_forfeits_everything_has_scores_and_no_rating(capsys: pytest.CaptureFixture[str]) -> None:
    @dataclass(frozen=True)
    class Never(Quits):
        def choose(self, states: States, rng: np.random.Generator) -> Choice:
            actions = np.full(len(states), -1, np.int16)
            return Choice(actions, None, tuple(Forfeit(row, "it died.") for row in range(len(states))))

    result = tournament(Never(randori.game("othello4"), after=0))
    assert {it.name for it in result.ratings} == {"random", "heuristic"}
    assert result.names[-1] == "quits"
    assert result.score("quits", "random") == 0
    print_tournament(result)
    assert "0*" in capsys.readouterr().out


def test_a_resigned_game_is_an_ordinary_loss() -> None:
    match = tournament(Quits(randori.game("othello4"), after=8, resigning=True)).matches[0]
    assert match.forfeits == ()
    assert match.by_rules == match.score


def test_errors_of_players_travel_from_worker_to_parent() -> None:
    error = pickle.loads(pickle.dumps(PlayerFailed("quits", "It died.")))  # noqa: S301
    assert (error.player, str(error)) == ("quits", "It died.")
