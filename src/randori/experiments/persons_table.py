"""The companion's reports in one table: `python -m randori.experiments.persons_table` prints it for `docs/companion.md`."""

from pathlib import Path
from typing import Any

from randori import games
from randori.documents import DOCS
from randori.experiments.persons import TARGET
from randori.players.companion import dial
from randori.reading import read_json

REPORTS = DOCS / "companion"
_HEADS = (
    "board",
    "persons up to",
    "dial up to",
    "games per rung",
    "lowest score",
    "highest score",
    "outside 0.40 .. 0.60",
)


def table(reports: Path = REPORTS) -> str:
    """Markdown: how the companion did on each board that has a report."""
    rows = [list(_HEADS), ["---", "---", *["---:"] * (len(_HEADS) - 3), "---"]]
    for name in games.names():
        file = reports / name / "report.json"
        if file.exists():
            rows.append(_row(name, read_json(file)["tables"][0]["figures"]))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(name: str, figures: list[dict[str, Any]]) -> list[str]:
    game, low, high = games.game(name), *TARGET
    scores = [it["ours"] for it in figures]
    fewest, most = min(it["games"] for it in figures), max(it["games"] for it in figures)
    outside = [f"`{it['what']}`: {it['ours']:.3f}" for it in figures if not low <= it["ours"] <= high]
    return [
        f"[{game.title}](companion/{name}/report.md)",
        f"`{figures[-1]['what']}`",
        f"{dial(game).strongest:.0f}",
        str(most) if fewest == most else f"{fewest} to {most}",
        f"{min(scores):.2f}",
        f"{max(scores):.2f}",
        ", ".join(outside) or "none",
    ]


if __name__ == "__main__":
    print(table())
