"""Games and positions in the formats of other programs."""

from randori.formats.files import SUFFIXES, read_book, read_records, write_records
from randori.formats.game_record import GameRecord, games_of, openings_of, records_of, with_passes
from randori.formats.ggf import parse_ggf, write_ggf
from randori.formats.pasted import from_the_start, parse_pasted, parse_study
from randori.formats.positions import Position, Problem, parse_obf, parse_position, position_text
from randori.formats.sgf import parse_sgf, parse_sgf_study, write_sgf, write_sgf_study
from randori.formats.study import Study, parse_study_text, study_text
from randori.formats.wthor import parse_wthor

__all__ = [
    "SUFFIXES",
    "GameRecord",
    "Position",
    "Problem",
    "Study",
    "from_the_start",
    "games_of",
    "openings_of",
    "parse_ggf",
    "parse_obf",
    "parse_pasted",
    "parse_position",
    "parse_sgf",
    "parse_sgf_study",
    "parse_study",
    "parse_study_text",
    "parse_wthor",
    "position_text",
    "read_book",
    "read_records",
    "records_of",
    "study_text",
    "with_passes",
    "write_ggf",
    "write_records",
    "write_sgf",
    "write_sgf_study",
]
