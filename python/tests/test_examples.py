"""The example scripts and the README's quick start, run as a user runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SHARED, SOURCE


def numbers(script: Path | str, folder: Path) -> list[float]:
    """Runs a script in an empty folder and returns the numbers with four decimals that it prints."""
    arguments = [str(script)] if isinstance(script, Path) else ["-c", script]
    out = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "MMO_DATA": str(SHARED), "PYTHONPATH": os.path.abspath(os.environ.get("PYTHONPATH", ""))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    return [float(number) for number in re.findall(r"\d\.\d{4}", out.stdout)]


def example(name: str, folder: Path) -> list[float]:
    return numbers(SOURCE / "python" / "examples" / name, folder)


def test_tabular(tmp_path: Path) -> None:
    table = example("tabular.py", tmp_path)
    assert len(table) == 9
    assert min(table) > 0.4


def test_text(tmp_path: Path) -> None:
    usual, tuned, ours = example("text.py", tmp_path)
    assert usual < tuned < ours


def test_boosting(tmp_path: Path) -> None:
    pytest.importorskip("xgboost")
    plain, ours = example("boosting.py", tmp_path)
    assert ours > plain


def test_fine_tuning(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    plain_at_0, _, ours_at_0, ours_tuned = example("fine_tuning.py", tmp_path)
    assert ours_at_0 > plain_at_0
    assert ours_tuned > plain_at_0


def test_quick_start(tmp_path: Path) -> None:
    """The README's code, both halves: ours gives the better number."""
    readme = (SOURCE / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    usual, ours = (block for block in blocks if "X_test" in block)
    assert len(ours.strip().splitlines()) <= 10
    assert numbers(ours, tmp_path)[0] > numbers(usual, tmp_path)[0] + 0.05
