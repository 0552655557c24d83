"""Inside scikit-learn's tools: searches, pipelines, chains, metadata routing, weights, multi-label checks."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, multilabel_confusion_matrix
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.utils import estimator_checks

import mmo
from mmo import MMOClassifier, MMOThreshold


def quick(metric: str = "micro-f1", **parameters: Any) -> MMOClassifier:
    return MMOClassifier(metric, effort="quick", method="linear", n_jobs=1, **parameters)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_every_setting_is_a_parameter_of_a_grid(made: Any) -> None:
    grid = {"settings__l2": [0.01, 10.0], "min_labels": [0, 1], "settings__stack": ["off"]}
    search = GridSearchCV(quick(), grid, scoring=mmo.metrics.scorer("macro-f1"), cv=2, error_score="raise")
    search.fit(made.data, made.target)
    assert set(search.best_params_) == set(grid)
    assert search.best_estimator_.settings.keys() == {"l2", "stack"}
    chosen = [entry["min_labels"] for entry in search.cv_results_["params"]]
    assert chosen.count(0) == chosen.count(1) == 2
    random = RandomizedSearchCV(quick(), {"effort": ["quick"], "folds": [3, 4]}, n_iter=2, cv=2).fit(
        made.data, made.target
    )
    assert random.best_params_["folds"] in (3, 4)


def test_nested_parameters_leave_the_first_estimator_alone() -> None:
    settings = {"l2": 1.0}
    model = MMOClassifier(settings=settings)
    changed = clone(model).set_params(settings__stack="off", text__ngrams="1-2", effort="quick")
    assert (changed.settings, changed.text, changed.effort) == ({"l2": 1.0, "stack": "off"}, {"ngrams": "1-2"}, "quick")
    assert model.settings is settings
    assert settings == {"l2": 1.0}
    with pytest.raises(ValueError, match="Invalid parameter 'setings'"):
        model.set_params(setings__l2=1)


def test_min_labels_is_kept(made: Any) -> None:
    assert quick(min_labels=2).fit(made.data, made.target).predict(made.data).sum(axis=1).min() >= 2
    with pytest.raises(ValueError, match="min_labels must be a whole number"):
        quick(min_labels=-1).fit(made.data, made.target)


def test_settings_and_texts_have_the_programs_names() -> None:
    words = ["red house", "red car", "blue car", "blue house"] * 20
    y = np.array([[w.startswith("red"), w.endswith("car")] for w in words]).astype(int)
    model = quick(settings={"min_labels": 1, "text.ngrams": "1-2"}).fit(words, y)
    same = quick(settings={"min-labels": 1}, text={"ngrams": (1, 2), "min-df": 2}).fit(words, y)
    np.testing.assert_array_equal(model.decision_function(words), same.decision_function(words))
    with pytest.raises(
        ValueError, match="'ngram' is unknown; known are lowercase, max_df, max_features, min_df, ngrams"
    ):
        quick(text={"ngram": 1}).fit(words, y)
    with pytest.raises(ValueError, match="'ngrams' must be a length"):
        quick(text={"ngrams": "2-1"}).fit(words, y)


def test_pipelines_and_column_transformers(made: Any) -> None:
    frame = pd.DataFrame(made.data, columns=[f"c{k}" for k in range(made.data.shape[1])])
    frame["kind"] = np.where(made.target[:, 0] == 1, "a", "b")
    columns = ColumnTransformer([("kind", OneHotEncoder(), ["kind"])], remainder=StandardScaler())
    model = make_pipeline(columns, quick("macro-f1")).fit(frame, made.target)
    assert model.score(frame, made.target) > 0.6
    assert model[-1].n_features_in_ == made.data.shape[1] + 2
    values = cross_validate(
        model, frame, made.target, scoring={"f": mmo.metrics.scorer("samples-f1")}, cv=3, error_score="raise"
    )
    assert len(values["test_f"]) == 3
    assert cross_val_predict(model, frame, made.target, cv=3).shape == made.target.shape


def test_chains_and_one_per_label(made: Any) -> None:
    for meta in (
        ClassifierChain(quick(), random_state=0),
        ClassifierChain(quick(), cv=3),
        MultiOutputClassifier(quick()),
    ):
        model = meta.fit(made.data, made.target)
        assert f1_score(made.target, model.predict(made.data), average="micro") > 0.6
        assert clone(model).get_params()
    tuned = MMOThreshold(ClassifierChain(LogisticRegression(), cv=3), "macro-f1", cv=3).fit(made.data, made.target)
    assert tuned.predict(made.data).shape == made.target.shape


def test_weights_are_routed(made: Any, routing: None) -> None:
    weights = np.random.default_rng(0).uniform(0.5, 2, len(made.target))
    expected = quick().fit(made.data, made.target, sample_weight=weights)
    model = make_pipeline(FunctionTransformer(), quick().set_fit_request(sample_weight=True, groups=True))
    model.fit(made.data, made.target, sample_weight=weights, groups=np.arange(len(weights)) % 50)
    direct = quick().set_score_request(sample_weight=True).set_fit_request(sample_weight=True)
    values = cross_validate(
        direct, made.data, made.target, params={"sample_weight": weights}, cv=3, error_score="raise"
    )
    assert len(values["test_score"]) == 3
    assert expected.score(made.data, made.target, sample_weight=weights) == mmo.metrics.score(
        made.target, expected.predict(made.data), sample_weight=weights
    )


@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1", "samples-f1"])
def test_threshold_keeps_to_its_limit(made: Any, metric: str) -> None:
    base = OneVsRestClassifier(LogisticRegression())
    free = MMOThreshold(base, metric, cv=3).fit(made.data, made.target)
    assert free.predict(made.data).sum(axis=1).max() > 2
    model = MMOThreshold(base, metric, max_labels=2, cv=3).fit(made.data, made.target)
    predicted = model.predict(made.data)
    assert predicted.sum(axis=1).max() == 2
    np.testing.assert_array_equal(model.decision_function(made.data) > 0, predicted == 1)
    with pytest.raises(ValueError, match="leave out max_labels or subject_to"):
        MMOThreshold(base, max_labels=2, subject_to="precision>=0.9").fit(made.data, made.target)


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what its fit was given."""

    seen: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None, flavour: Any = None) -> Recorder:
        self.seen.append((sample_weight, flavour))
        self.classes_ = np.arange(y.shape[1])
        self.directions_ = np.asarray(X).T @ (y - y.mean(axis=0)) / len(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return expit(np.asarray(X) @ self.directions_)


def test_threshold_routes_what_its_estimator_asks_for(made: Any, routing: None) -> None:
    weights = np.linspace(0.5, 2, len(made.target))
    asks = Recorder().set_fit_request(sample_weight=True, flavour=True)
    for estimator, gets in ((asks, True), (Recorder().set_fit_request(sample_weight=False, flavour=True), False)):
        Recorder.seen.clear()
        MMOThreshold(estimator, cv=3).fit(made.data, made.target, sample_weight=weights, flavour="mint")
        assert len(Recorder.seen) == 4
        assert all(flavour == "mint" for _, flavour in Recorder.seen)
        np.testing.assert_array_equal(Recorder.seen[-1][0], weights if gets else None)
    with pytest.raises(TypeError, match="unexpected argument"):
        MMOThreshold(asks, cv=3).fit(made.data, made.target, colour="red")
    pipeline = make_pipeline(
        FunctionTransformer(), MMOThreshold(asks, cv=3).set_fit_request(sample_weight=True, groups=True)
    )
    pipeline.fit(made.data, made.target, sample_weight=weights)


def test_linear_weights(made: Any) -> None:
    settings = {"transform": "standardise", "stack": "off"}
    model = quick("macro-f1", settings=settings).fit(made.data, made.target)
    assert model.coef_.shape == (made.target.shape[1], made.data.shape[1])
    logits = made.data @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(expit(logits), model.predict_posterior(made.data), atol=1e-5)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)
    bent = quick(settings={"transform": "arcsinh", "stack": "off"}).fit(made.data, made.target)
    assert not hasattr(bent, "coef_")
    with pytest.raises(AttributeError, match="feature map is not linear"):
        _ = bent.coef_
    with pytest.raises(AttributeError, match="learners beside the linear one"):
        _ = MMOClassifier(method="forest", effort="quick").fit(made.data, made.target).coef_


