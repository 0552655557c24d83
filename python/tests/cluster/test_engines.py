"""The examples with joblib and Ray run, and print values that can be."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "cluster"


@pytest.mark.parametrize("name", ["joblib_workers", "ray_workers"])
def test_example(name, tmp_path):
    pytest.importorskip(name.split("_", maxsplit=1)[0])
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    values = [float(text) for text in re.findall(r"\b0\.\d{4}", run.stdout)]
    assert len(values) >= 3
    assert all(0.3 < value < 1 for value in values)
