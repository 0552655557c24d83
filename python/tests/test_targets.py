"""y as users have it: label lists in columns of tables, one label, labels that training never saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

import mmo
from mmo import MMOClassifier

NAMES = np.array(["blue", "green", "red", "white", "black"])


@pytest.fixture(scope="module")
def tags(made: Any) -> list[list[str]]:
    return [NAMES[row[:5] == 1].tolist() for row in made.target]


def quick(**settings: Any) -> MMOClassifier:
    return MMOClassifier("micro-f1", effort="quick", **settings)


def test_label_lists_of_tables(made: Any, tags: list[list[str]]) -> None:
    expected = quick().fit(made.data, tags).predict(made.data)
    text = pd.DataFrame({"tags": [";".join(row) if row else None for row in tags]})
    for y in (text.tags.str.split(";"), np.array([*tags, None], dtype=object)[:-1], tuple(map(tuple, tags))):
        assert quick().fit(made.data, y).predict(made.data) == expected


def test_label_lists_of_polars_and_data_sets(made: Any, tags: list[list[str]]) -> None:
    polars = pytest.importorskip("polars")
    expected = quick().fit(made.data, tags).predict(made.data)
    assert quick().fit(made.data, polars.Series(tags)).predict(made.data) == expected


class DataSetColumn:
    """As Hugging Face's: a length and items, neither a list nor an array."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> Any:
        return self.rows[i]

    def __iter__(self) -> Any:
        return iter(self.rows)


def test_columns_of_data_sets(made: Any, tags: list[list[str]]) -> None:
    expected = quick().fit(made.data, tags).predict(made.data)
    assert quick().fit(made.data, DataSetColumn(tags)).predict(made.data) == expected
    multi_hot = DataSetColumn(made.target.tolist())
    np.testing.assert_array_equal(
        quick().fit(made.data, multi_hot).predict(made.data), quick().fit(made.data, made.target).predict(made.data)
    )


def test_one_label_column_comes_back_as_one(made: Any, tmp_path: Path) -> None:
    y = made.target[:, :1]
    model = quick().fit(made.data, y)
    assert model.predict(made.data).shape == y.shape
    assert model.decision_function(made.data).shape == y.shape
    assert model.score(made.data, y) == f1_score(y, model.predict(made.data))
    named = quick().fit(made.data, pd.DataFrame({"spam": y[:, 0]}))
    assert list(named.classes_) == ["spam"]
    assert quick().fit(made.data, sparse.csr_matrix(y)).predict(made.data).shape == y.shape
    words = np.where(y == 1, "yes", "no")
    with pytest.warns(UserWarning, match="column-vector"):
        classes = quick().fit(made.data, words)
    assert classes.predict(made.data).shape == y.shape
    classes.save(tmp_path / "m.mmo")
    assert mmo.load(tmp_path / "m.mmo").predict(made.data).shape == y.shape


def test_no_positive_label_is_a_fault_of_y(made: Any) -> None:
    for y in (np.zeros_like(made.target), sparse.csr_matrix(made.target.shape, dtype=int)):
        with pytest.raises(ValueError, match="^y has no positive label"):
            quick().fit(made.data, y)


def test_missing_features_name_the_setting(made: Any, tmp_path: Path) -> None:
    holes = made.data.copy()
    holes[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN.*settings=\{'missing': 'impute'\}"):
        quick().fit(holes, made.target)
    plain = quick().fit(made.data, made.target)
    with pytest.raises(ValueError, match=r"settings=\{'missing': 'impute'\} when the model is trained"):
        plain.predict(holes)
    imputing = quick(settings={"missing": "impute"}).fit(holes, made.target)
    imputing.save(tmp_path / "m.mmo")
    loaded = mmo.load(tmp_path / "m.mmo")
    np.testing.assert_array_equal(loaded.predict(holes), imputing.predict(holes))


def test_labels_that_training_never_saw_are_missed(made: Any, tags: list[list[str]]) -> None:
    model = MMOClassifier("macro-f1", effort="quick").fit(made.data[:200], tags[:200])
    test = [[*row, "pink"] if i % 10 == 0 else row for i, row in enumerate(tags[200:])]
    with pytest.warns(UserWarning, match=r"never saw \(1: 'pink'\), in \d+ rows, count as missed"):
        value = model.score(made.data[200:], test)
    names = [*NAMES.tolist(), "pink"]
    truth = np.array([[name in row for name in names] for row in test])
    predicted = np.array([[name in row for name in names] for row in model.predict(made.data[200:])])
    assert value == pytest.approx(f1_score(truth, predicted, average="macro", zero_division=0), abs=1e-12)
    weighted = MMOClassifier("macro-f1", effort="quick", label_weight=[1, 2, 1, 1, 1]).fit(made.data[:200], tags[:200])
    with pytest.warns(UserWarning, match="are left out"):
        assert weighted.score(made.data[200:], test) == weighted.score(made.data[200:], tags[200:])


def test_label_columns_are_found_by_name(made: Any) -> None:
    y = pd.DataFrame(made.target[:, :5], columns=NAMES)
    model = MMOClassifier("macro-f1", effort="quick").fit(made.data, y)
    expected = model.score(made.data, y)
    assert model.score(made.data, y[NAMES[::-1].tolist()]) == expected
    with pytest.warns(UserWarning, match="'pink'"):
        assert model.score(made.data, y.assign(pink=1)) == pytest.approx(expected * 5 / 6)
    with pytest.raises(ValueError, match="no column for the label 'red'"):
        model.score(made.data, y.drop(columns="red"))


def test_seeds_beyond_64_bits(made: Any) -> None:
    with pytest.raises(ValueError, match="random_state must be at most"):
        quick(random_state=2**64).fit(made.data, made.target)
