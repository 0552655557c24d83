"""The metrics at k of mmo.metrics against NumPy and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import ndcg_score

from mmo import metrics

ROUNDING = 1e-12  # both sides sum the same few hundred doubles


def draw(seed: int) -> tuple[Any, Any, Any]:
    """Labels, scores that are often tied, and propensities; some rows have no label."""
    rng = np.random.default_rng(seed)
    y = (rng.random((50, 9)) < 0.25).astype(int)
    y[::6] = 0
    return y, rng.integers(0, 6, y.shape).astype(float), metrics.propensities(rng.random((500, 9)) < rng.random(9) / 2)


def by_definition(y: Any, scores: Any, k: int, p: Any, weights: Any) -> dict[str, float]:
    """The definitions over sorted columns; `y` is NaN where unknown."""
    scores = np.where(np.isnan(y), -np.inf, scores)
    y = np.nan_to_num(y)
    discounts = 1 / np.log2(2 + np.arange(y.shape[1])) * (np.arange(y.shape[1]) < k)
    order = np.argsort(-scores, axis=1, kind="stable")
    hits, gains = (np.take_along_axis(values, order, axis=1) for values in (y, y / p))
    best = -np.sort(-(y / p), axis=1)
    labels = y.sum(axis=1)
    largest = np.cumsum(discounts)[np.maximum(labels.astype(int), 1) - 1]
    mean = lambda rows: np.average(rows, weights=weights)  # noqa: E731
    seen = np.take_along_axis(np.arange(y.shape[1])[None, :].repeat(len(y), 0), order, axis=1)[:, :k]
    return {
        "precision": mean(hits[:, :k].sum(axis=1) / k),
        "recall": mean(hits[:, :k].sum(axis=1) / np.maximum(labels, 1)),
        "ndcg": mean(hits @ discounts / largest),
        "coverage": len(set(seen[hits[:, :k] > 0])) / y.shape[1],
        "psprecision": mean(gains[:, :k].sum(axis=1)) / mean(best[:, :k].sum(axis=1)),
        "psndcg": mean(gains @ discounts / largest) / mean(best @ discounts / largest),
    }


@pytest.mark.parametrize("k", [1, 3, 9, 20])
@pytest.mark.parametrize("seed", range(3))
def test_values_are_their_definitions(seed: int, k: int) -> None:
    y, scores, p = draw(seed)
    holes = np.where(np.random.default_rng(seed + 9).random(y.shape) < 0.1, np.nan, y)
    weights = np.random.default_rng(seed).integers(1, 9, len(y)) / 8
    for truth, options in [
        (y, {}),
        (y, {"sample_weight": weights}),
        (holes, {"missing_label": np.nan, "sample_weight": weights}),
    ]:
        expected = by_definition(truth.astype(float), scores, k, p, options.get("sample_weight"))
        for name, value in expected.items():
            known = (p,) if name.startswith("ps") else ()
            found = getattr(metrics, f"{name}_at_k")(truth, scores, k, *known, **options)
            assert found == pytest.approx(value, rel=ROUNDING), name


def test_ndcg_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(4)
    y, scores = rng.random((40, 12)) < 0.3, rng.random((40, 12)).astype(np.float32)
    for k in (1, 4, 12):
        assert metrics.ndcg_at_k(y, scores, k) == pytest.approx(ndcg_score(y, scores, k=k), rel=ROUNDING)


def test_sparse_labels_and_short_lists() -> None:
    y, scores, p = draw(7)
    scores += 1
    lists = sparse.csr_matrix(np.where(np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1) < 4, scores, 0))
    for k in (1, 4):
        for name, known in [("precision", ()), ("recall", ()), ("ndcg", ()), ("psprecision", (p,)), ("psndcg", (p,))]:
            function = getattr(metrics, f"{name}_at_k")
            assert function(sparse.csr_matrix(y), lists, k, *known) == function(y, scores, k, *known)
    empty = sparse.csr_matrix(y.shape)
    assert metrics.recall_at_k(y, empty, 5) == 0


def test_propensities() -> None:
    y = np.zeros((100, 2), dtype=int)
    y[:7, 0] = 1
    c = (np.log(100) - 1) * 2.5**0.55
    expected = 1 / (1 + c * np.exp(-0.55 * np.log(np.array([7, 0]) + 1.5)))
    np.testing.assert_allclose(metrics.propensities(y), expected, rtol=ROUNDING)
    np.testing.assert_array_equal(metrics.propensities(sparse.csr_matrix(y)), metrics.propensities(y))


def test_faults_name_the_value() -> None:
    y, scores, p = draw(0)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        metrics.precision_at_k(y, scores, 0)
    with pytest.raises(ValueError, match="8 propensities for 9 labels"):
        metrics.psndcg_at_k(y, scores, 2, p[:8])
    with pytest.raises(ValueError, match="50 rows and 8 labels"):
        metrics.recall_at_k(y, scores[:, :8], 2)
    scores[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3"):
        metrics.ndcg_at_k(y, scores, 2)
