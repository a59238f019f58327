"""The courses in one table, as `docs/practice.md` has it: `python -m randori.practice.summary` prints it."""

from collections import Counter
from statistics import median

from randori import games
from randori.practice.courses import puzzles_of
from randori.practice.puzzle import Goal

_GOALS = (Goal.WIN, Goal.DRAW, Goal.MOST, Goal.THREATS)


def table() -> str:
    """Markdown: how many puzzles of which goal each course has, and how hard they are."""
    heads = ["game", "puzzles", *(it.value for it in _GOALS), "easiest", "median", "hardest"]
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for game in map(games.game, games.names()):
        puzzles = puzzles_of(game).values()
        ratings = [it.rating for it in puzzles if it.rating is not None]
        if ratings:
            goals = Counter(it.goal for it in puzzles)
            counted = [len(ratings), *(goals[it] for it in _GOALS)]
            hard = [min(ratings), median(ratings), max(ratings)]
            rows.append([game.title, *map(str, counted), *(f"{it:.0f}" for it in hard)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(table())
