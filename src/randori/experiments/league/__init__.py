"""The league: every method on every game by CPU seconds, all snapshots rated together, with two questions.

What has it learned, by knowledge alone; and how strong is it as a player, with equal CPU time for a move?
"""

from randori.experiments.league.league import Watch, make_league
from randori.experiments.league.plan import QUESTIONS, Asked, Question
from randori.experiments.league.results import LEAGUE_FILE, read_league

__all__ = ["LEAGUE_FILE", "QUESTIONS", "Asked", "Question", "Watch", "make_league", "read_league"]
