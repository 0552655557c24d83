"""The displays: numbers equal to those of the metrics, drawings that hold them, names that may be anything."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from mmo import MMOClassifier, MMOThreshold, metrics
from mmo.datasets import make_multilabel
from mmo.plot import LabelReportDisplay, LambdaSearchDisplay, MetricThresholdDisplay

NAMES = ["<b>bold</b>", "$\\frac{", "line\nbreak \x1b[31m", "n" * 500]


@pytest.fixture(scope="module")
def data():
    return make_multilabel(rows=300, features=10, labels=4)


@pytest.fixture(scope="module")
def fitted(data):
    return MMOClassifier("macro-f1", effort="quick").fit(data.data, data.target)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def as_sets(target):
    return [{NAMES[j] for j in np.flatnonzero(row)} for row in target]


def test_threshold_curve_holds_the_metric(data, fitted, pyplot):
    display = MetricThresholdDisplay.from_estimator(fitted, data.data, data.target)
    scores = fitted.predict_posterior(data.data)
    for t, value in zip(display.thresholds[::20], display.values[::20], strict=True):
        assert value == metrics.score(data.target, scores >= t, "macro-f1")
    assert display.best_value == display.values.max()
    assert display.own_value == fitted.score(data.data, data.target)
    assert display.ax_.get_xlabel() == "threshold"
    assert "macro-f1" in display.ax_.get_ylabel()


def test_threshold_curve_of_one_label(data, fitted, pyplot):
    display = MetricThresholdDisplay.from_estimator(fitted, data.data, data.target, label=2)
    predicted = fitted.predict(data.data)
    assert display.own_value == pytest.approx(metrics.f1_score(data.target, predicted, average=None)[2])
    assert display.best_value >= display.own_value - 1e-12
    with pytest.raises(ValueError, match="not a label"):
        MetricThresholdDisplay.from_estimator(fitted, data.data, data.target, label="none")


def test_threshold_curve_of_other_estimators(data, pyplot):
    plain = OneVsRestClassifier(LogisticRegression()).fit(data.data, data.target)
    tuned = MMOThreshold(OneVsRestClassifier(LogisticRegression()), "micro-f1").fit(data.data, data.target)
    for estimator in (plain, tuned):
        display = MetricThresholdDisplay.from_estimator(estimator, data.data, data.target)
        assert display.own_value == metrics.score(data.target, estimator.predict(data.data), "micro-f1")
    drawn = MetricThresholdDisplay.from_predictions(data.target, plain.predict_proba(data.data), metric="samples-f1")
    assert drawn.own_value is None
    with pytest.raises(ValueError, match="label=4"):
        MetricThresholdDisplay.from_predictions(data.target, plain.predict_proba(data.data), label=4)
    with pytest.raises(ValueError, match="shape"):
        MetricThresholdDisplay.from_predictions(data.target, np.zeros((300, 3)))


def test_label_report_is_that_of_the_metrics(data, fitted, pyplot):
    display = LabelReportDisplay.from_estimator(fitted, data.data, data.target, most=3)
    predicted = fitted.predict(data.data)
    assert display.f1 == pytest.approx(metrics.f1_score(data.target, predicted, average=None))
    assert display.precision == pytest.approx(metrics.precision_score(data.target, predicted, average=None))
    assert display.support.tolist() == data.target.sum(axis=0).tolist()
    assert len(display.ax_.get_yticklabels()) == 3
    assert "worst 3 of 4" in display.ax_.get_ylabel()
    with pytest.raises(ValueError, match="2 names for 4 labels"):
        LabelReportDisplay.from_predictions(data.target, predicted, names=["a", "b"])


def test_labels_without_positives_are_drawn(pyplot):
    empty = np.zeros((5, 2), dtype=int)
    display = LabelReportDisplay.from_predictions(empty, empty)
    assert np.isnan(display.f1).all()
    MetricThresholdDisplay.from_predictions(empty, np.zeros((5, 2)))


def test_search_for_lambda(data, fitted, pyplot):
    for metric, lambdas in [("micro-f1", 1), ("macro-f1", 4)]:
        model = MMOClassifier(metric, method="mmo", effort="quick").fit(data.data, data.target)
        display = LambdaSearchDisplay.from_estimator(model)
        assert display.lambdas.shape == display.values.shape
        assert display.chosen.shape == (lambdas,)
        assert display.chosen.tolist() == model.history_["lambda"]["chosen"]
    with pytest.raises(ValueError, match="method='mmo'"):
        LambdaSearchDisplay.from_estimator(fitted)
    with pytest.raises(TypeError, match="LogisticRegression"):
        LambdaSearchDisplay.from_estimator(LogisticRegression().fit(data.data, data.target[:, 0]))


def test_names_are_shown_as_they_are(data, pyplot, tmp_path):
    sets = as_sets(data.target)
    model = MMOClassifier("micro-f1", effort="quick").fit(data.data, sets)
    drawn = [
        LabelReportDisplay.from_estimator(model, data.data, sets),
        MetricThresholdDisplay.from_estimator(model, data.data, sets, label=NAMES[1]),
    ]
    for k, display in enumerate(drawn):  # a formula among the names would stop matplotlib
        display.figure_.savefig(tmp_path / f"{k}.svg")
        assert "\x1b" not in (tmp_path / f"{k}.svg").read_text()
    assert max(len(tick.get_text()) for tick in drawn[0].ax_.get_yticklabels()) < 60


def test_classes_are_refused(data):
    model = MMOClassifier("micro-f1", effort="quick").fit(data.data, data.target[:, 0])
    with pytest.raises(ValueError, match="sets of labels"):
        LabelReportDisplay.from_estimator(model, data.data, data.target[:, 0])


def test_without_matplotlib_the_message_says_so(tmp_path):
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np, mmo.plot\n"
        "display = mmo.plot.LabelReportDisplay(np.eye(2), np.eye(2))\n"
        "try: display.plot()\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install matplotlib" in run.stdout


def test_a_fitted_model_shows_its_card(data):
    model = MMOClassifier("micro-f1", effort="quick")
    assert "held out" not in model._repr_mimebundle_()["text/html"]
    page = model.fit(data.data, as_sets(data.target))._repr_mimebundle_()["text/html"]
    value = model.history_["out_of_fold"]["value"]
    for part in (f"{value:.4f} ±", "2·TP / (2·TP + FP + FN)", "&lt;b&gt;bold", "rule", "squared hinge"):
        assert part in page
    assert "<b>bold" not in page


@pytest.mark.parametrize(
    "record", [{"losses": 3}, {"losses": ["x"]}, {"out_of_fold": {"value": "<i>"}}, {"blend": None}, {"rule": []}]
)
def test_a_record_of_other_hands_spoils_no_notebook(fitted, record, monkeypatch):
    monkeypatch.setattr(fitted, "history_", record)
    page = fitted._repr_mimebundle_()["text/html"]
    assert "2·TP" in page
    assert "<i>" not in page


def test_a_fitted_threshold_shows_its_card(data):
    tuned = MMOThreshold(OneVsRestClassifier(LogisticRegression()), "macro-f1").fit(data.data, data.target)
    page = tuned._repr_mimebundle_()["text/html"]
    assert f"{tuned.cv_value_:.4f}" in page
    assert f"{tuned.thresholds_[0]:.4g}" in page
