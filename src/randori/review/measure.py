"""Measures the referee by the solver: `python -m randori.review.measure [agreement|times] [--write docs/review.md]`.

From each of many games it takes one move, where the solver knows both what the position was worth and what the move
left. In truth a move is a mistake if it left less. The referee says "mistake" by the marks mistake, blunder and missed
win.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from randori import games
from randori.arena import Score
from randori.core.game import ONGOING, Game, States
from randori.players import player
from randori.review.course import review
from randori.review.effort import FINE
from randori.review.marks import Mark, mark_of
from randori.review.referee import Referee
from randori.search.solver import Solver

POSITIONS, SEED = 500, 0
TIMES_SEED = 1  # the budget of nodes was chosen on games of seed 0
_PLAYER, _BY_CHANCE = "uct:simulations=100", 0.25
"""Who plays these games, and the share of random moves."""
_MISTAKES = (Mark.MISTAKE, Mark.BLUNDER, Mark.MISSED_WIN)


@dataclass(frozen=True)
class Question:
    """A move that was played, and whether it was a mistake."""

    state: States
    action: int
    is_mistake: bool


@dataclass(frozen=True)
class Agreement:
    """How often the referee was right."""

    questions: int
    mistakes: int
    missed: int
    """Mistakes that it did not mark."""
    false_alarms: int
    """Marks on moves that kept the value."""
    exact: int
    """Verdicts that it had proved."""

    @property
    def share(self) -> float:
        return 1 - (self.missed + self.false_alarms) / self.questions

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share."""
        wrong = self.missed + self.false_alarms
        return Score(self.questions - wrong, 0, wrong, self.questions).interval


def played_moves(game: Game, rng: np.random.Generator) -> list[tuple[States, int]]:
    """A whole game of mixed quality: positions with the move that was made."""
    plays, state, moves = player(_PLAYER, game), game.start(1), []
    while game.outcome(state)[0] == ONGOING:
        by_chance = rng.random() < _BY_CHANCE
        action = int((game.pick(state, rng.random(1)) if by_chance else plays.choose(state, rng).actions)[0])
        moves.append((state, action))
        state = game.play(state, [action])
    return moves


def questions(game: Game, most_left: int, n: int, rng: np.random.Generator) -> list[Question]:
    """One question from each game, with at most `most_left` moves left and more than one legal move."""
    chosen: list[Question] = []
    solver = Solver(game, megabytes=64)
    while len(chosen) < n:
        moves = [it for it in played_moves(game, rng) if game.moves_left(it[0])[0] <= most_left]
        moves = [it for it in moves if game.legal(it[0])[0].sum() > 1]
        if moves:
            state, action = moves[int(rng.integers(len(moves)))]
            after = game.play(state, [action])
            outcome = int(game.outcome(after)[0])
            left = -(outcome if outcome != ONGOING else int(solver.outcomes(after)[0]))
            chosen.append(Question(state, action, left < int(solver.outcomes(state)[0])))
    return chosen


def measure(referee: Referee, sample: list[Question]) -> Agreement:
    verdicts = [referee.verdict(it.state, it.action, FINE) for it in sample]
    marked = np.array([mark_of(it) in _MISTAKES for it in verdicts])
    truth = np.array([it.is_mistake for it in sample])
    return Agreement(
        len(sample),
        int(truth.sum()),
        int((truth & ~marked).sum()),
        int((marked & ~truth).sum()),
        sum(it.exact for it in verdicts),
    )


def _row(title: str, found: Agreement) -> str:
    low, high = found.interval
    cells = [found.questions, found.mistakes, found.exact, found.missed, found.false_alarms]
    return (
        f"| {title} | {' | '.join(map(str, cells))} | {100 * found.share:.1f}% ({100 * low:.1f} to {100 * high:.1f}) |"
    )


def table(n: int = POSITIONS, seed: int = SEED) -> str:
    """Markdown: for each kind of position, the referee as it is, and without the solver."""
    lines = [
        "| positions | moves | mistakes | proved | not marked | marked wrongly | agreement (95% interval) |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, most_left, positions in (
        ("connect4", 34, "from ply 8 on"),
        ("othello8", 16, "16 empty squares or fewer"),
        ("othello6", 16, "16 empty squares or fewer"),
    ):
        game = games.game(name)
        sample = questions(game, most_left, n, np.random.default_rng(seed))
        for exact, how in ((True, ""), (False, ", nothing solved")):
            found = measure(Referee(game, exact=exact), sample)
            lines.append(_row(f"{game.title}, {positions}{how}", found))
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def times(n: int = 10, seed: int = TIMES_SEED) -> str:
    """A sentence: how long whole games of Othello take, one after the other in this process."""
    game, rng, seconds = games.game("othello8"), np.random.default_rng(seed), []
    for _ in range(n + 1):
        actions = [action for _, action in played_moves(game, rng)]
        began = time.process_time()
        review(game, actions)
        seconds.append(time.process_time() - began)
    warm = seconds[1:]  # the first one loads kernels
    return f"{n} games of Othello 8x8 took {np.mean(warm):.1f} CPU seconds each on average, {max(warm):.1f} at most."


def main() -> None:
    """Prints the figures, or puts them where they belong in a document: all of them, or one part."""
    words = sys.argv[1:]
    path = Path(words[words.index("--write") + 1]) if "--write" in words else None
    for part, measured in {"agreement": table, "times": times}.items():
        if part not in words and {"agreement", "times"} & set(words):
            continue
        text = f"{measured()}\n"
        if path is None:
            print(text)
        else:
            before, mark, rest = path.read_text(encoding="utf-8").partition(f"<!-- {part} -->\n")
            _, end, after = rest.partition("<!-- end -->")
            path.write_text(f"{before}{mark}{text}{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
