"""The league: every method learns every game for the same CPU time, and all snapshots are rated together.

It asks two questions: what has a method learned, by knowledge alone; and how strongly does it play, with equal CPU time per
move?
"""

from randori.experiments.league.league import make_league
from randori.experiments.league.plan import QUESTIONS, LeagueRequest, Question
from randori.experiments.league.results import LEAGUE_FILE, read_league

__all__ = ["LEAGUE_FILE", "QUESTIONS", "LeagueRequest", "Question", "make_league", "read_league"]
