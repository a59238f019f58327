"""Games of other people: each is one file as a user of the package would write it, and none is part of the package."""

from pathlib import Path

FILES: dict[str, Path] = {
    "snort5": Path(__file__).with_name("snort.py"),
    "clobber5": Path(__file__).with_name("clobber.py"),
    "reversi4x6": Path(__file__).with_name("reversi46.py"),
    "breakthrough5": Path(__file__).with_name("breakthrough.py"),
}
"""The file that registers each game."""
