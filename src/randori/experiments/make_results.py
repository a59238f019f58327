"""Measures the README's table of results: `python -m randori.experiments.make_results [--written | PLAYER ...]`.

One row or two for each method, by the same games for the same seed. What was measured is kept in docs/results/report.json:
with `--written` nothing is measured and the table is written from there, with players of the zoo only their rows are
measured again. The README's part of the league is written from docs/league.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from randori import arena, games, players
from randori.experiments.accuracy import measure_accuracy, prepare_exam
from randori.experiments.cpu import CountingWorkers
from randori.experiments.league import read_league
from randori.experiments.league.standing import standings
from randori.experiments.league.writing import ranks_table
from randori.experiments.report import Figure, Report, Table, markdown_table, read_report
from randori.experiments.run import package_version
from randori.players.files import find_file, read_card
from randori.tensorfile import write_whole

COMMAND = "python -m randori.experiments.make_results"
FOLDER, LEAGUE, README = Path("docs/results"), Path("docs/league"), Path("README.md")
SEED = 2026
OPENED, CLOSED = "<!-- results -->\n", "<!-- end of results -->"
_LEAGUE = re.compile(r"(<!-- league: (\w+) -->\n).*?(<!-- end of league -->)", re.DOTALL)


class Row(NamedTuple):
    """One measurement."""

    player: str
    """A spec of the zoo, whose card names the game."""
    note: str
    """A remark on the player."""
    against: str | None
    """A spec; None: the solver, who knows which moves keep the value."""
    n: int
    """Games, or positions."""

    @property
    def name(self) -> str:
        return f"{self.player} against {self.opponent}"

    @property
    def opponent(self) -> str:
        return self.against or "the solver"


ROWS = (
    Row("zoo/othello8-ntuple:nodes=100000", "about 10 ms per move", "zoo/othello8-alphazero", 400),
    Row("zoo/othello8-alphazero:simulations=100", "", "uct:simulations=1000", 400),
    Row("zoo/othello8-evolution", "4 plies", "heuristic", 1000),
    Row("zoo/othello8-deep-q", "no search", "heuristic", 4000),
    Row("zoo/othello8-som:depth=2", "2 plies", "greedy", 4000),
    Row("zoo/gomoku15-comparison", "with threat search", "heuristic", 1000),
    Row("zoo/connect4-ntuple:nodes=100000", "about 10 ms per move", None, 1000),
    Row("zoo/connect4-alphazero:simulations=200,exact=0", "network and search alone", None, 1000),
)


def measure(row: Row, workers: CountingWorkers) -> Figure:
    game = games.game(read_card(find_file(row.player.partition(":")[0])).game)
    ours = players.player(row.player, game)
    if row.against is None:
        kept = measure_accuracy(ours, prepare_exam(game, row.n, SEED), SEED)
        return Figure(row.name, kept.share, kept.interval, games=kept.positions)
    planned = arena.duel(game, ours, players.player(row.against, game), row.n, seed=SEED)
    score = arena.play_duels([planned], workers)[0].score
    return Figure(row.name, score.mean, score.interval, games=score.games)


def measure_all(rows: Sequence[Row], known: Report | None = None) -> Report:
    """A report of all rows; figures of other rows come from the known report."""
    figures = {it.what: it for table in known.tables for it in table.figures} if known is not None else {}
    with CountingWorkers(None) as workers:
        for row in rows:
            figures[row.name] = found = measure(row, workers)
            print(f"{row.name}: {found.ours:.3f}", file=sys.stderr)
        note = (
            "Scores count a draw as half a point; games start from paired random openings. Against the solver: the share of "
            "moves that keep the exact value, in positions where not every move does."
        )
        table = Table("What players of the zoo reach", [figures[row.name] for row in ROWS], note, digits=3)
        before = 0.0 if known is None else known.cpu_seconds or 0.0
        return Report("Results", COMMAND, tables=[table], version=package_version(), seed=SEED,
                      cpu_seconds=before + workers.cpu_seconds)  # fmt: skip


def table_of(report: Report) -> str:
    """The table as the README shows it."""
    found = {it.what: it for table in report.tables for it in table.figures}
    rows = []
    for row in ROWS:
        figure = found[row.name]
        assert figure.ours is not None
        assert figure.interval is not None
        low, high = figure.interval
        player = f"`{row.player}`" + (f" ({row.note})" if row.note else "")
        rows.append([player, row.opponent, f"{figure.ours:.3f} ({low:.3f} .. {high:.3f})", f"{figure.games:,}"])
    return markdown_table(["player", "against", "score (95% interval)", "games"], rows)


def put_into(text: str, report: Report) -> str:
    before, _, rest = text.partition(OPENED)
    _, _, after = rest.partition(CLOSED)
    return f"{before}{OPENED}{table_of(report)}{CLOSED}{after}"


def put_league_into(text: str, league: dict[str, Any]) -> str:
    """Replaces the picture and the ranks of each game that a mark in the text names."""
    of_games = {it["game"]: it for it in league["games"]}

    def part(found: re.Match[str]) -> str:
        of_game = of_games[found[2]]
        picture = f"![{of_game['title']}: rating by CPU seconds of learning]({LEAGUE.as_posix()}/{of_game['game']}-player.svg)\n"
        return f"{found[1]}{picture}\n{ranks_table(standings(of_game, 'player'))}{found[3]}"

    return _LEAGUE.sub(part, text)


def main(arguments: list[str]) -> None:
    stored = FOLDER / "report.json"
    if "--written" not in arguments:
        named = {row.player.partition(":")[0] for row in ROWS}
        if unknown := set(arguments) - named:
            sys.exit(f"No row has {', '.join(sorted(unknown))}; there are {', '.join(sorted(named))}.")
        chosen = [row for row in ROWS if not arguments or row.player.partition(":")[0] in arguments]
        measure_all(chosen, read_report(stored) if arguments else None).save(FOLDER)
    text = put_into(README.read_text(encoding="utf-8"), read_report(stored))
    write_whole(README, put_league_into(text, read_league(LEAGUE)).encode())
    print(f"Written to {README}.")


if __name__ == "__main__":
    main(sys.argv[1:])
