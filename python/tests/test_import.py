"""`import mmo` is cheap, and loads nothing that only some of its modules need."""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import json, sys, time
import numpy, scipy.sparse, sklearn.model_selection
known = set(sys.modules)
began = time.process_time()
import mmo
print(json.dumps({"seconds": time.process_time() - began, "loaded": sorted(set(sys.modules) - known)}))
"""


def test_import_costs_little_beyond_numpy_and_scikit_learn() -> None:
    runs = [
        json.loads(subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(run["seconds"] for run in runs) < 0.3
    heavy = {"torch", "pandas", "polars", "pyarrow", "lightgbm", "xgboost", "datasets", "transformers"}
    assert not heavy & set(runs[0]["loaded"])
