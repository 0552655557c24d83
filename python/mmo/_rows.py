"""What a classifier makes of X and y before the core sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, validate_data

from mmo import _core
from mmo._arrow import plain_frame
from mmo._features import dataset, is_text
from mmo._table import Table, is_frame, reads_table
from mmo._target import Target, plain_target
from mmo._words import missing_values_hint


def weighted_rows(X: Any, y: Any, weights: Any, groups: Any, rows: int) -> tuple[Any, Any, Any, Any]:
    """Rows of weight 0 take no part: they are left out, as if they were not there."""
    checked = _check_sample_weight(weights, np.empty((rows, 1)), ensure_non_negative=True)
    keep = checked > 0
    if not keep.any():
        raise ValueError("all sample weights are 0")
    if not keep.all():
        chosen = np.flatnonzero(keep)
        X = [X[i] for i in chosen] if isinstance(X, list) else X[chosen]
        y = y.iloc[chosen] if hasattr(y, "iloc") else [y[i] for i in chosen] if isinstance(y, list) else y[chosen]
        groups = None if groups is None else np.asarray(groups)[chosen]
    return X, y, checked[keep].astype(np.float32), groups


class ReadsRows(BaseEstimator):  # type: ignore[misc]
    """The checks of X that scikit-learn asks for, and tables as they come."""

    settings: Any
    missing_label: float | None

    def _dataset(
        self,
        X: Any,
        y: Any,
        target: Target,
        sample_weight: Any,
        groups: Any,
        expected: _core.InputColumns | None = None,
    ) -> _core.Dataset:
        positives, unknown = target.encode(plain_target(y), self.missing_label)
        if not positives.sum():
            raise ValueError("y has no positive label in any row: there is nothing to learn")
        names = [str(name) for name in target.classes] if target.kind != "binary" else [str(target.classes[1])]
        return dataset(
            X,
            positives,
            unknown=unknown,
            label_names=names,
            row_weights=sample_weight,
            groups=groups,
            feature_names=None if isinstance(X, Table) else self._column_names(),
            expected=expected,
        )

    def _column_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _check_x(self, X: Any, expected: _core.InputColumns | None = None) -> Any:
        """X as the core takes it; `expected` are the columns of the fit, None while fitting."""
        reset = expected is None
        X = plain_frame(X)
        if reads_table(X, expected, getattr(self, "feature_names_in_", ())):
            if expected is not None:  # what the fit left out is no surprise
                return Table.of(X, set(self.feature_names_in_) - set(expected.names))
            table = Table.of(X)
            self.feature_names_in_: npt.NDArray[Any] = np.array(table.names, dtype=object)
            self.n_features_in_ = len(table.names)
            return table
        if is_text(X):
            if reset and hasattr(self, "feature_names_in_"):
                del self.feature_names_in_  # of an earlier fit
            return list(X)
        with missing_values_hint(training=reset):
            return validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan" if self._allows_nan(reset, is_frame(X)) else True,
                ensure_min_samples=2 if reset else 1,
            )

    def _allows_nan(self, reset: bool, frame: bool = False) -> bool:
        """A fitted model knows whether it fills in what is missing; a new one is told by its settings.

        A frame may have gaps by default, as a file may.
        """
        if not reset and hasattr(self, "model_"):
            return bool(self.model_.imputes)
        missing = (self.settings or {}).get("missing")
        return missing == "impute" or (frame and missing != "error")
