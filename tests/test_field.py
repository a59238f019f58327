"""The field of opponents: whom a newcomer meets, how the zoo was rated, and that its figures can be reproduced."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import randori
from randori import games
from randori.app.service.menu import Menu
from randori.app.service.schemas import PlayerOut
from randori.arena.ratings import expected
from randori.arena.scores import Score
from randori.experiments import field as fields
from randori.experiments import ladder, make_field, make_ladder
from randori.experiments.field import Field, field, measure, measure_again
from randori.experiments.gauge import strength_of
from randori.experiments.ladder import rungs
from randori.players.files import ZOO, read_card
from randori.workers import Workers

ZOO_GAMES = sorted({read_card(path).game for path in ZOO.glob("*.safetensors")})


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate field file, empty at first."""
    path = tmp_path / "field.json"
    monkeypatch.setattr(fields, "FIELD_FILE", path)
    monkeypatch.setattr(make_field, "FIELD_FILE", path)
    monkeypatch.setattr(make_field, "GAMES_AT_FIRST", 4)
    monkeypatch.setattr(make_field, "GAMES_A_PAIR", 10)
    return path


@pytest.mark.parametrize("name", ZOO_GAMES)
def test_the_field_holds_the_whole_zoo_as_it_is(name: str) -> None:
    """If not, `python -m randori.experiments.make_field` plays what is missing."""
    game = randori.game(name)
    trained = make_field.zoo_of(game)
    assert set(field(game).order()) == {it.player for it in rungs(game)} | set(trained)
    kept = fields.read_fields()[name]
    assert kept["players"] == {it: make_field._digest(it) for it in trained}
    assert make_field.next_match(field(game), trained) is None


@pytest.mark.parametrize("name", ZOO_GAMES)
def test_cards_of_the_zoo_say_what_the_field_says(name: str) -> None:
    known = field(randori.game(name))
    for rating in known.ratings():
        card_rating = read_card(ZOO / f"{rating.name.removeprefix('zoo/')}.safetensors").rating
        measurement = fields.Measured(rating, known.opponents(rating.name), make_field.SEED)
        assert card_rating == json.loads(json.dumps(strength_of(measurement)))


@pytest.mark.parametrize("name", ZOO_GAMES)
def test_every_player_of_the_zoo_has_met_its_neighbours(name: str) -> None:
    known = field(randori.game(name))
    order = known.order()
    for rating in known.ratings():
        place = order.index(rating.name)
        scores = known.opponents(rating.name)
        for other in (*order[max(place - 1, 0) : place], *order[place + 1 : place + 2]):
            assert scores[other].games >= make_field.GAMES_A_PAIR


def test_alphazero_and_evolution_differ_on_othello_as_they_do_in_their_match() -> None:
    known = field(randori.game("othello8"))
    elos = {it.name: it for it in known.ratings()}
    ours, theirs = elos["zoo/othello8-alphazero"], elos["zoo/othello8-evolution"]
    low, high = known.opponents(ours.name)[theirs.name].interval
    assert low <= expected(ours.elo - theirs.elo) <= high
    assert ours.elo - theirs.elo > 450
    assert ours.low > theirs.high
    assert ours.extrapolated is None, "pattern players bound it from above"


def test_a_newcomer_meets_the_next_weaker_and_the_next_stronger(elsewhere: Path) -> None:
    game = randori.game("connect4")
    order = [it.player for it in rungs(game)]
    with Workers(1) as staff:
        found = measure(game, randori.player("heuristic", game), 40, 1, staff)
        again = measure(game, randori.player("heuristic", game), 40, 1, staff)
        assert measure(game, randori.player("random", game), 40, 1, staff, stop=lambda: True) is None
    assert found is not None
    assert found == again
    assert len(found.scores) <= 3
    beaten = max(order.index(it) for it, score in found.scores.items() if score.mean >= 0.5)
    assert order[beaten + 1] in found.scores
    known = {it.player: it.elo for it in rungs(game)}
    assert found.rating.low < known["heuristic"] < found.rating.high
    assert found.rating.extrapolated is None


