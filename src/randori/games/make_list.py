"""Writes what lists say of the package's games: `python -m randori.games.make_list`."""

import json

from randori.games import LISTED, REGISTRY, facts


def main() -> None:
    rows = [json.dumps(facts(source())) for name, source in REGISTRY.all().items() if name not in REGISTRY.foreign()]
    LISTED.write_text("[\n " + ",\n ".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
