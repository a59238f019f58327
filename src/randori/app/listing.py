"""`randori games` and `randori players`."""

from randori import games as table_of_games
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table
from randori.players import kinds


def games(json: JsonFlag = False) -> None:
    """The games there are."""
    listed = [table_of_games.game(name) for name in table_of_games.names()]
    if json:
        keys = ("name", "title", "shape", "n_actions", "max_plies")
        print_json({"games": [{key: getattr(it, key) for key in keys} for it in listed]})
        return
    rows = [
        [it.name, it.title, f"{it.shape[0]} x {it.shape[1]}", str(it.n_actions), str(it.max_plies)] for it in listed
    ]
    print_table(["game", "", "board", "actions", "plies at most"], rows)


def players(json: JsonFlag = False) -> None:
    """The kinds of players there are and how to name them."""
    listed = kinds()
    if json:
        print_json({"players": [{"spec": kind.spec(name), "summary": kind.summary} for name, kind in listed.items()]})
        return
    for name, kind in listed.items():
        print(f"{kind.spec(name)}\n    {kind.summary}")
