"""model.report: numbers as `score` gives them, a page that a notebook can show."""

import json

import pytest

from mmo import MMOClassifier, Report, _core
from mmo.datasets import make_multilabel


@pytest.fixture(scope="module")
def fitted():
    data = make_multilabel(rows=300, features=10, labels=4)
    return MMOClassifier("micro-f1", effort="quick").fit(data.data, data.target), data


def test_says_what_score_says(fitted):
    model, data = fitted
    report = model.report(data.data, data.target)
    assert isinstance(report, Report)
    assert report.data["headline"]["value"] == model.score(data.data, data.target)
    assert report.data["labels"]["tp"] == ((model.predict(data.data) == 1) & (data.target == 1)).sum(axis=0).tolist()
    assert "examples" not in report.data["rows"]
    assert len(model.report(data.data, data.target, examples=3).data["rows"]["examples"]) == 3
    assert "micro-f1" in repr(report)


def test_page_and_numbers_are_saved(fitted, tmp_path):
    model, data = fitted
    report = model.report(data.data, data.target)
    report.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == report.data
    with pytest.raises(FileExistsError):
        report.save(tmp_path / "r.json")
    if not _core.report_page_available():
        with pytest.raises(ValueError, match=r"Node\.js"):
            report.to_html()
        pytest.skip("built without the page")
    page = report.to_html()
    report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == page
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2  # the page inside is escaped


def test_multiclass_is_refused():
    data = make_multilabel(rows=90, features=5, labels=3)
    model = MMOClassifier("micro-f1", effort="quick").fit(data.data, [i % 3 for i in range(90)])
    with pytest.raises(ValueError, match="multiclass"):
        model.report(data.data, [i % 3 for i in range(90)])
