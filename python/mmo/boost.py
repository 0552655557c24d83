"""Gradient boosting for the metric: one objective for LightGBM and xgboost.

The objective is the surrogate at a λ that follows boosting: before every round the metric of the current margins sets
the costs of false negatives and false positives. A label is predicted where its margin is at least 0.

xgboost (labels in the matrix)::

    objective = MMOObjective("micro-f1")
    booster = xgboost.train({"base_score": 0.0, ...}, xgboost.DMatrix(X, label=Y), 100, obj=objective)
    labels = booster.predict(xgboost.DMatrix(X_new), output_margin=True) >= 0

LightGBM (one tree per label and round; its data sets hold one target, so the objective holds Y)::

    objective = MMOObjective("macro-f1", Y)
    data = lightgbm.Dataset(X, label=np.zeros(len(X)), init_score=objective.start())
    booster = lightgbm.train({"objective": objective, "num_class": Y.shape[1], ...}, data, 100)
    labels = objective.predict(booster, X_new)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mmo import _core
from mmo._labels import labels_of, split_unknown, truth_of
from mmo._metric import MetricLike, metric_of

__all__ = ["MMOObjective"]

_LEAST_CURVATURE = 1e-6  # keeps leaves finite whose cells are all decided


class MMOObjective:
    """Gradient and curvature of the surrogate for a booster's custom objective.

    Parameters
    ----------
    metric : str or Metric, default="micro-f1"
    y : 0/1 matrix, optional
        The labels of the training rows; LightGBM needs them, xgboost has them in its matrix.
    tau : float, default=0
    shrinkage : float, optional
        ν in λ = N / (D + ν·n), n the rows counted: labels far rarer than ν get a low λ; default 0.03. Not for metrics
        with a single λ (micro, samples).
    most_lambda : float, optional
        λ stays at or below it. Boosting fits its training rows better and better, so their metric overstates what can
        be reached on others; a cross-validated value (`MMOThreshold(…).cv_value_`) is the bound the theory asks for.
    missing_label : float, optional
        Marks unknown cells of y: no gradient, no count.

    Attributes
    ----------
    lambdas : λ of the last round: one value, or one per label.
    """

    def __init__(
        self,
        metric: MetricLike = "micro-f1",
        y: Any = None,
        *,
        tau: float = 0.0,
        shrinkage: float | None = None,
        most_lambda: float | None = None,
        missing_label: float | None = None,
    ) -> None:
        self.metric = metric_of(metric, zero_division=float("nan"))  # rows with 0/0 say nothing about λ
        self.y = None if y is None else self._targets(y, missing_label)
        self.tau = tau
        self.shrinkage = _core.default_memory(self.metric.by_label)[1] if shrinkage is None else shrinkage
        self.most_lambda = most_lambda
        self.missing_label = missing_label
        self.lambdas: npt.NDArray[np.float64] = np.zeros(0)
        self._base: npt.NDArray[np.float64] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> MMOObjective:
        return self  # LightGBM copies its parameters; λ should still be visible here

    @staticmethod
    def _targets(y: Any, missing_label: float | None) -> npt.NDArray[np.float64]:
        known, unknown = split_unknown(y.toarray() if sparse.issparse(y) else y, missing_label)
        targets = np.array(known, dtype=np.float64)
        if unknown is not None:
            targets[unknown] = np.nan
        return targets

    def start(self) -> npt.NDArray[np.float64]:
        """LightGBM's ``init_score``: every label's log-odds, so the first rounds needn't find them."""
        if self.y is None:
            raise ValueError("start() needs the labels: MMOObjective(metric, y)")
        frequency = (np.nansum(self.y, axis=0) + 1) / ((~np.isnan(self.y)).sum(axis=0) + 2)
        self._base = np.log(frequency / (1 - frequency))
        return np.tile(self._base, (len(self.y), 1)).ravel(order="F")

    def margins(self, booster: Any, X: Any) -> npt.NDArray[np.float64]:
        """LightGBM's raw scores for new rows, including the log-odds from `start`."""
        raw = np.asarray(booster.predict(X, raw_score=True), dtype=np.float64).reshape(_rows(X), -1)
        return raw if self._base is None else raw + self._base

    def predict(self, booster: Any, X: Any) -> npt.NDArray[np.int64]:
        """LightGBM's labels for new rows: a 0/1 matrix."""
        return (self.margins(booster, X) >= 0).astype(np.int64)

    def _follow(self, margins: npt.NDArray[np.float64], targets: npt.NDArray[np.float64]) -> None:
        predicted, truth = labels_of(margins >= 0), truth_of(targets, missing_label=np.nan)
        if self.metric.by_label:
            counts = _core.label_counts(predicted, truth)
            self.lambdas = _core.counted_lambda(self.metric, counts, self.shrinkage)
        else:
            self.lambdas = np.atleast_1d(np.nan_to_num(_core.evaluate(self.metric, predicted, truth)))
        if self.most_lambda is not None:
            self.lambdas = np.minimum(self.lambdas, self.most_lambda)

    def __call__(self, predictions: Any, data: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Gradient and curvature of every margin, shape (rows, labels)."""
        targets = self.y
        if targets is None:
            targets = self._targets(np.asarray(data.get_label()).reshape(len(predictions), -1), self.missing_label)
        rows, labels = targets.shape
        flat = np.asarray(predictions, dtype=np.float64)
        margins = np.ascontiguousarray(flat if flat.ndim == 2 else flat.reshape(rows, labels, order="F"))
        self._follow(margins, targets)
        costs = self.metric.costs(labels, self.lambdas.tolist())
        _, gradient, curvature = _core.surrogate(margins, targets, costs, self.tau, False)
        weights = data.get_weight()
        if weights is not None and len(weights):
            gradient, curvature = gradient * weights[:, None], curvature * weights[:, None]
        return gradient, np.maximum(curvature, _LEAST_CURVATURE)


def _rows(x: Any) -> int:
    return int(x.shape[0]) if hasattr(x, "shape") else len(x)
