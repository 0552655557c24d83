"""Multi-label metrics from the code that training optimises, equal to scikit-learn's if both have them.

y_true and y_pred are 0/1 matrices, dense or sparse. ``zero_division`` (0, 1 or nan) is the value of 0/0;
``missing_label`` marks unknown cells of y_true, which are left out of every count. The metrics at k take scores, a
matrix of rows by labels, in place of y_pred; in a sparse one only the stored labels are ranked.

>>> import numpy as np
>>> y_true = np.array([[1, 0, 1], [0, 1, 0]]); y_pred = np.array([[1, 0, 0], [0, 1, 1]])
>>> round(f1_score(y_true, y_pred, average="micro"), 4)
0.6667
>>> round(score(y_true, y_pred, "macro:(3*TP)/(3*TP+FP+2*FN)"), 4)
0.6667
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mmo import _core
from mmo._labels import as_indicator, labels_of, truth_of
from mmo._metric import MetricLike, metric_of, ratio
from mmo._ranking import (
    coverage_at_k,
    ndcg_at_k,
    precision_at_k,
    propensities,
    psndcg_at_k,
    psprecision_at_k,
    recall_at_k,
)

__all__ = [
    "bootstrap_interval",
    "counts",
    "coverage_at_k",
    "f1_score",
    "fbeta_score",
    "hamming_accuracy",
    "jaccard_score",
    "names",
    "ndcg_at_k",
    "precision_at_k",
    "precision_score",
    "propensities",
    "psndcg_at_k",
    "psprecision_at_k",
    "ratio",
    "recall_at_k",
    "recall_score",
    "report",
    "score",
    "scorer",
    "subset_accuracy",
]


def names() -> list[str]:
    """The metrics known by name."""
    return _core.known_metrics()


def score(
    y_true: Any,
    y_pred: Any,
    metric: MetricLike = "micro-f1",
    *,
    zero_division: float = 0.0,
    sample_weight: Any = None,
    label_weight: Any = None,
    missing_label: float | None = None,
) -> float:
    """The value of any metric: a name of `names`, a ratio of counts as text, or a `ratio`."""
    truth = truth_of(y_true, sample_weight=sample_weight, label_weight=label_weight, missing_label=missing_label)
    return _core.evaluate(metric_of(metric, zero_division), labels_of(as_indicator(y_pred, "y_pred")), truth)


def counts(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, missing_label: float | None = None
) -> npt.NDArray[np.float64]:
    """TP, FP, FN, TN of each label: shape (n_labels, 4)."""
    truth = truth_of(y_true, sample_weight=sample_weight, missing_label=missing_label)
    return _core.label_counts(labels_of(as_indicator(y_pred, "y_pred")), truth)


class AveragedScore(Protocol):
    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        average: str | None = "micro",
        zero_division: float = 0.0,
        sample_weight: Any = None,
        missing_label: float | None = None,
    ) -> Any: ...


def _averaged(name: str, formula: str) -> AveragedScore:
    """The score of a ratio in any average, as scikit-learn's function of that name."""

    def averaged_score(
        y_true: Any,
        y_pred: Any,
        *,
        average: str | None = "micro",
        zero_division: float = 0.0,
        sample_weight: Any = None,
        missing_label: float | None = None,
    ) -> Any:
        weights: Any = {"sample_weight": sample_weight, "missing_label": missing_label}
        if average is not None:
            return score(y_true, y_pred, f"{average}-{name}", zero_division=zero_division, **weights)
        metric = metric_of(f"macro-{name}", zero_division)
        table = counts(y_true, y_pred, **weights)
        above, below = table @ metric.numerator[0], table @ metric.denominator[0]
        return np.divide(above, below, out=np.full(len(table), float(zero_division)), where=below != 0)

    averaged_score.__doc__ = f"{formula}; ``average=None`` gives one value per label."
    averaged_score.__name__ = averaged_score.__qualname__ = f"{name}_score"
    return averaged_score


f1_score = _averaged("f1", "2·TP / (2·TP + FP + FN)")
jaccard_score = _averaged("jaccard", "TP / (TP + FP + FN)")
precision_score = _averaged("precision", "TP / (TP + FP)")
recall_score = _averaged("recall", "TP / (TP + FN)")


def fbeta_score(y_true: Any, y_pred: Any, *, beta: float, **options: Any) -> Any:
    """(1 + β²)·TP / ((1 + β²)·TP + FP + β²·FN); options as of `f1_score`."""
    return _averaged(f"f{beta:g}", "")(y_true, y_pred, **options)


def hamming_accuracy(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, missing_label: float | None = None
) -> float:
    """Share of cells predicted right: 1 − scikit-learn's hamming_loss."""
    return score(y_true, y_pred, "hamming-accuracy", sample_weight=sample_weight, missing_label=missing_label)


def subset_accuracy(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, missing_label: float | None = None
) -> float:
    """Share of rows with every cell right: scikit-learn's accuracy_score."""
    truth = truth_of(y_true, sample_weight=sample_weight, missing_label=missing_label)
    return _core.subset_accuracy(labels_of(as_indicator(y_pred, "y_pred")), truth)


def report(
    y_true: Any,
    y_pred: Any,
    *,
    zero_division: float = 0.0,
    sample_weight: Any = None,
    missing_label: float | None = None,
) -> dict[str, float]:
    """Every standard metric by name: four averages of F1, Jaccard, precision and recall, and the accuracies."""
    truth = truth_of(y_true, sample_weight=sample_weight, missing_label=missing_label)
    return _core.standard_metrics(labels_of(as_indicator(y_pred, "y_pred")), truth, zero_division)


def bootstrap_interval(
    y_true: Any,
    y_pred: Any,
    metric: MetricLike = "micro-f1",
    *,
    replicates: int = 1000,
    coverage: float = 0.95,
    seed: int = 0,
    zero_division: float = 0.0,
) -> tuple[float, float]:
    """A percentile interval over resampled rows."""
    return _core.bootstrap(
        metric_of(metric, zero_division),
        labels_of(as_indicator(y_pred, "y_pred")),
        truth_of(y_true),
        replicates,
        seed,
        coverage,
    )


def scorer(metric: MetricLike = "micro-f1", *, zero_division: float = 0.0) -> Callable[..., float]:
    """A scorer for `GridSearchCV(scoring=…)` and `cross_validate`, for any multi-label estimator."""
    from sklearn.metrics import make_scorer

    made: Callable[..., float] = make_scorer(score, metric=metric, zero_division=zero_division)
    return made
