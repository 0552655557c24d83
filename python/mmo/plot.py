"""Displays in scikit-learn's way: ``from_estimator`` or ``from_predictions`` draw, and the object keeps the numbers.

matplotlib is needed here alone, and imported when something is drawn; `MMOClassifier.report` needs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from mmo import metrics
from mmo._judged import Judged
from mmo._labels import as_indicator
from mmo._metric import MetricLike, metric_of, of_label

__all__ = ["LabelReportDisplay", "LambdaSearchDisplay", "MetricThresholdDisplay"]

Numbers = npt.NDArray[np.float64]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "displays are drawn with matplotlib, which is not installed: pip install matplotlib "
            "(model.report(X, y) needs nothing)"
        ) from None
    return plt.subplots()[1]


def _text(name: Any) -> str:
    """A name from data as matplotlib shows it literally: no formulas, no control characters, not endless."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in str(name))
    return (shown if len(shown) <= 40 else shown[:39] + "…").replace("$", r"\$")


class MetricThresholdDisplay:
    """The metric against one threshold on the scores, for all labels or for one.

    Attributes
    ----------
    thresholds : array
        Where it was computed: quantiles of all scores and of those of the positives.
    values : array
        The metric there, a label being given from the threshold on.
    best_threshold, best_value : float
    own_value : float or None
        What the estimator's own decisions give, which may have a threshold for each label.
    metric : Metric

    Examples
    --------
    >>> import numpy as np
    >>> y, scores = np.array([[1], [0], [1], [0]]), np.array([[0.9], [0.6], [0.4], [0.1]])
    >>> display = MetricThresholdDisplay(y, scores, metric="f1", label=0)
    >>> round(display.best_value, 2)
    0.8
    """

    def __init__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        metric: MetricLike = "micro-f1",
        label: int | None = None,
        y_pred: Any = None,
        name: str | None = None,
    ) -> None:
        truth, scores = as_indicator(y_true, "y_true"), np.asarray(y_score, dtype=np.float64)
        truth = np.asarray(truth.todense() if hasattr(truth, "todense") else truth) != 0
        if truth.shape != scores.shape:
            raise ValueError(f"y_true has shape {truth.shape}, y_score {scores.shape}: they must be the same")
        self.metric = metric_of(metric)
        self.name = name
        if label is not None:
            if not 0 <= label < truth.shape[1]:
                raise ValueError(f"label={label} is not the place of one of the {truth.shape[1]} labels")
            self.metric = of_label(self.metric, label)
            truth, scores = truth[:, [label]], scores[:, [label]]
            y_pred = None if y_pred is None else y_pred[:, [label]]
        found = scores[truth]
        points = np.linspace(0, 1, 101)
        self.thresholds: Numbers = np.unique(
            np.concatenate([np.quantile(part, points) for part in (scores, found) if part.size])
        )
        self.values: Numbers = np.array([metrics.score(truth, scores >= t, self.metric) for t in self.thresholds])
        best = int(np.nanargmax(self.values)) if not np.isnan(self.values).all() else 0
        self.best_threshold, self.best_value = float(self.thresholds[best]), float(self.values[best])
        self.own_value = None if y_pred is None else metrics.score(truth, y_pred, self.metric)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, metric: MetricLike | None = None, label: Any = None, ax: Any = None
    ) -> MetricThresholdDisplay:
        """Of a fitted multi-label estimator on labelled rows; ``metric`` is its own where it has one.

        ``label`` is a label's name or place. The scores are calibrated probabilities where there are such.
        """
        judged = Judged.of(estimator, X, y)
        place = None if label is None else judged.place(label)
        display = cls(
            judged.truth,
            judged.scores(estimator, X),
            metric=getattr(estimator, "metric", "micro-f1") if metric is None else metric,
            label=place,
            y_pred=judged.predicted,
            name=None if place is None else str(judged.names[place]),
        )
        return display.plot(ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any, *, metric: MetricLike = "micro-f1", label: int | None = None, ax: Any = None
    ) -> MetricThresholdDisplay:
        """Of any system's scores, a matrix of rows by labels."""
        return cls(y_true, y_score, metric=metric, label=label).plot(ax)

    def plot(self, ax: Any = None) -> MetricThresholdDisplay:
        """Draw; ``ax_`` and ``figure_`` are matplotlib's."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        self.ax_.plot(self.thresholds, self.values, label="one threshold")
        found = f"best: {self.best_value:.3f} at {self.best_threshold:.3g}"
        self.ax_.plot([self.best_threshold], [self.best_value], "o", label=found)
        if self.own_value is not None:
            self.ax_.axhline(self.own_value, linestyle="--", color="grey", label=f"own decisions: {self.own_value:.3f}")
        self.ax_.set(xlabel="threshold", ylabel=_text(self.metric.name))
        if self.name is not None:
            self.ax_.set_title(_text(self.name))
        self.ax_.legend()
        return self


class LabelReportDisplay:
    """F1, precision and recall of each label.

    Attributes
    ----------
    names : list of str
    support : array
        Positive rows of each label.
    precision, recall, f1 : array
        NaN where a label has neither positives nor predictions to divide by.

    Examples
    --------
    >>> import numpy as np
    >>> display = LabelReportDisplay(np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]]), names=["a", "b"])
    >>> display.f1.round(2).tolist()
    [0.67, 1.0]
    """

    def __init__(self, y_true: Any, y_pred: Any, *, names: Any = None, sample_weight: Any = None) -> None:
        tp, fp, fn, _ = metrics.counts(y_true, y_pred, sample_weight=sample_weight).T
        self.names = [str(name) for name in (range(len(tp)) if names is None else names)]
        if len(self.names) != len(tp):
            raise ValueError(f"{len(self.names)} names for {len(tp)} labels")
        self.support: Numbers = tp + fn
        with np.errstate(invalid="ignore"):
            self.precision: Numbers = tp / (tp + fp)
            self.recall: Numbers = tp / (tp + fn)
            self.f1: Numbers = 2 * tp / (2 * tp + fp + fn)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, most: int = 30, ax: Any = None
    ) -> LabelReportDisplay:
        """Of a fitted multi-label estimator on labelled rows."""
        judged = Judged.of(estimator, X, y)
        display = cls(judged.truth, judged.predicted, names=judged.names, sample_weight=sample_weight)
        return display.plot(ax, most=most)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, names: Any = None, sample_weight: Any = None, most: int = 30, ax: Any = None
    ) -> LabelReportDisplay:
        """Of any system's labels, a 0/1 matrix."""
        return cls(y_true, y_pred, names=names, sample_weight=sample_weight).plot(ax, most=most)

    def plot(self, ax: Any = None, *, most: int = 30) -> LabelReportDisplay:
        """Draw the ``most`` labels of the lowest F1, the worst on top; ``ax_`` and ``figure_`` are matplotlib's."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        worst = np.argsort(np.nan_to_num(self.f1), kind="stable")[:most]
        places = np.arange(len(worst))
        self.ax_.barh(places, np.nan_to_num(self.f1[worst]), color="lightgrey", label="F1")
        self.ax_.plot(self.precision[worst], places, "|", markersize=10, markeredgewidth=2, label="precision")
        self.ax_.plot(self.recall[worst], places, "x", markersize=7, label="recall")
        self.ax_.set_yticks(places, [f"{_text(self.names[j])} ({self.support[j]:g})" for j in worst])
        self.ax_.invert_yaxis()
        which = f"the worst {len(worst)} of {len(self.f1)} labels" if len(worst) < len(self.f1) else "label"
        self.ax_.set(xlim=(0, 1.02), ylabel=f"{which} (positive rows)")
        self.ax_.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)  # beside the bars, not on them
        return self


class LambdaSearchDisplay:
    """The steps of a search for λ: the price of errors against the metric that it led to, on held-out rows.

    The best λ equals the value that it leads to: it lies where the steps meet the diagonal.

    Attributes
    ----------
    lambdas, values : array of shape (n_steps, n_lambdas)
        One λ for micro and samples metrics, one per label for macro metrics.
    chosen : array of shape (n_lambdas,)
    """

    def __init__(self, history: dict[str, Any]) -> None:
        search = history.get("lambda", {})
        if not search.get("steps"):
            raise ValueError(
                f"method {history.get('method', 'of this model')!r} does not search for λ: "
                "MMOClassifier(metric, method='mmo') does, and settings={'lambda': 'scan'} tries a whole range"
            )
        self.lambdas: Numbers = np.array([step["lambda"] for step in search["steps"]], dtype=np.float64)
        self.values: Numbers = np.array([step["metric"] for step in search["steps"]], dtype=np.float64)
        self.chosen: Numbers = np.array(search["chosen"], dtype=np.float64)
        self.metric_name = str(history.get("metric", "metric"))

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> LambdaSearchDisplay:
        """Of a fitted `MMOClassifier` whose method searches for λ."""
        check_is_fitted(estimator)
        if not hasattr(estimator, "history_"):
            raise TypeError(f"{type(estimator).__name__} keeps no record of a search: only MMOClassifier does")
        return cls(estimator.history_).plot(ax)

    def plot(self, ax: Any = None) -> LambdaSearchDisplay:
        """Draw; ``ax_`` and ``figure_`` are matplotlib's."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        several = self.lambdas.shape[1] > 1
        for j in range(self.lambdas.shape[1]):
            self.ax_.plot(
                self.lambdas[:, j], self.values[:, j], "s", markersize=3 if several else 5, color=f"C{j % 10}"
            )
        ends = [min(self.lambdas.min(), self.values.min()), max(self.lambdas.max(), self.values.max())]
        self.ax_.plot(ends, ends, linestyle="--", color="grey", label="value = λ")
        if not several:
            self.ax_.axvline(self.chosen[0], color="C1", label=f"chosen: {self.chosen[0]:.4f}")
        what = f"{_text(self.metric_name)}, held out" + (", one colour per label" if several else "")
        self.ax_.set(xlabel="λ", ylabel=what)
        self.ax_.legend()
        return self
