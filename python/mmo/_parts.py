"""Parts of a data set, put together where they are needed."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mmo.datasets import load


def join(parts: Sequence[Any]) -> Any:
    """Parts in their order: arrays, sparse matrices, DataFrames, Series or lists."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if sp.issparse(first):
        columns = max(part.shape[1] for part in parts)
        parts = [sp.csr_matrix(part) for part in parts]
        for part in parts:
            part.resize(part.shape[0], columns)
        return sp.vstack(parts, format="csr")
    if hasattr(first, "iloc"):
        import pandas as pd

        return pd.concat(parts)
    if isinstance(first, list):
        return [item for part in parts for item in part]
    return np.concatenate([np.asarray(part) for part in parts])


def files_of(path: str | os.PathLike[str] | Sequence[str]) -> list[str]:
    """The files that a pattern such as ``"parts/*.npz"``, a folder or a list stands for, by name."""
    if not isinstance(path, (str, os.PathLike)):
        return [os.fspath(each) for each in path]
    text = os.fspath(path)
    if os.path.isdir(text):
        text = os.path.join(text, "*")
    files = sorted(name for name in glob.glob(text) if os.path.isfile(name))
    if not files:
        raise FileNotFoundError(f"{text}: no file of this name")
    return files


def _read_one(path: str, reading: Mapping[str, Any]) -> tuple[Any, Any]:
    if path.endswith((".parquet", ".pq")):
        import pandas as pd

        frame = pd.read_parquet(path)
        labels = [name.strip() for name in str(reading.get("labels", "")).split(",")]
        missing = [name for name in labels if name not in frame.columns]
        if missing:
            raise ValueError(f"{path}: no column {missing[0]!r}; name the label columns: reading={{'labels': 'a,b'}}")
        return frame.drop(columns=labels), frame[labels]
    data = load(path, **reading)
    target = data.target
    if len(data.target_names) == target.shape[1]:
        import pandas as pd

        target = target if sp.issparse(target) else pd.DataFrame(target, columns=data.target_names)
    return data.data, target


def read(paths: Sequence[str], reading: Mapping[str, Any]) -> tuple[Any, Any]:
    """X and y of all parts; an error names the part."""
    features, targets = [], []
    for path in paths:
        x, y = _read_one(path, reading)
        if len(y) == 0 if isinstance(y, list) else y.shape[0] == 0:
            raise ValueError(f"{path}: this part has no rows; leave it out")
        features.append(x)
        targets.append(y)
    return join(features), join(targets)


def describe(x: Any, y: Any) -> str:
    """Tells data apart that should be the same."""
    values = x.data if sp.issparse(x) else np.asarray(x) if isinstance(x, np.ndarray) else None
    total = "" if values is None or values.dtype.kind not in "fiu" else f", sum {float(np.nansum(values))!r}"
    rows = x.shape[0] if hasattr(x, "shape") else len(x)
    positives = (
        int(y.nnz)
        if sp.issparse(y)
        else int(np.nansum(np.asarray(y, dtype=float)))
        if hasattr(y, "shape") and np.asarray(y).dtype.kind in "fiub"
        else len(y)
    )
    return f"{rows} rows{total}, {positives} labels"
