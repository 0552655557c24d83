"""Metrics by name, by formula or by coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmo import _core

MetricLike = str | _core.Metric
_AVERAGES = {
    "micro": _core.Average.micro,
    "macro": _core.Average.macro,
    "samples": _core.Average.samples,
    "instance": _core.Average.samples,
    "weighted": _core.Average.weighted,
}


def metric_of(metric: MetricLike, zero_division: float = 0.0) -> _core.Metric:
    """The core's metric for a name, a formula, the path of a JSON file, or a metric itself."""
    if isinstance(metric, _core.Metric):
        return metric
    if not isinstance(metric, str):
        raise ValueError(f"metric must be a name, a formula or a Metric, got {metric!r}")
    return _core.Metric(metric, zero_division)


def ratio(
    numerator: Any, denominator: Any, *, average: str = "micro", name: str = "ratio", zero_division: float = 0.0
) -> _core.Metric:
    """A metric from weights of TP, FP, FN, TN: four numbers, or one row of four per label.

    >>> ratio([2, 0, 0, 0], [2, 1, 1, 0], average="macro").formula
    '2·TP / (2·TP + FP + FN)'
    """
    if average not in _AVERAGES:
        raise ValueError(f"average {average!r} is unknown; use micro, macro, samples or weighted")
    above, below = (np.atleast_2d(np.ascontiguousarray(part, dtype=np.float64)) for part in (numerator, denominator))
    return _core.Metric.from_counts(name, _AVERAGES[average], above, below, zero_division)


def of_label(metric: _core.Metric, label: int) -> _core.Metric:
    """The metric's ratio for one label alone.

    >>> of_label(metric_of("samples-f1"), 3).name
    'f1'
    """
    above, below = (np.asarray(part) for part in (metric.numerator, metric.denominator))
    row = min(label, len(above) - 1)  # one ratio for all, or one for each
    name = metric.name.split("-", 1)[-1] if metric.name.split("-")[0] in _AVERAGES else metric.name
    return _core.Metric.from_counts(name, _core.Average.macro, above[[row]], below[[row]], metric.zero_division)


def with_class_weights(metric: _core.Metric, weights: Mapping[Any, tuple[float, float]], labels: Any) -> _core.Metric:
    """The metric with each label's positives (TP, FN) and negatives (FP, TN) counted with these weights."""
    names = list(labels)
    strangers = [name for name in weights if name != "*" and name not in names]
    if strangers:
        raise ValueError(f"class_weights names {strangers[0]!r}, which is not a label")
    pairs = np.array([weights.get(name, weights.get("*", (1.0, 1.0))) for name in names], dtype=float)
    if pairs.shape != (len(names), 2) or not np.isfinite(pairs).all() or (pairs < 0).any():
        raise ValueError("class_weights needs two numbers ≥ 0 for each label: (positive, negative)")
    return _core.weight_classes(metric, pairs)
