"""How good the first k labels of each row are: what gets reported when there are many labels."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mmo import _core
from mmo._labels import as_indicator, labels_of, truth_of


def propensities(y_train: Any) -> npt.NDArray[np.float64]:
    """How likely each label is to be recorded where it holds, from the training labels (Jain et al. 2016)."""
    return _core.propensities(labels_of(as_indicator(y_train, "y_train")))


def _value(name: str, y_true: Any, scores: Any, k: int, propensity: Any, weights: dict[str, Any]) -> float:
    k = index(k)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    truth = truth_of(y_true, **weights)
    known = [] if propensity is None else [float(p) for p in np.asarray(propensity).ravel()]
    if not sparse.issparse(scores):
        scores = np.asarray(scores)
        if scores.dtype not in (np.float32, np.float64):
            scores = scores.astype(np.float64)
        return _core.ranking_dense(scores, truth, k, known)[name]
    lists = sparse.csr_matrix(scores, copy=True)
    lists.sum_duplicates()
    parts = (lists.indptr.astype(np.int64), lists.indices.astype(np.int32), lists.data.astype(np.float32))
    return _core.ranking_sparse(*parts, lists.shape[1], truth, k, known)[name]


def _at_k(name: str, formula: str) -> Callable[..., float]:
    def value(
        y_true: Any, scores: Any, k: int, *, sample_weight: Any = None, missing_label: float | None = None
    ) -> float:
        weights = {"sample_weight": sample_weight, "missing_label": missing_label}
        return _value(name, y_true, scores, k, None, weights)

    value.__doc__ = f"{formula}; of equal scores the lower label comes first."
    value.__name__ = value.__qualname__ = f"{name}_at_k"
    return value


def _scored_at_k(name: str, formula: str) -> Callable[..., float]:
    def value(
        y_true: Any,
        scores: Any,
        k: int,
        propensity: Any,
        *,
        sample_weight: Any = None,
        missing_label: float | None = None,
    ) -> float:
        weights = {"sample_weight": sample_weight, "missing_label": missing_label}
        return _value(name, y_true, scores, k, propensity, weights)

    value.__doc__ = f"{formula}, over the best possible; ``propensity`` as `propensities` gives it."
    value.__name__ = value.__qualname__ = f"{name}_at_k"
    return value


precision_at_k = _at_k("precision", "Share of the k best labels that are right")
recall_at_k = _at_k("recall", "Share of a row's labels among its k best; a row without labels counts as 0")
ndcg_at_k = _at_k(
    "ndcg", "Discounted gain of the k best labels over the largest possible; a row without labels counts as 0"
)
coverage_at_k = _at_k("coverage", "Share of labels that are right among the k best of at least one row")
psprecision_at_k = _scored_at_k("psprecision", "Sum of 1/propensity of the right labels among the k best")
psndcg_at_k = _scored_at_k("psndcg", "Discounted sum of 1/propensity of the right labels among the k best")
