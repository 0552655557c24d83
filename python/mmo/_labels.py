"""Label matrices to and from the core: rows of ascending label numbers (CSR without values)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mmo import _core

Parts = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], int]
BoolMatrix = npt.NDArray[np.bool_]


def parts_of(matrix: Any) -> Parts:
    """(offsets, indices, number of labels) of a dense or sparse 0/1 matrix; anything but 0 counts as present."""
    if sparse.issparse(matrix):
        present = sparse.csr_matrix(matrix, copy=True)
        present.eliminate_zeros()
        present.sum_duplicates()
        return present.indptr.astype(np.int64), present.indices.astype(np.int32), int(present.shape[1])
    dense = np.asarray(matrix)
    rows, columns = np.nonzero(dense)
    counts = np.bincount(rows, minlength=dense.shape[0])
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return offsets, columns.astype(np.int32), int(dense.shape[1])


def to_sparse(offsets: npt.NDArray[Any], indices: npt.NDArray[Any], labels: int, dtype: Any) -> sparse.csr_matrix:
    """The core's rows as a SciPy matrix of ones."""
    indptr = offsets.view(np.int64)
    ones = np.ones(len(indices), dtype=dtype)
    return sparse.csr_matrix((ones, indices.view(np.int32), indptr), shape=(len(indptr) - 1, labels))


def to_dense(offsets: npt.NDArray[Any], indices: npt.NDArray[Any], labels: int, dtype: Any) -> npt.NDArray[Any]:
    """The core's rows as a 0/1 matrix."""
    indptr = offsets.view(np.int64)
    out = np.zeros((len(indptr) - 1, labels), dtype=dtype)
    out[np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), indices] = 1
    return out


def split_unknown(y: Any, missing_label: float | None) -> tuple[Any, BoolMatrix | None]:
    """The labels with unknown cells set to 0, and where those are; None if all are known."""
    if missing_label is None:
        return y, None
    if sparse.issparse(y):
        raise ValueError("missing_label needs dense labels: a sparse matrix can't tell unknown from absent")
    values = np.asarray(y, dtype=float)
    unknown = np.isnan(values) if np.isnan(missing_label) else values == missing_label
    return np.where(unknown, 0.0, values), unknown if unknown.any() else None


def as_indicator(y: Any, name: str = "y") -> Any:
    """A 0/1 matrix (dense or CSR), checked; anything else raises ValueError."""
    if sparse.issparse(y):
        matrix = sparse.csr_matrix(y)
        values = matrix.data
    else:
        matrix = np.asarray(y)
        if matrix.ndim != 2:
            raise ValueError(f"{name} must be a 0/1 matrix of rows by labels, got {matrix.ndim}-D")
        if matrix.dtype == object:
            matrix = matrix.astype(float)
        values = matrix
    if values.dtype != bool:
        wrong = values[(values != 0) & (values != 1)]
        if wrong.size:
            hint = "; missing_label=np.nan says that NaN is unknown" if np.isnan(wrong[0]) else ""
            raise ValueError(f"{name} must hold 0 and 1 only, found {wrong[0]}{hint}")
    return matrix


def weights_of(weights: Any, count: int, name: str) -> npt.NDArray[np.float32] | None:
    """Finite, non-negative float32 weights, or None."""
    if weights is None:
        return None
    out = np.ascontiguousarray(weights, dtype=np.float32)
    if out.shape != (count,):
        raise ValueError(f"{name} has shape {out.shape}, expected ({count},)")
    if not np.isfinite(out).all() or (out < 0).any():
        raise ValueError(f"{name} must be finite and not negative")
    return out


def labels_of(matrix: Any) -> _core.Labels:
    """The core's form of a 0/1 matrix."""
    return _core.Labels(*parts_of(matrix))


def truth_of(
    y: Any,
    *,
    sample_weight: Any = None,
    label_weight: Any = None,
    missing_label: float | None = None,
) -> _core.Truth:
    """What predictions are compared with."""
    known, unknown = split_unknown(y, missing_label)
    known = as_indicator(known, "y_true")
    rows, labels = known.shape
    return _core.Truth(
        labels_of(known),
        None if unknown is None else labels_of(unknown),
        weights_of(sample_weight, rows, "sample_weight"),
        weights_of(label_weight, labels, "label_weight"),
    )
