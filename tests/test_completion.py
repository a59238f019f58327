"""Scripts of `randori completion`, as shells read them."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from randori import games, methods
from randori.app.cli import COMMANDS
from randori.app.commands.completion import Shell, completion

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_randori
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: Shell, capsys: pytest.CaptureFixture[str]) -> str:
    completion(shell)
    return capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_the_whole_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "script").write_text(script("bash", capsys), encoding="utf-8")

    def offered(line: str) -> list[str]:
        """The completions of the last word of a line; a space at its end begins a new word."""
        words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
        command = ["bash", "--norc", "-c", ASK, "bash", str(tmp_path / "script"), *words]
        process = subprocess.run(command, capture_output=True, text=True, check=True)
        assert process.stderr == ""
        return process.stdout.split()

    assert offered("randori ") == [*COMMANDS, "--help", "--version"]
    assert offered("randori to") == ["tournament"]
    assert offered("randori match --ga") == ["--game", "--games"]
    assert offered("randori match random greedy --game ") == games.names()
    assert offered("randori match random greedy --game othello") == ["othello4", "othello6", "othello8"]
    assert offered("randori match random heur") == ["heuristic"]
    assert "zoo/othello8-ntuple" in offered("randori inspect zoo/")
    assert offered("randori match random --seats ") == ["alternate", "first"]
    assert offered("randori match --book ") == [], "bash completes files there"
    assert offered("randori engine ") == ["gtp", "nboard", "gomocup"]
    assert offered("randori train ") == [*methods.all_methods()]
    assert "--budget" in offered("randori train table --")
    assert offered("randori train som --ga")[0] == "--game"
    assert "default" in offered("randori train som --preset ")
    assert "kamei" in offered("randori reproduce ")
    assert offered("randori completion ") == ["bash", "zsh", "fish"]
    assert offered("randori nonsense --x") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_name_every_command_and_are_read_without_complaint(
    shell: Shell, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = script(shell, capsys)
    assert all(name in text for name in (*COMMANDS, *methods.all_methods(), *games.names(), "zoo/connect4-som"))
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its script was not read")
    (tmp_path / "script").write_text(text, encoding="utf-8")
    process = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")
