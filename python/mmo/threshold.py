"""The metric's decision rule around any multi-label estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing
from sklearn.utils.validation import check_is_fitted

from mmo import _core
from mmo._card import ShownAsCard
from mmo._labels import as_indicator, labels_of, split_unknown, to_dense, to_sparse, truth_of, weights_of
from mmo._metric import MetricLike, metric_of
from mmo._target import plain_target
from mmo._words import whole
from mmo.model_selection import fold_numbers


def label_scores(estimator: Any, X: Any, labels: int, how: str = "auto") -> npt.NDArray[np.float64]:
    """Scores of shape (n, labels) from whatever the estimator offers.

    ``predict_proba`` may be a matrix or, as of forests and `MultiOutputClassifier`, a list with two columns per
    label (one column where training saw a single value).
    """
    names = ["predict_proba", "decision_function"] if how == "auto" else [how]
    name = next((candidate for candidate in names if hasattr(estimator, candidate)), None)
    if name is None:
        raise TypeError(f"{type(estimator).__name__} has none of {', '.join(names)}: there are no scores to decide on")
    found = getattr(estimator, name)(X)
    if isinstance(found, list):
        classes = getattr(estimator, "classes_", None)
        columns = [
            part[:, 1] if part.shape[1] == 2 else np.full(part.shape[0], float(classes is None or classes[j][0]))
            for j, part in enumerate(found)
        ]
        found = np.column_stack(columns)
    scores = np.asarray(found, dtype=np.float64)
    if scores.ndim != 2 or scores.shape[1] != labels:
        raise ValueError(f"{name} gave shape {scores.shape}, expected one column for each of the {labels} labels")
    if not np.isfinite(scores).all():
        raise ValueError(f"{name} gave scores that are not finite")
    return scores


class MMOThreshold(ShownAsCard, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Chooses the decision rule that a metric wants from out-of-fold scores of any multi-label estimator.

    scikit-learn's ``TunedThresholdClassifierCV`` does this for binary targets. Here every label gets the threshold
    that maximises micro, macro, per-row or weighted F1, Jaccard or any other ratio of counts, guarded against
    overfitting of rare labels; per-row metrics get the expected-count rule.

    Parameters
    ----------
    estimator : multi-label estimator with ``predict_proba`` or ``decision_function``
    metric : str or Metric, default="micro-f1"
    rule : {"auto", "global", "per-label", "curves", "blend", "expected", "zero"}, default="auto"
    subject_to : str, optional
        A side condition such as ``"precision>=0.9"``.
    min_labels : int, optional
        Every row gets at least so many labels; None tries 0 and 1.
    max_labels : int, optional
        No row gets more; the rule is fitted so. Not together with `subject_to`.
    cv : int or "prefit", default=5
        Folds of the out-of-fold scores, stratified over labels; "prefit": the estimator is fitted, and the rows
        given to `fit` are ones it has not seen.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
    zero_division : {0, 1, nan}, default=0
    missing_label : float, optional
        Marks unknown cells of y. The estimator itself is trained with 0 there.
    random_state : int, default=0

    Attributes
    ----------
    estimator_ : the estimator fitted on all rows
    rule_ : the core's rule; ``rule_.kind`` names it
    thresholds_ : one per label in the scale of the scores, or None for the expected-count rule
    cv_value_ : the metric of rows judged by a rule that was fitted without them

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> from mmo import MMOThreshold
    >>> from mmo.datasets import make_multilabel
    >>> data = make_multilabel(rows=400, features=20, labels=5)
    >>> plain = OneVsRestClassifier(LogisticRegression())
    >>> tuned = MMOThreshold(plain, "macro-f1").fit(data.data, data.target)
    >>> tuned.thresholds_.shape
    (5,)
    """

    def __init__(
        self,
        estimator: Any,
        metric: MetricLike = "micro-f1",
        *,
        rule: str = "auto",
        subject_to: str | None = None,
        min_labels: int | None = None,
        max_labels: int | None = None,
        cv: Any = 5,
        response_method: str = "auto",
        zero_division: float = 0.0,
        missing_label: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.rule = rule
        self.subject_to = subject_to
        self.min_labels = min_labels
        self.max_labels = max_labels
        self.cv = cv
        self.response_method = response_method
        self.zero_division = zero_division
        self.missing_label = missing_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any) -> MMOThreshold:
        """Fit the estimator (unless prefit) and the rule. ``fit_params`` go to the estimator.

        With metadata routing enabled the estimator gets what it requests: ``LogisticRegression().set_fit_request(
        sample_weight=True)``. The rule always follows the weights.
        """
        y = plain_target(y)
        known, unknown = split_unknown(y, self.missing_label)
        if getattr(known, "ndim", 2) == 1 or (hasattr(known, "shape") and known.shape[1] < 2):
            raise ValueError("MMOThreshold is for multi-label y; scikit-learn's TunedThresholdClassifierCV is binary")
        if self.max_labels is not None and self.subject_to:
            raise ValueError("a side condition has its own rule; leave out max_labels or subject_to")
        known = as_indicator(known)
        rows, labels = known.shape
        weights = weights_of(sample_weight, rows, "sample_weight")
        fit_params = self._estimator_params(sample_weight, groups, fit_params)
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31)
        folds = 5 if self.cv == "prefit" else int(self.cv)
        fold_of_row = fold_numbers(known, folds, int(seed), groups)
        scores = np.empty((rows, labels))
        if self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            scores[:] = label_scores(self.estimator_, X, labels, self.response_method)
        else:
            for fold in range(folds):
                inside, outside = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
                part = {key: _rows_of(value, inside, rows) for key, value in fit_params.items()}
                fitted = clone(self.estimator).fit(_safe_indexing(X, inside), known[inside], **part)
                scores[outside] = label_scores(fitted, _safe_indexing(X, outside), labels, self.response_method)
            self.estimator_ = clone(self.estimator).fit(X, known, **fit_params)
        truth = _core.Truth(labels_of(known), None if unknown is None else labels_of(unknown), weights)
        self.rule_ = self._fit_rule(scores, truth, fold_of_row)
        self.thresholds_ = self.rule_.thresholds(scores) if self.rule_.by_threshold else None
        self.cv_value_ = self._cross_fitted(scores, known, unknown, weights, fold_of_row, folds)
        self.classes_ = getattr(self.estimator_, "classes_", np.arange(labels))
        self.n_labels_ = labels
        self._sparse = sparse.issparse(y)
        self._dtype = known.dtype
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def _estimator_params(self, sample_weight: Any, groups: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        """What the estimator's fit gets: with metadata routing what it asks for, else weights and whatever is left."""
        given = {"sample_weight": sample_weight, "groups": groups}
        if _routing_enabled():
            present = {key: value for key, value in given.items() if value is not None}
            return dict(process_routing(self, "fit", **present, **fit_params).estimator.fit)
        if sample_weight is not None and self.cv != "prefit":
            return {**fit_params, "sample_weight": np.asarray(sample_weight)}
        return fit_params

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which of fit's parameters; see scikit-learn's guide to metadata routing."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def _fit_rule(self, scores: Any, truth: _core.Truth, fold_of_row: Any) -> _core.ScoreRule:
        return _core.fit_scores(
            metric_of(self.metric, self.zero_division),
            scores,
            truth,
            self.rule,
            -1 if self.min_labels is None else self.min_labels,
            self.subject_to or "",
            fold_of_row.tolist(),
            max_labels=0 if self.max_labels is None else whole("max_labels", self.max_labels, 1),
        )

    def _cross_fitted(self, scores: Any, known: Any, unknown: Any, weights: Any, fold_of_row: Any, folds: int) -> float:
        predicted = np.zeros(scores.shape, dtype=bool)
        for fold in range(folds):
            inside, outside = fold_of_row != fold, fold_of_row == fold
            seen = np.flatnonzero(inside)
            truth = _core.Truth(
                labels_of(known[seen]),
                None if unknown is None else labels_of(unknown[seen]),
                None if weights is None else weights[seen],
            )
            rule = self._fit_rule(scores[inside], truth, np.unique(fold_of_row[inside], return_inverse=True)[1])
            predicted[outside] = to_dense(*rule.predict(scores[outside]), scores.shape[1], bool)
        truth = _core.Truth(labels_of(known), None if unknown is None else labels_of(unknown), weights)
        return _core.evaluate(metric_of(self.metric, self.zero_division), labels_of(predicted), truth)

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        return label_scores(self.estimator_, X, self.n_labels_, self.response_method)

    def predict(self, X: Any) -> Any:
        """A 0/1 matrix, sparse if y was."""
        form = to_sparse if self._is_sparse() else to_dense
        return form(*self.rule_.predict(self._scores(X)), self.n_labels_, self._dtype)

    def _is_sparse(self) -> bool:
        check_is_fitted(self)
        return bool(self._sparse)

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Signed margins: above 0 exactly where `predict` gives the label."""
        return self.rule_.margins(self._scores(X)).astype(np.float64)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probabilities of the decision, shape (n, n_labels); above one half where `predict` gives the label."""
        return np.asarray(expit(self.decision_function(X)))

    def predict_posterior(self, X: Any) -> npt.NDArray[np.float64]:
        """Calibrated probability of every label, shape (n, n_labels)."""
        return np.asarray(expit(self.rule_.calibrated(self._scores(X)).astype(np.float64)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The metric that the rule was chosen for."""
        truth = truth_of(y, sample_weight=sample_weight, missing_label=self.missing_label)
        return _core.evaluate(metric_of(self.metric, self.zero_division), labels_of(self.predict(X)), truth)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags


def _rows_of(value: Any, rows: npt.NDArray[Any], count: int) -> Any:
    """The part of a fit parameter that belongs to these rows, if it has one entry per row."""
    if hasattr(value, "__len__") and not isinstance(value, str) and len(value) == count:
        return _safe_indexing(value, rows)
    return value
