"""Hands features to the core."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy import sparse

from mmo import _core
from mmo._labels import parts_of
from mmo._table import Table


def is_text(x: Any) -> bool:
    """Documents instead of features: a list or a one-dimensional array of strings."""
    if isinstance(x, Table):
        return False
    if isinstance(x, str):
        raise ValueError("X is a single string; give a list of documents")
    if sparse.issparse(x) or getattr(x, "ndim", 1) != 1 or not hasattr(x, "__len__") or len(x) == 0:
        return False
    return isinstance(x[0] if isinstance(x, (list, tuple)) else np.asarray(x, dtype=object)[0], str)


def dataset(
    x: Any,
    y: Any = None,
    *,
    unknown: Any = None,
    label_names: list[str] | None = None,
    row_weights: Any = None,
    groups: Any = None,
    feature_names: list[str] | None = None,
    expected: _core.InputColumns | None = None,
    as_written: bool = False,
) -> _core.Dataset:
    """The core's data set from a checked matrix (dense float, CSR), table or documents, with or without labels.

    A table is read as the columns it is expected to have, or guessed, or (for a file) `as_written`.
    """
    data = _core.Dataset()
    if isinstance(x, Table):
        x.move_into(data, expected, as_written=as_written)
        rows = len(x)
    elif is_text(x):
        documents = list(x)
        if not all(isinstance(document, str) for document in documents):
            raise ValueError("X must hold strings only; replace missing documents by ''")
        data.documents = documents
        rows = len(documents)
    elif sparse.issparse(x):
        matrix = sparse.csr_matrix(x)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        data.set_sparse(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data.astype(np.float32, copy=False),
            matrix.shape[1],
        )
        rows = matrix.shape[0]
    else:
        data.set_dense(x)
        rows = x.shape[0]
    if feature_names is not None:
        data.feature_names = feature_names
    data.set_labels(*(parts_of(y) if y is not None else (np.zeros(rows + 1, np.int64), np.zeros(0, np.int32), 0)))
    if unknown is not None:
        data.set_unknown(*parts_of(unknown))
    if label_names is not None:
        data.label_names = label_names
    if row_weights is not None:
        data.set_row_weights(row_weights)
    if groups is not None:
        data.groups = [str(group) for group in groups]
    data.check()
    return data


def thread_count(n_jobs: int | None) -> int:
    """scikit-learn's n_jobs as a number of threads; None = OMP_NUM_THREADS (which joblib sets), else all cores."""
    if n_jobs is None:
        value = os.environ.get("OMP_NUM_THREADS", "")
        return int(value) if value.isdigit() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use None for all cores or a positive number")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