def test_a_newcomer_above_or_below_everyone_is_marked(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("connect4")
    weak = [it for it in rungs(game) if it.elo < 300]
    monkeypatch.setattr(fields, "rungs", lambda game: weak)
    with Workers(1) as staff:
        best = measure(game, randori.player("uct:simulations=1000", game), 30, 1, staff)
        monkeypatch.setattr(fields, "rungs", lambda game: rungs(game)[3:])
        worst = measure(game, randori.player("random", game), 30, 1, staff)
    assert best is not None
    assert worst is not None
    assert (best.rating.extrapolated, worst.rating.extrapolated) == ("above", "below")
    assert strength_of(best)["extrapolated"] == "above"


def test_a_newcomer_plays_the_same_games_whatever_it_is_called() -> None:
    game = randori.game("tictactoe")
    with Workers(1) as staff:
        players = [replace(randori.player("zoo/tictactoe-som", game), name=name) for name in ("a", "zzz")]  # type: ignore[type-var]
        first, second = (measure(game, it, 20, 3, staff) for it in players)
        assert first is not None
        assert first == second
        n_games = {it: score.games for it, score in first.scores.items()}
        assert measure_again(game, players[1], n_games, 3, staff) == first


def test_a_player_of_the_zoo_is_rated_again_by_the_same_games() -> None:
    game = randori.game("tictactoe")
    known = field(game)
    name = "zoo/tictactoe-evolution"
    n_games = {it: score.games for it, score in known.opponents(name).items()}
    with Workers(1) as staff:
        found = measure_again(game, randori.player(name, game), n_games, make_field.SEED, staff)
    assert found is not None
    assert found.scores == known.opponents(name)
    assert found.rating == next(it for it in known.ratings() if it.name == name)


def test_an_interrupted_field_gives_the_same_result(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("tictactoe")
    trained = make_field.zoo_of(game)
    with Workers(1) as staff:
        whole = make_field.make_field(game, trained, staff)
        written = elsewhere.read_bytes()
        elsewhere.unlink()
        monkeypatch.setattr(make_field, "meet", interrupted_after(7))
        with pytest.raises(KeyboardInterrupt):
            make_field.make_field(game, trained, staff)
        monkeypatch.setattr(make_field, "meet", interrupted_after(10**6))
        assert make_field.make_field(game, trained, staff) == whole
        assert elsewhere.read_bytes() == written
        monkeypatch.setattr(make_field, "meet", interrupted_after(0))
        assert make_field.make_field(game, trained, staff) == whole, "nothing is played again"
        kept = json.loads(written)
        kept["tictactoe"]["players"]["zoo/tictactoe-som"] = "another file"
        elsewhere.write_text(json.dumps(kept))
        with pytest.raises(KeyboardInterrupt):
            make_field.make_field(game, trained, staff)


def interrupted_after(n: int):  # type: ignore[no-untyped-def]
    left = [n]

    def meet(*args: object) -> Score | None:
        left[0] -= 1
        return fields.meet(*args) if left[0] >= 0 else None  # type: ignore[arg-type]

    return meet


def test_without_a_zoo_the_field_is_the_ladder() -> None:
    for name in set(games.names()) - set(ZOO_GAMES):
        game = randori.game(name)
        assert field(game) == Field(game, {})
        assert field(game).order() == [it.player for it in rungs(game)]
        assert field(game).ratings() == []


def test_rungs_without_an_upper_bound_are_marked() -> None:
    tops = {name: rungs(randori.game(name))[-1] for name in games.names()}
    beyond = {name for name, it in tops.items() if it.extrapolated == "above"}
    assert beyond == {"gomoku13", "gomoku15", "gomoku19", "gomoku20"}, "where searches do not reach the rules of thumb"


def test_a_further_rung_leaves_the_others_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
) -> None:
    kept = json.loads(ladder.LADDER_FILE.read_text())
    before = kept["connect4"]
    own = tmp_path / "ladder.json"
    own.write_text(json.dumps(kept))
    monkeypatch.setattr(ladder, "LADDER_FILE", own)
    monkeypatch.setattr(make_ladder, "LADDER_FILE", own)
    further = "uct:simulations=300,c=1.4,priors=false,rollout=random"
    make_ladder.main(["connect4", "--add", further])
    after = json.loads(own.read_text())["connect4"]["ratings"]
    assert [it for it in after if it["player"] != further] == before["ratings"]
    assert 600 < next(it["rating"] for it in after if it["player"] == further) < 1200
    assert further in field(randori.game("connect4")).order()
    row = next(it for it in after if it["player"] == further)
    low, high = row["interval"]
    assert (high - low) / 2 <= make_ladder.WIDTH or row["games"] >= make_ladder.MOST_GAMES
    assert row["games"] % make_ladder.ROUND == 0


def test_players_between_two_rungs_are_rated_together_with_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
) -> None:
    own = tmp_path / "ladder.json"
    monkeypatch.setattr(ladder, "LADDER_FILE", own)
    monkeypatch.setattr(make_ladder, "LADDER_FILE", own)
    between = "uct:simulations=300,c=1.4,priors=false,rollout=random"
    make_ladder.main(["tictactoe", "--with", between, "--most-games", "140"])
    made = json.loads(own.read_text())["tictactoe"]
    assert {it["player"] for it in made["ratings"]} == {*make_ladder.OPPONENTS, between}
    n_rungs = len(make_ladder.OPPONENTS) + 1
    assert made["games"] >= n_rungs * (n_rungs - 1) / 2 * make_ladder.ROUND, "everybody meets everybody"


def test_a_ladder_is_made_by_adaptive_effort() -> None:
    game = randori.game("tictactoe")
    specs = ("random", "greedy", "heuristic")
    with Workers(1) as staff:
        result = make_ladder.make_ladder(game, specs, staff)
        assert make_ladder.make_ladder(game, specs, staff) == result
    assert [it["player"] for it in result["ratings"]] == ["heuristic", "greedy", "random"]
    widths = {it["player"]: (it["interval"][1] - it["interval"][0]) / 2 for it in result["ratings"]}
    assert widths["random"] == 0
    assert widths["greedy"] <= make_ladder.WIDTH, "heuristic, far above, may use up its games before"
    known = {it.player: it.elo for it in rungs(game)}
    for it in result["ratings"]:
        assert it["rating"] == pytest.approx(known[it["player"]], abs=120)
    assert result["games"] <= 2 * make_ladder.MOST_GAMES


def test_the_page_says_at_least(tmp_path: Path) -> None:
    entries = Menu(tmp_path).entries(randori.game("gomoku15"))
    best = entries["zoo/gomoku15-comparison"].strength
    assert best is not None
    assert best.figure == f"at least {best.elo:.0f}"
    assert PlayerOut.of(entries["zoo/gomoku15-comparison"]).extrapolated == "above"
    weakest = entries["random"].strength
    assert weakest is not None
    assert weakest.figure == "0"
