"""The tables of the database. What an older one lacks of them is made when it is opened, see `store`."""

import sqlalchemy as sa

from randori.app.service.duel_rows import duels_table

_TABLES = sa.MetaData()
_PROFILES = sa.Table(
    "profiles",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token_hash", sa.String(64), unique=True, nullable=False),
    sa.Column("name", sa.String(40), nullable=False, default=""),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
)
_GAMES = sa.Table(
    "games",
    _TABLES,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("profile", sa.ForeignKey("profiles.id"), nullable=False, index=True),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("first", sa.String(200), nullable=False),
    sa.Column("second", sa.String(200), nullable=False),
    sa.Column("resigned", sa.Integer),  # the seat that gave up
    sa.Column("assisted", sa.Boolean, nullable=False, default=False),
    sa.Column("result", sa.Float),  # for the side that began; null while the game goes on
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),  # one more with every change
)
_MOVES = sa.Table(
    "moves",
    _TABLES,
    sa.Column("game", sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("action", sa.Integer, nullable=False),
    sa.Column("played", sa.DateTime(timezone=True), nullable=False),
)
_RATINGS = sa.Table(
    "ratings",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("elo", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
)
_VISITS = sa.Table(
    "visits",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("seen", sa.DateTime(timezone=True), nullable=False),  # the last day after the first
)
_PUPILS = sa.Table(
    "pupils",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("since", sa.DateTime(timezone=True), nullable=False),  # games begun before are forgotten
)
_CARDS = sa.Table(
    "cards",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("puzzle", sa.String(40), primary_key=True),
    sa.Column("box", sa.Integer, nullable=False),
    sa.Column("due", sa.BigInteger, nullable=False),  # seconds since 1970
    sa.Column("tries", sa.Integer, nullable=False),
)
_SKILLS = sa.Table(
    "skills",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("elo", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("solved", sa.Integer, nullable=False),
    sa.Column("streak", sa.Integer, nullable=False),
)
_EXAMINED = sa.Table(
    "examined",  # games that have been looked through for mistakes
    _TABLES,
    sa.Column("game", sa.ForeignKey("games.id"), primary_key=True),
)
_MISTAKES = sa.Table(
    "mistakes",
    _TABLES,
    sa.Column("game", sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("puzzle", sa.String(40), primary_key=True),
    sa.Column("moves", sa.Text, nullable=False),
    sa.Column("answer", sa.String(8), nullable=False),
    sa.Column("goal", sa.String(16), nullable=False),
    sa.Column("line", sa.Text, nullable=False),
)
_RATED = sa.Table(
    "rated",  # what a person's rating was after each game that counted
    _TABLES,
    sa.Column("game", sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("elo", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
)
_DUELS = duels_table(_TABLES)
