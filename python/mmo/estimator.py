"""The scikit-learn classifier: everything `mmo train` does, on arrays."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from mmo import _core
from mmo._card import ShownAsCard
from mmo._features import dataset, thread_count
from mmo._files import writable
from mmo._labels import weights_of
from mmo._linear import coefficients
from mmo._metric import MetricLike, metric_of, with_class_weights
from mmo._rows import ReadsRows, weighted_rows
from mmo._score import score_predictions
from mmo._settings import NESTED, seed_of, train_settings
from mmo._target import Target, plain_target
from mmo._words import in_python, python_words
from mmo.report import Report

_EDGE = np.finfo(np.float64).eps  # probabilities stay inside (0, 1)


class MMOClassifier(ShownAsCard, ClassifierMixin, ReadsRows):  # type: ignore[misc]
    """Multi-label classifier trained for the metric it is judged by.

    Learners that suit the data, their settings and blend, label dependence and decision rule are chosen from
    held-out scores; the result is the model that ``mmo train`` writes, and does not depend on ``n_jobs``.

    Parameters
    ----------
    metric : str or Metric, default="micro-f1"
        ``"macro-f1"``, ``"samples-jaccard"``, ``"macro:(3*TP)/(3*TP+FP+2*FN)"``, …; see `mmo.metrics.names`.
    method : str, default="auto"
        A recipe of `mmo.methods`; the baselines are among them.
    learners : str or sequence of str, optional
        What is blended: of ``"linear"``, ``"kernel"``, ``"forest"`` and ``"boosted"`` one or several.
    effort : {"quick", "standard", "thorough"}, default="standard"
    subject_to : str, optional
        A side condition such as ``"precision>=0.9"``.
    settings : mapping, optional
        Finer choices (`mmo.settings`): ``{"l2": 0.1, "stack": "off", "missing": "impute"}``.
        A key alone is a parameter of its own for grids: ``{"settings__l2": [0.1, 1]}``.
    text : mapping, optional
        For X of raw documents: ``ngrams`` (``"1-2"``), ``min_df``, ``max_df``, ``sublinear_tf``, ``lowercase``,
        ``max_features``, as in ``mmo train --set text.ngrams=1-2``.
    min_labels : int, optional
        Every row gets at least so many labels; None: 0 or 1, whichever is better.
    folds : int, default=5
    min_positives : int, default=1
        Labels with fewer positive rows are never predicted.
    label_weight : array of shape (n_labels,), optional
        Each label's share in the metric.
    class_weights : mapping, optional
        ``{label: (positive, negative)}``; ``"*"`` stands for all labels not named. They become part of the metric.
    zero_division : {0, 1, nan}, default=0
        The value of 0/0.
    missing_label : float, optional
        Cells of y with this value (``numpy.nan``, ``-100``) are unknown and left out of losses and metrics.
    time_limit : float, optional
        Seconds after which no further candidates are tried.
    memory_limit : int, optional
        Bytes (default: 80 % of the machine's); a search that would need more sees fewer rows, never fewer than 20,000
        or a tenth of them (a limit below that is refused before the search starts). The final fit sees all rows.
    n_jobs : int, optional
        Threads; None and -1 mean all cores (None inside a joblib worker: those that joblib grants).
    random_state : int, RandomState or None, default=None
        Seed of the folds; None is 0, so that results can be repeated.
    callback : callable, optional
        Called with ``{"stage": …, "fraction": …, "detail": …}`` while fitting.
    verbose : int, default=0
        Above 0, stages are printed.

    Attributes
    ----------
    classes_ : the classes (binary, multiclass y), label names or label numbers.
    history_ : dict of every choice with its out-of-fold value.
    model_ : the core's model.

    Notes
    -----
    There is no ``partial_fit``: the choices are made on scores of rows that a fit has not seen, so all rows have
    to be there. For streams train `mmo.torch.MMOLoss` with mini-batches.

    Examples
    --------
    >>> from mmo import MMOClassifier
    >>> from mmo.datasets import make_multilabel
    >>> data = make_multilabel(rows=300, features=20, labels=4, seed=1)
    >>> model = MMOClassifier("macro-f1").fit(data.data[:200], data.target[:200])
    >>> model.predict(data.data[200:]).shape
    (100, 4)
    >>> 0 < model.score(data.data[200:], data.target[200:]) < 1
    True
    """

    def __init__(
        self,
        metric: MetricLike = "micro-f1",
        *,
        method: str = "auto",
        learners: str | Sequence[str] | None = None,
        effort: str = "standard",
        subject_to: str | None = None,
        settings: Mapping[str, Any] | None = None,
        text: Mapping[str, Any] | None = None,
        min_labels: int | None = None,
        folds: int = 5,
        min_positives: int = 1,
        label_weight: Any = None,
        class_weights: Mapping[Any, tuple[float, float]] | None = None,
        zero_division: float = 0.0,
        missing_label: float | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Callable[[dict[str, Any]], None] | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.method = method
        self.learners = learners
        self.effort = effort
        self.subject_to = subject_to
        self.settings = settings
        self.text = text
        self.min_labels = min_labels
        self.folds = folds
        self.min_positives = min_positives
        self.label_weight = label_weight
        self.class_weights = class_weights
        self.zero_division = zero_division
        self.missing_label = missing_label
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def set_params(self, **params: Any) -> MMOClassifier:
        """Parameters by name; ``settings__KEY`` and ``text__KEY`` are one entry of these mappings."""
        own = {
            name: value for name, value in params.items() if name.partition("__")[0] not in NESTED or "__" not in name
        }
        super().set_params(**own)
        for name, value in params.items():
            mapping, nested, key = name.partition("__")
            if nested and name not in own:
                setattr(self, mapping, {**(getattr(self, mapping) or {}), key: value})
        return self

    # ---- fitting ---------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_valid: Any = None,
        y_valid: Any = None,
    ) -> MMOClassifier:
        """Train on X (dense, sparse, DataFrame, Arrow table or a list of documents) and y.

        Columns of a table may hold texts, categories, dates, booleans and missing values: what each is follows from
        its dtype, and for strings from what they hold, as `mmo train` guesses it for a CSV file.

        y is a 0/1 matrix (dense or sparse), a DataFrame of label columns, a list of label sets, or classes. Rows of
        one group are never divided between folds. With X_valid, y_valid choices are made on these rows instead.
        """
        X = self._check_x(X)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        y = plain_target(y)
        if not hasattr(y, "shape") and not isinstance(y, list):
            y = np.asarray(y)
        check_consistent_length(X, y)
        rows = _num_samples(X)
        if sample_weight is not None:
            X, y, sample_weight, groups = weighted_rows(X, y, sample_weight, groups, rows)
        target = Target.learn(y, self.missing_label)
        data = self._dataset(X, y, target, sample_weight, groups)
        valid = None
        if X_valid is not None:
            expected = data.inputs
            valid = self._dataset(self._check_x(X_valid, expected), y_valid, target, None, None, expected)
        with python_words():
            model, notes = self._train(
                data,
                self._trained_metric(target),
                train_settings(self, target),
                weights_of(self.label_weight, target.labels, "label_weight"),
                valid,
                self._listener(),
                thread_count(self.n_jobs),
            )
        history = json.loads(model.history)
        history["python"] = target.record()
        model.history = json.dumps(history)
        self._adopt(model, target)
        for note in notes:
            warnings.warn(in_python(note), UserWarning, stacklevel=2)
        return self

    _train = staticmethod(_core.train)  # what several processes do in their own way

    def _trained_metric(self, target: Target) -> _core.Metric:
        metric = metric_of(self.metric, self.zero_division)
        return with_class_weights(metric, self.class_weights, target.classes) if self.class_weights else metric

    def _listener(self) -> Callable[[dict[str, Any]], None] | None:
        if not self.verbose:
            return self.callback

        def tell(event: dict[str, Any]) -> None:
            print(f"[mmo] {event['fraction']:4.0%} {event['stage']} {event['detail']}".rstrip())
            if self.callback is not None:
                self.callback(event)

        return tell

    def _adopt(self, model: _core.Model, target: Target) -> None:
        self.model_ = model
        self._target = target
        self.classes_ = target.classes
        self.history_: dict[str, Any] = json.loads(model.history)

    # ---- predicting ------------------------------------------------------------------------------------------

    def _fresh(self, X: Any) -> _core.Dataset:
        check_is_fitted(self)
        with python_words():
            expected = self.model_.inputs
            data = dataset(self._check_x(X, expected), expected=expected)
        for note in data.notes:
            warnings.warn(in_python(note), UserWarning, stacklevel=3)
        return data

    def _margins(self, X: Any) -> npt.NDArray[np.float64]:
        data = self._fresh(X)
        return self.model_.margins(data, thread_count(self.n_jobs)).astype(np.float64)

    def predict(self, X: Any) -> Any:
        """Labels in the form that y had in `fit`: 0/1 matrix, sparse matrix, list of sets, or classes."""
        data = self._fresh(X)
        if self._target.kind == "multilabel":
            return self._target.decode(*self.model_.predict(data, thread_count(self.n_jobs)))
        margins = self.model_.margins(data, thread_count(self.n_jobs))
        if self._target.kind == "binary":
            found = self.classes_[(margins[:, 0] > 0).astype(int)]
        else:
            found = self.classes_[np.argmax(margins, axis=1)]
        return found[:, None] if self._target.column else found

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Signed margins: above 0 exactly where `predict` gives the label."""
        margins = self._margins(X)
        return margins[:, 0] if self._target.kind == "binary" else margins

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probabilities of the decision, above one half exactly where `predict` gives the label.

        Shape (n, n_labels), for binary y (n, 2). They contain the metric's costs; `predict_posterior` gives the
        calibrated probabilities that a label is present.
        """
        margins = self._margins(X)
        if self._target.kind == "multiclass":
            shares: npt.NDArray[np.float64] = softmax(log_expit(margins), axis=1)
            return shares
        p = np.clip(expit(margins), _EDGE, 1 - _EDGE)
        return np.column_stack([1 - p, p]) if self._target.kind == "binary" else p

    def predict_posterior(self, X: Any) -> npt.NDArray[np.float64]:
        """Calibrated probability of every label, shape (n, n_labels); multiclass and binary y: (n, n_classes)."""
        data = self._fresh(X)
        scores = self.model_.scores(data, thread_count(self.n_jobs)).astype(np.float64)
        p = np.clip(expit(scores), _EDGE, 1 - _EDGE)
        if self._target.kind == "binary":
            return np.column_stack([1 - p, p])
        return np.asarray(p / p.sum(axis=1, keepdims=True) if self._target.kind == "multiclass" else p)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The metric that was optimised, of the predictions for X.

        Labels of y that training never saw count, with a warning: their positives are missed.
        """
        check_is_fitted(self)
        return score_predictions(
            self.model_.metric,
            self._target,
            self.predict(X),
            y,
            sample_weight=sample_weight,
            label_weight=self.label_weight,
            missing_label=self.missing_label,
        )

    def report(self, X: Any, y: Any, sample_weight: Any = None, *, examples: int = 0) -> Report:
        """What the model does on these rows: every metric, label by label, and what other thresholds would do.

        Shown by a notebook as a page; `.save("report.html")` writes it. The page holds counts and curves;
        `examples=10` adds the content of the ten worst rows.
        """
        check_is_fitted(self)
        if self._target.kind == "multiclass":
            raise ValueError("a report is about sets of labels; a multiclass y has exactly one label per row")
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float32)
        data = self._dataset(self._check_x(X, self.model_.inputs), y, self._target, weights, None, self.model_.inputs)
        command = f"MMOClassifier({self.model_.metric.name!r}).report(X, y)"
        return Report(
            self.model_.report(data, command, seed_of(self.random_state), examples, thread_count(self.n_jobs))
        )

    # ---- what was learned ------------------------------------------------------------------------------------

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """Weights of a model linear in X, (n_labels, n_features): X @ coef_.T + intercept_ are calibrated log-odds."""
        return coefficients(self)[0]

    @property
    def intercept_(self) -> npt.NDArray[np.float64]:
        """The log-odds at x = 0, of shape (n_labels,)."""
        return coefficients(self)[1]

    # ---- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the native model file, which `mmo predict` and `mmo.load` read."""
        check_is_fitted(self)
        self.model_.save(writable(path, overwrite), overwrite)

    def export_onnx(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model as ONNX."""
        check_is_fitted(self)
        self.model_.export_onnx(writable(path, overwrite), overwrite)

    def card(self, *, features: int = 5, labels: int = 20) -> str:
        """What was chosen and what each label looks at, as `mmo inspect` prints it."""
        check_is_fitted(self)
        return self.model_.card(features, labels)

    def hub_card(self, name: str = "model") -> str:
        """The card in Markdown, headed by the Hugging Face Hub's metadata, as ``mmo inspect --as card``."""
        check_is_fitted(self)
        return self.model_.hub_card(name)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = state["model_"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "model_" in state:
            state["model_"] = _core.Model.from_bytes(state["model_"])
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_nan(reset=True)
        return tags


def load(path: str | os.PathLike[str]) -> MMOClassifier:
    """A fitted classifier from a model file of `MMOClassifier.save` or of the program."""
    text = os.fspath(path)
    if not os.path.exists(text):
        raise FileNotFoundError(f"{text}: no such file")
    model = _core.Model.load(text)
    history = json.loads(model.history)
    classifier = MMOClassifier(model.metric, zero_division=model.metric.zero_division)
    classifier._adopt(model, Target.from_record(history.get("python"), model.label_names))
    if not model.is_text:
        names = model.inputs.names
        classifier.n_features_in_ = len(names) or model.columns
        if names:
            classifier.feature_names_in_ = np.array(names, dtype=object)
    return classifier
