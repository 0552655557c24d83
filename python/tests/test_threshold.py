"""MMOThreshold around other people's estimators."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from mmo import MMOThreshold, metrics


def linear() -> Any:
    return make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression()))


@pytest.mark.parametrize(
    "estimator",
    [
        linear(),
        OneVsRestClassifier(LinearSVC()),
        MultiOutputClassifier(LogisticRegression()),
        RandomForestClassifier(20, random_state=0),
        MLPClassifier((10,), max_iter=50, random_state=0),
        RidgeClassifier(),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_estimator(made: Any, estimator: Any) -> None:
    x, y = made.data, made.target
    tuned = MMOThreshold(estimator, "macro-f1", cv=3).fit(x, y)
    predicted = tuned.predict(x)
    assert predicted.dtype == y.dtype
    np.testing.assert_array_equal(tuned.decision_function(x) > 0, predicted == 1)
    np.testing.assert_array_equal(tuned.predict_proba(x).round(), predicted)
    assert tuned.score(x, y) == metrics.score(y, predicted, "macro-f1")
    assert tuned.predict_posterior(x).shape == y.shape
    again = pickle.loads(pickle.dumps(tuned))
    np.testing.assert_array_equal(again.predict(x), predicted)


@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1", "samples-f1"])
def test_better_than_the_threshold_of_one_half(yeast: Any, metric: str) -> None:
    train, test = yeast
    plain = linear().fit(train.data, train.target)
    tuned = MMOThreshold(linear(), metric).fit(train.data, train.target)
    before = metrics.score(test.target, plain.predict(test.data), metric)
    after = tuned.score(test.data, test.target)
    assert after > before + 0.01
    assert abs(tuned.cv_value_ - after) < 0.05  # honest: rows are judged by a rule that did not see them


@pytest.mark.parametrize("name", ["lightgbm", "xgboost"])
def test_boosters(yeast: Any, name: str) -> None:
    pytest.importorskip(name)
    train, test = yeast
    if name == "lightgbm":
        from lightgbm import LGBMClassifier

        booster: Any = MultiOutputClassifier(LGBMClassifier(n_estimators=10, num_leaves=8, verbose=-1, n_jobs=1))
    else:
        from xgboost import XGBClassifier

        booster = XGBClassifier(n_estimators=10, max_depth=3, n_jobs=1)
    frame, other = pd.DataFrame(train.data), pd.DataFrame(test.data)
    tuned = MMOThreshold(booster, "macro-f1", cv=3).fit(frame, train.target)
    plain = clone(booster).fit(frame, train.target).predict(other)
    assert tuned.score(other, test.target) > metrics.score(test.target, plain, "macro-f1") + 0.02


def test_thresholds_reproduce_the_decisions(made: Any) -> None:
    x, y = made.data, made.target
    tuned = MMOThreshold(linear(), "macro-f1", min_labels=0).fit(x, y)
    scores = tuned.estimator_.predict_proba(x)
    agree = (scores >= tuned.thresholds_) == (tuned.predict(x) == 1)
    assert agree.mean() > 0.99  # exactly on the out-of-fold scores; rounded to few digits elsewhere
    assert MMOThreshold(linear(), "samples-f1").fit(x, y).thresholds_ is None


def test_prefit(made: Any) -> None:
    x, y = made.data, made.target
    fitted = linear().fit(x[:150], y[:150])
    tuned = MMOThreshold(fitted, "macro-f1", cv="prefit").fit(x[150:], y[150:])
    assert tuned.estimator_ is fitted
    with pytest.raises(NotFittedError):
        MMOThreshold(linear(), cv="prefit").fit(x, y)


def test_constant_labels_weights_and_missing_labels(made: Any) -> None:
    x = made.data
    y = np.column_stack([made.target, np.zeros(len(x), int)])
    forest = MMOThreshold(RandomForestClassifier(10, random_state=0), "macro-f1", cv=3).fit(x, y)
    assert forest.predict(x)[:, -1].sum() == 0
    weights = np.where(made.target[:, 0] == 1, 4.0, 1.0)
    model = OneVsRestClassifier(LogisticRegression())
    one = MMOThreshold(RandomForestClassifier(10, random_state=0), cv=3).fit(x, made.target)
    two = MMOThreshold(RandomForestClassifier(10, random_state=0), cv=3).fit(x, made.target, weights)
    assert two.predict(x)[:, 0].sum() >= one.predict(x)[:, 0].sum()
    holes = made.target.astype(float)
    holes[::3, 1] = np.nan
    known = MMOThreshold(model, missing_label=np.nan).fit(x, holes)
    assert known.predict(x).shape == holes.shape


def test_side_condition_sparse_y_and_search(made: Any) -> None:
    x, y = made.data, made.target
    careful = MMOThreshold(linear(), "recall", subject_to="precision>=0.9").fit(x, y)
    assert metrics.precision_score(y, careful.predict(x)) > 0.85
    assert sparse.issparse(
        MMOThreshold(OneVsRestClassifier(LogisticRegression())).fit(x, sparse.csr_matrix(y)).predict(x)
    )
    search = GridSearchCV(
        MMOThreshold(OneVsRestClassifier(LogisticRegression())), {"estimator__estimator__C": [0.1, 1.0]}, cv=3
    )
    assert search.fit(x, y).best_score_ > 0


def test_errors(made: Any) -> None:
    x, y = made.data, made.target
    with pytest.raises(ValueError, match="TunedThresholdClassifierCV"):
        MMOThreshold(linear()).fit(x, y[:, 0])
    with pytest.raises(NotFittedError):
        MMOThreshold(linear()).predict(x)
    with pytest.raises(ValueError, match="choose one of"):
        MMOThreshold(linear(), rule="magic").fit(x, y)

    class Silent(LogisticRegression):  # type: ignore[misc]
        predict_proba = decision_function = property()  # type: ignore[assignment]

    with pytest.raises(TypeError, match="no scores"):
        MMOThreshold(OneVsRestClassifier(Silent()), response_method="score_samples").fit(x, y)
