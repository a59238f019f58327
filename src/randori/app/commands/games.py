"""`randori games`."""

from randori import games as known
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table


def games(json: JsonFlag = False) -> None:
    """Lists the games."""
    listed = known.listed()
    if json:
        print_json({"games": listed})
        return
    rows = [
        [it["name"], it["title"], "{} x {}".format(*it["shape"]), str(it["n_actions"]), str(it["max_plies"])]
        for it in listed
    ]
    print_table(["game", "", "board", "actions", "plies at most"], rows)
