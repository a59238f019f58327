"""The README's example runs as it stands."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_the_python_example_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    score = float(capsys.readouterr().out.split()[0])
    assert 0.8 < score < 1
