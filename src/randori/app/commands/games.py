"""`randori games`."""

from randori import games as known
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table


def games(json: JsonFlag = False) -> None:
    """The games there are."""
    listed = [known.game(name) for name in known.names()]
    if json:
        keys = ("name", "title", "shape", "n_actions", "max_plies")
        print_json({"games": [{key: getattr(it, key) for key in keys} for it in listed]})
        return
    rows = [
        [it.name, it.title, f"{it.shape[0]} x {it.shape[1]}", str(it.n_actions), str(it.max_plies)] for it in listed
    ]
    print_table(["game", "", "board", "actions", "plies at most"], rows)