# scikit-learn's checks that are about multi-label y, by their names, run with y of several columns.
MULTILABEL_CHECKS = [
    estimator_checks.check_classifiers_multilabel_output_format_predict,
    estimator_checks.check_classifiers_multilabel_output_format_predict_proba,
    estimator_checks.check_classifiers_multilabel_output_format_decision_function,
    estimator_checks.check_classifiers_multilabel_representation_invariance,
]


@pytest.mark.parametrize("check", MULTILABEL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("metric", ["micro-f1", "samples-f1"])
def test_multilabel_checks(check: Any, metric: str) -> None:
    check("MMOClassifier", quick(metric))


def test_all_multilabel_checks_are_listed() -> None:
    found = {name for name in dir(estimator_checks) if re.match("check_.*multilabel", name)}
    assert found == {check.__name__ for check in MULTILABEL_CHECKS}


def test_confusion_of_scikit_learn(made: Any) -> None:
    predicted = quick().fit(made.data, made.target).predict(made.data)
    theirs = multilabel_confusion_matrix(made.target, predicted)
    np.testing.assert_array_equal(mmo.metrics.counts(made.target, predicted), theirs[:, [1, 0, 1, 0], [1, 1, 0, 0]])


def test_html_shows_the_parameters() -> None:
    assert "micro-f1" in quick()._repr_html_()
