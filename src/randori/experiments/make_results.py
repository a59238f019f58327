"""Measures the README's table of results: `python -m randori.experiments.make_results [--written]`.

One row or two for each method, by the same games for the same seed. What was measured is kept in docs/results/report.json;
with `--written` nothing is measured and the table is written from there.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from randori import arena, games, players
from randori.experiments.accuracy import measure_accuracy, prepare_exam
from randori.experiments.cpu import CountingWorkers
from randori.experiments.report import Figure, Report, Table, markdown_table, read_report
from randori.experiments.run import package_version
from randori.players.files import find_file, read_card
from randori.tensorfile import write_whole

COMMAND = "python -m randori.experiments.make_results"
FOLDER, README = Path("docs/results"), Path("README.md")
SEED = 2026
OPENED, CLOSED = "<!-- results -->\n", "<!-- end of results -->"


class Row(NamedTuple):
    """One measurement."""

    player: str
    """A spec of the zoo, whose card names the game."""
    note: str
    """What one should know of it."""
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


def measure_all() -> Report:
    with CountingWorkers(None) as workers:
        figures = []
        for row in ROWS:
            figures.append(measure(row, workers))
            print(f"{row.name}: {figures[-1].ours:.3f}", file=sys.stderr)
        note = (
            "Scores count a draw as half a point; games start from paired random openings. Against the solver: the share of "
            "moves that keep the exact value, in positions where not every move does."
        )
        table = Table("What players of the zoo reach", figures, note, digits=3)
        return Report("Results", COMMAND, tables=[table], version=package_version(), seed=SEED,
                      cpu_seconds=workers.cpu_seconds)  # fmt: skip


def table_of(report: Report) -> str:
    """As the README has it."""
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


def main(arguments: list[str]) -> None:
    if "--written" not in arguments:
        measure_all().save(FOLDER)
    text = README.read_text(encoding="utf-8")
    write_whole(README, put_into(text, read_report(FOLDER / "report.json")).encode())
    print(f"Written to {README}.")


if __name__ == "__main__":
    main(sys.argv[1:])
