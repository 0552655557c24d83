"""Labelled rows beside what an estimator says of them, as 0/1 matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from mmo._labels import as_indicator
from mmo._target import Target, plain_target
from mmo.threshold import label_scores


@dataclass
class Judged:
    """True and predicted labels of the same rows, and the labels' names."""

    truth: Any
    predicted: Any
    names: list[Any]

    @staticmethod
    def of(estimator: Any, X: Any, y: Any) -> Judged:
        """Raises ValueError where y has one class per row: this is about sets of labels."""
        check_is_fitted(estimator)
        predicted = estimator.predict(X)
        target = getattr(estimator, "_target", None)
        if isinstance(target, Target):
            if target.kind != "multilabel":
                raise ValueError("displays are about sets of labels; this y has exactly one class per row")
            return Judged(target.encode(plain_target(y))[0], target.encode(predicted)[0], list(target.classes))
        truth = as_indicator(y)
        names = list(getattr(y, "columns", range(truth.shape[1])))
        return Judged(truth, as_indicator(predicted, "predictions"), names)

    def place(self, label: Any) -> int:
        """The column of a label given by its name or place."""
        for j, name in enumerate(self.names):
            if name == label:
                return j
        if isinstance(label, (int, np.integer)) and 0 <= label < len(self.names):
            return int(label)
        raise ValueError(f"{label!r} is not a label; there are {len(self.names)}, such as {self.names[0]!r}")

    def scores(self, estimator: Any, X: Any) -> npt.NDArray[np.float64]:
        """Calibrated probabilities, or the scores that the estimator offers."""
        if hasattr(estimator, "predict_posterior"):
            return np.asarray(estimator.predict_posterior(X), dtype=np.float64)
        return label_scores(estimator, X, len(self.names))
