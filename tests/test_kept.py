"""Measurements are stored and never confused."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from randori.experiments.kept import kept


@dataclass(frozen=True)
class Config:
    rate: float
    sizes: tuple[int, ...] = (1, 2)


def test_each_thing_is_measured_once(tmp_path: Path) -> None:
    calls: list[float] = []

    def measure(rate: float) -> list[float]:
        def do() -> list[float]:
            calls.append(rate)
            return [rate, 2 * rate]

        found: list[float] = kept(tmp_path / "new" / "score.json", {"config": Config(rate), "seed": 1}, do)
        return found

    assert measure(0.1) == measure(0.1) == [0.1, 0.2]
    assert calls == [0.1]
    assert measure(0.3) == [0.3, 0.6], "another config is another measurement"
    (tmp_path / "new" / "score.json").write_text('{"of": ')
    assert measure(0.3) == [0.3, 0.6]
    assert calls == [0.1, 0.3, 0.3]


def test_a_new_measurement_equals_the_one_that_is_read_later(tmp_path: Path) -> None:
    path = tmp_path / "score.json"
    first = kept(path, {}, lambda: {"scores": (1, 2), "config": Config(0.5)})
    assert first == kept(path, {}, lambda: None) == {"scores": [1, 2], "config": {"rate": 0.5, "sizes": [1, 2]}}
    with pytest.raises(TypeError, match="cannot be kept"):
        kept(path, {"of": path}, lambda: 0)
