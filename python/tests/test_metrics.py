"""mmo.metrics against scikit-learn; folds; readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics as reference

from mmo import MultilabelStratifiedKFold, datasets, metrics

EXACT = 1e-12  # both sides sum the same counts in double precision


def draw(seed: int) -> tuple[Any, Any, Any]:
    """Predictions with empty rows and labels that are absent from either side."""
    rng = np.random.default_rng(seed)
    y_true, y_pred = (rng.random((40, 7)) < rng.random(7) * 0.6 for _ in range(2))
    y_true[:, 0] = y_pred[:, 0] = False
    y_pred[:, 1] = False
    y_true[:3] = y_pred[:2] = False
    return y_true.astype(int), y_pred.astype(int), rng.random(40)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("average", ["micro", "macro", "samples", "weighted", None])
@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("name", ["f1_score", "fbeta_score", "jaccard_score", "precision_score", "recall_score"])
def test_parity_with_scikit_learn(name: str, average: str | None, zero_division: float, seed: int) -> None:
    if name == "jaccard_score" and np.isnan(zero_division):
        pytest.skip("scikit-learn's jaccard_score does not take nan")
    y_true, y_pred, weights = draw(seed)
    more = {"beta": 2.0} if name == "fbeta_score" else {}
    for sample_weight in (None, weights):
        ours = getattr(metrics, name)(
            y_true, y_pred, average=average, zero_division=zero_division, sample_weight=sample_weight, **more
        )
        theirs = getattr(reference, name)(
            y_true, y_pred, average=average, zero_division=zero_division, sample_weight=sample_weight, **more
        )
        # Weights pass through 32 bits.
        np.testing.assert_allclose(ours, theirs, rtol=EXACT if sample_weight is None else 1e-6)
    dense = getattr(metrics, name)(y_true, y_pred, average=average, **more)
    np.testing.assert_array_equal(
        getattr(metrics, name)(sparse.csr_matrix(y_true), sparse.csr_array(y_pred), average=average, **more), dense
    )


def test_accuracies_and_counts() -> None:
    y_true, y_pred, _ = draw(5)
    assert metrics.hamming_accuracy(y_true, y_pred) == pytest.approx(1 - reference.hamming_loss(y_true, y_pred))
    assert metrics.subset_accuracy(y_true, y_pred) == pytest.approx(reference.accuracy_score(y_true, y_pred))
    table = metrics.counts(y_true, y_pred)
    confusion = reference.multilabel_confusion_matrix(y_true, y_pred)
    np.testing.assert_array_equal(table[:, [3, 1, 2, 0]], confusion.reshape(-1, 4))
    report = metrics.report(y_true, y_pred)
    assert report["macro-f1"] == metrics.f1_score(y_true, y_pred, average="macro")
    low, high = metrics.bootstrap_interval(y_true, y_pred, "micro-f1", replicates=200)
    assert low < metrics.f1_score(y_true, y_pred) < high


def test_unknown_cells_are_left_out() -> None:
    y_true, y_pred, _ = draw(6)
    holes = y_true.astype(float)
    holes[::2, 3] = np.nan
    odd = np.arange(40) % 2 == 1
    expected = reference.f1_score(y_true[odd, 3], y_pred[odd, 3])
    found = metrics.f1_score(holes, y_pred, average=None, missing_label=np.nan)
    assert found[3] == pytest.approx(expected)
    with pytest.raises(ValueError, match="missing_label"):
        metrics.f1_score(holes, y_pred)


def test_faults_name_the_value() -> None:
    with pytest.raises(ValueError, match="0 and 1 only, found 2"):
        metrics.f1_score([[0, 2]], [[0, 1]])
    with pytest.raises(ValueError, match="labels"):
        metrics.f1_score([[0, 1, 1]], [[0, 1]])
    with pytest.raises(ValueError, match="micro-f1"):
        metrics.score([[0, 1]], [[0, 1]], "no-such-metric")
    with pytest.raises(ValueError, match="average"):
        metrics.ratio([1, 0, 0, 0], [1, 1, 0, 0], average="mean")
    with pytest.raises(ValueError, match="sample_weight"):
        metrics.f1_score([[0, 1]], [[0, 1]], sample_weight=[1, 2])


def test_metric_of_each_label() -> None:
    y_true, y_pred, _ = draw(7)
    f1, recall = [[2, 0, 0, 0], [2, 1, 1, 0]], [[1, 0, 0, 0], [1, 0, 1, 0]]
    mixed = metrics.ratio(
        [f1[0]] * 3 + [recall[0]] * 4, [f1[1]] * 3 + [recall[1]] * 4, average="macro", name="f1 and recall"
    )
    both = np.concatenate(
        [
            metrics.f1_score(y_true, y_pred, average=None)[:3],
            metrics.recall_score(y_true, y_pred, average=None)[3:],
        ]
    )
    assert metrics.score(y_true, y_pred, mixed) == pytest.approx(both.mean())


def test_folds_keep_every_label_in_its_share() -> None:
    data = datasets.make_multilabel(rows=500, features=5, labels=10, seed=3)
    splitter = MultilabelStratifiedKFold(5)
    assert splitter.get_n_splits() == 5
    seen = np.zeros(500, int)
    for train, test in splitter.split(data.data, data.target):
        assert len(test) == 100
        assert len(np.intersect1d(train, test)) == 0
        seen[test] += 1
        # The method's promise: a label's positives differ by a few rows between folds.
        np.testing.assert_allclose(data.target[test].sum(axis=0), data.target.sum(axis=0) / 5, atol=3)
    assert (seen == 1).all()
    again = [test for _, test in MultilabelStratifiedKFold(5).split(data.data, sparse.csr_matrix(data.target))]
    for one, (_, other) in zip(again, splitter.split(data.data, data.target), strict=True):
        np.testing.assert_array_equal(one, other)
    groups = np.arange(500) // 4
    for train, test in splitter.split(data.data, data.target, groups):
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="folds|rows"):
        next(MultilabelStratifiedKFold(9).split(np.zeros((3, 1)), np.eye(3)))


def test_readers(tmp_path: Path) -> None:
    data = datasets.make_multilabel(rows=40, features=6, labels=4, seed=9)
    for ending in ["arff", "svm", "csv", "npz"]:
        path = tmp_path / f"set.{ending}"
        datasets.save(path, data.data, data.target, target_names=[f"l{j}" for j in range(4)])
        again = datasets.load(path, labels="last:4" if ending == "csv" else "")
        values = again.data.toarray() if sparse.issparse(again.data) else again.data
        np.testing.assert_array_equal(values, data.data)
        np.testing.assert_array_equal(again.target, data.target)
        with pytest.raises(FileExistsError, match="overwrite"):
            datasets.save(path, data.data, data.target)
    assert again.target_names == ["l0", "l1", "l2", "l3"]
    assert sparse.issparse(datasets.load(path, sparse_target=True).target)
    with pytest.raises(FileNotFoundError):
        datasets.load(tmp_path / "none.arff")
    (tmp_path / "bad.csv").write_text("a,b,y\n1,x\n")
    with pytest.raises(ValueError, match=r"bad.csv:2"):
        datasets.load(tmp_path / "bad.csv", labels="y")


def test_unknown_labels_in_files(tmp_path: Path) -> None:
    (tmp_path / "holes.csv").write_text("f,a,b\n1,1,0\n2,?,1\n3,0,\n")
    data = datasets.load(tmp_path / "holes.csv", labels="a,b", missing_labels=True)
    np.testing.assert_array_equal(data.target, [[1, 0], [np.nan, 1], [0, np.nan]])


def test_text_files(tmp_path: Path) -> None:
    (tmp_path / "news.csv").write_text("body,topics\nrates fall,money\nwheat and corn,grain;trade\n")
    data = datasets.load(tmp_path / "news.csv", labels="topics", text_column="body")
    assert data.data == ["rates fall", "wheat and corn"]
    assert data.target_names == ["grain", "money", "trade"]
