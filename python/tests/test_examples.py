"""The example scripts and the tutorial's first steps, run as a user runs them.

On generated data they must run and print values that can be; what they are worth is said of the public sets, whose
figures are known, and in docs/benchmarks_quality.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SOURCE

EXAMPLES = SOURCE / "python" / "examples"


def numbers(script: Path | str, folder: Path, data: Path | str = "") -> list[float]:
    """Runs a script in an empty folder and returns the numbers with four decimals that it prints."""
    arguments = [str(script)] if isinstance(script, Path) else ["-c", script]
    out = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "MMO_DATA": str(data), "PYTHONPATH": os.path.abspath(os.environ.get("PYTHONPATH", ""))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    return [float(number) for number in re.findall(r"\d\.\d{4}", out.stdout)]


EXAMPLES_WITH_VALUES = [
    ("tabular", "mmo", 9),
    ("text", "mmo", 3),
    ("boosting", "xgboost", 2),
    ("fine_tuning", "torch", 4),
    ("mlflow_model", "mlflow", 1),
]


@pytest.mark.parametrize(("name", "needs", "values"), EXAMPLES_WITH_VALUES)
def test_on_generated_data(name: str, needs: str, values: int, tmp_path: Path) -> None:
    pytest.importorskip(needs)
    found = numbers(EXAMPLES / f"{name}.py", tmp_path, data=tmp_path)
    assert len(found) == values
    assert all(0 < value < 1 for value in found)


def test_tabular(shared_data: Path, tmp_path: Path) -> None:
    table = numbers(EXAMPLES / "tabular.py", tmp_path, shared_data)
    assert min(table) > 0.4


def test_text(shared_data: Path, tmp_path: Path) -> None:
    usual, tuned, ours = numbers(EXAMPLES / "text.py", tmp_path, shared_data)
    assert usual < tuned < ours


def test_boosting(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("xgboost")
    plain, ours = numbers(EXAMPLES / "boosting.py", tmp_path, shared_data)
    assert ours > plain


def test_fine_tuning(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    plain_at_0, _, ours_at_0, ours_tuned = numbers(EXAMPLES / "fine_tuning.py", tmp_path, shared_data)
    assert ours_at_0 > plain_at_0
    assert ours_tuned > plain_at_0


def test_quick_start(tmp_path: Path) -> None:
    """The tutorial's first code, both halves, prints what it says there: the data are the same everywhere."""
    page = (SOURCE / "docs" / "tutorial_python.md").read_text()
    usual, ours = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)[:2]
    assert len(ours.strip().splitlines()) <= 10
    values = numbers(usual, tmp_path)[0], numbers(ours, tmp_path)[0]
    assert values[1] > values[0] + 0.05
    told = [float(figure) for figure in re.findall(r"\(macro F1 (0\.\d+)", page)]
    assert told == pytest.approx(values, abs=0.0006)  # as printed, to three digits
