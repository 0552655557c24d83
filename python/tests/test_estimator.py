"""MMOClassifier as scikit-learn users use it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mmo
from mmo import MMOClassifier, _core, _features, datasets

# As scikit-learn's own cross-validating estimators: a repeated row may lie in two folds, a weighted one can't.
FOLDS = "choices are made by cross-validation, where weight 2 is not the same as two rows"
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": FOLDS,
    "check_sample_weight_equivalence_on_sparse_data": FOLDS,
}


@parametrize_with_checks(
    [MMOClassifier(n_jobs=1), MMOClassifier("macro-f1", effort="quick", n_jobs=1)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


METRICS = ["micro-f1", "macro-f1", "samples-f1", "macro:(3*TP)/(3*TP+FP+2*FN)"]


@pytest.mark.parametrize("metric", METRICS)
def test_decisions_agree(made: Any, metric: str) -> None:
    model = MMOClassifier(metric).fit(made.data, made.target)
    predicted = model.predict(made.data)
    assert predicted.dtype == made.target.dtype
    np.testing.assert_array_equal(model.decision_function(made.data) > 0, predicted == 1)
    p = model.predict_proba(made.data)
    np.testing.assert_array_equal(p.round(), predicted)
    assert ((p > 0) & (p < 1)).all()
    assert model.score(made.data, made.target) == mmo.metrics.score(made.target, predicted, metric)


def test_posteriors_are_calibrated(made: Any) -> None:
    train = slice(0, 200)
    model = MMOClassifier().fit(made.data[train], made.target[train])
    posterior = model.predict_posterior(made.data[200:])
    # 100 rows: the mean of a label's posterior lies within four standard errors (0.05) of its frequency.
    np.testing.assert_allclose(posterior.mean(axis=0), made.target[200:].mean(axis=0), atol=0.2)


def test_forms_of_x_give_the_same_model(made: Any) -> None:
    x, y = made.data.astype(np.float64), made.target
    expected = MMOClassifier().fit(x, y).decision_function(x)
    for form in [x.astype(np.float32), np.asfortranarray(x), pd.DataFrame(x), x[:, ::-1].copy()[:, ::-1]]:
        np.testing.assert_array_equal(MMOClassifier().fit(form, y).decision_function(form), expected)
    frame = pd.DataFrame(x, columns=[f"c{k}" for k in range(x.shape[1])])
    named = MMOClassifier().fit(frame, y)
    assert list(named.feature_names_in_) == list(frame.columns)


def test_features_of_the_cores_layout_are_not_copied(made: Any) -> None:
    single = np.ascontiguousarray(made.data, dtype=np.float32)
    assert _features.dataset(single).lent
    assert not _features.dataset(single.astype(np.float64)).lent
    assert not _features.dataset(np.asfortranarray(single)).lent
    words = sparse.random(30, 9, density=0.3, format="csr", dtype=np.float32, random_state=0)
    assert _features.dataset(sparse.csr_matrix(words)).lent
    # The lender's numbers stay as they are, also where unknown ones are replaced.
    holes = single.copy()
    holes[::3, 0] = np.nan
    before = holes.copy()
    MMOClassifier(effort="quick", settings={"missing": "impute"}).fit(holes, made.target)
    np.testing.assert_array_equal(holes, before)


def test_sparse_x(made: Any) -> None:
    words = datasets.make_multilabel(rows=300, features=50, labels=4, nonzeros_per_row=8)
    assert sparse.issparse(words.data)
    for form in [words.data, sparse.csr_array(words.data), words.data.tocsc(), words.data.tocoo()]:
        model = MMOClassifier(settings={"transform": "l2-rows"}).fit(form, words.target)
        assert model.predict(form).shape == words.target.shape


def test_forms_of_y(made: Any) -> None:
    x, y = made.data, made.target
    expected = MMOClassifier().fit(x, y).predict(x)
    sparse_y = MMOClassifier().fit(x, sparse.csr_matrix(y)).predict(x)
    assert sparse.issparse(sparse_y)
    np.testing.assert_array_equal(sparse_y.toarray(), expected)
    np.testing.assert_array_equal(MMOClassifier().fit(x, y.astype(bool)).predict(x), expected == 1)
    np.testing.assert_array_equal(MMOClassifier().fit(x, y.tolist()).predict(x), expected)

    frame = pd.DataFrame(y, columns=list("edcba"))
    named = MMOClassifier().fit(x, frame)
    assert list(named.classes_) == list("edcba")
    np.testing.assert_array_equal(named.predict(x), expected)

    sets = [{"edcba"[j] for j in np.flatnonzero(row)} for row in y]
    model = MMOClassifier().fit(x, sets)
    assert list(model.classes_) == list("abcde")
    found = model.predict(x)
    assert isinstance(found[0], set)
    assert 0.3 < model.score(x, sets) <= 1


def test_binary_and_multiclass() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    word = np.array(["no", "yes"])[(x[:, 0] + 0.3 * rng.normal(size=300) > 0).astype(int)]
    binary = MMOClassifier("f1").fit(x, word)
    assert set(binary.predict(x)) == {"no", "yes"}
    assert binary.predict_proba(x).shape == (300, 2)
    assert binary.score(x, word) > 0.8
    three = np.argmax(x[:, :3], axis=1) * 10
    multi = MMOClassifier().fit(x, three)
    assert multi.score(x, three) == np.mean(multi.predict(x) == three)  # micro F1 of one label per row
    assert multi.score(x, three) > 0.8


def test_weights_change_the_model(made: Any) -> None:
    x, y = made.data, made.target
    weights = np.where(y[:, 0] == 1, 5.0, 1.0)
    plain, weighted = MMOClassifier().fit(x, y), MMOClassifier().fit(x, y, weights)
    assert weighted.predict(x)[:, 0].sum() > plain.predict(x)[:, 0].sum()
    keep = np.arange(len(x)) % 3 > 0
    linear = MMOClassifier(learners="linear")
    dropped = clone(linear).fit(x, y, keep.astype(float))
    np.testing.assert_array_equal(dropped.predict(x), clone(linear).fit(x[keep], y[keep]).predict(x))

    heavy = MMOClassifier("macro-f1", class_weights={0: (10, 1)}).fit(x, y)
    assert heavy.predict(x)[:, 0].sum() > MMOClassifier("macro-f1").fit(x, y).predict(x)[:, 0].sum()
    with pytest.raises(ValueError, match="not a label"):
        MMOClassifier(class_weights={"nobody": (1, 2)}).fit(x, y)
    light = MMOClassifier(label_weight=[1, 1, 1, 1, 0]).fit(x, y)
    assert light.score(x, y) == mmo.metrics.score(y, light.predict(x), label_weight=[1, 1, 1, 1, 0])


def test_missing_labels(made: Any) -> None:
    x, y = made.data, made.target.astype(float)
    hidden = np.random.default_rng(1).random(y.shape) < 0.2
    for mark in [np.nan, -100.0]:
        holes = np.where(hidden, mark, y)
        model = MMOClassifier(missing_label=mark).fit(x, holes)
        assert model.score(x, holes) == mmo.metrics.score(holes, model.predict(x), missing_label=mark)
    with pytest.raises(ValueError, match="NaN"):
        MMOClassifier().fit(x, np.where(hidden, np.nan, y))


def test_validation_rows_and_groups(made: Any) -> None:
    x, y = made.data, made.target
    chosen = MMOClassifier(effort="quick").fit(x[:200], y[:200], X_valid=x[200:], y_valid=y[200:])
    assert chosen.predict(x).shape == y.shape
    groups = np.repeat(np.arange(100), 3)
    grouped = MMOClassifier(effort="quick").fit(x, y, groups=groups)
    assert not np.array_equal(
        grouped.decision_function(x), MMOClassifier(effort="quick").fit(x, y).decision_function(x)
    )


def test_side_condition(made: Any) -> None:
    model = MMOClassifier("recall", subject_to="precision>=0.8").fit(made.data, made.target)
    assert mmo.metrics.precision_score(made.target, model.predict(made.data)) > 0.7


def test_raw_text() -> None:
    words = ["apple pear", "pear plum", "car bus", "bus train", "apple plum", "train car"] * 20
    y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1]] * 20)
    model = MMOClassifier(text={"min_df": 1}).fit(words, y)
    np.testing.assert_array_equal(model.predict(["pear apple", "bus"]), [[1, 0], [0, 1]])
    assert pickle.loads(pickle.dumps(model)).predict(["car"]).tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="unknown; known are"):
        MMOClassifier(text={"mindf": 1}).fit(words, y)
    piped = make_pipeline(TfidfVectorizer(), MMOClassifier()).fit(words, y)
    assert piped.score(words, y) == 1


def test_threads_do_not_matter(made: Any) -> None:
    one, two = (MMOClassifier(n_jobs=n).fit(made.data, made.target) for n in (1, 2))
    assert one.model_.to_bytes() == two.model_.to_bytes()


def test_clone_pickle_and_search(made: Any) -> None:
    x, y = made.data, made.target
    metric = mmo.metrics.ratio([3, 0, 0, 0], [3, 1, 2, 0], average="macro")
    model = MMOClassifier(metric, random_state=3).fit(x, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    assert again.history_ == model.history_
    np.testing.assert_array_equal(clone(model).fit(x, y).predict(x), model.predict(x))
    assert "MMOClassifier" in model._repr_html_()

    grid = {"mmoclassifier__metric": ["micro-f1", "macro-f1"], "mmoclassifier__settings": [None, {"stack": "off"}]}
    search = GridSearchCV(
        make_pipeline(StandardScaler(), MMOClassifier(effort="quick")),
        grid,
        scoring=mmo.metrics.scorer("macro-f1"),
        cv=mmo.MultilabelStratifiedKFold(3),
        n_jobs=2,
    ).fit(x, y)
    assert 0 < search.best_score_ <= 1
    assert len(cross_val_score(MMOClassifier(effort="quick"), x, y, cv=mmo.MultilabelStratifiedKFold(3))) == 3


def test_errors_are_those_of_scikit_learn(made: Any) -> None:
    x, y = made.data, made.target
    with pytest.raises(NotFittedError):
        MMOClassifier().predict(x)
    model = MMOClassifier(effort="quick").fit(x, y)
    with pytest.raises(ValueError, match="12 features"):
        model.predict(x[:, :5])
    holes = x.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(holes)
    assert MMOClassifier(effort="quick", settings={"missing": "impute"}).fit(holes, y).predict(holes).shape == y.shape
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MMOClassifier().fit(x, y[:-1])
    with pytest.raises(ValueError, match="choose one of"):
        MMOClassifier(method="magic").fit(x, y)
    with pytest.raises(ValueError, match="macro-f1"):
        MMOClassifier("f-one").fit(x, y)
    with pytest.raises(ValueError, match="0 and 1 only"):
        MMOClassifier().fit(x, y * 2)
    with pytest.raises(ValueError, match="unknown setting"):
        MMOClassifier(settings={"l3": 1}).fit(x, y)
    with pytest.raises(ValueError, match="effort"):
        MMOClassifier(effort="much").fit(x, y)
    with pytest.raises(ValueError, match="^settings l2=abc: a number"):
        MMOClassifier(settings={"l2": "abc"}).fit(x, y)
    with pytest.raises(ValueError, match="raise memory_limit"):
        MMOClassifier(memory_limit=1000).fit(x, y)
    for wrong in [{"folds": 1}, {"folds": "5"}, {"min_positives": -1}, {"random_state": -1}, {"time_limit": 0}]:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            MMOClassifier(**wrong).fit(x, y)
    with pytest.raises(ValueError, match="got 3"):
        MMOClassifier(3).fit(x, y)
    with pytest.raises(ValueError, match="label weights|label_weight"):
        MMOClassifier(label_weight=[1, 2]).fit(x, y)
    with pytest.warns(UserWarning, match="never predicted"):
        MMOClassifier(effort="quick").fit(x, np.column_stack([y, np.zeros(len(y), int)]))


def test_callback_sees_the_stages_and_may_stop(made: Any) -> None:
    seen: list[dict[str, Any]] = []
    MMOClassifier(callback=seen.append).fit(made.data, made.target)
    assert seen[-1]["fraction"] == 1
    assert [event["fraction"] for event in seen] == sorted(event["fraction"] for event in seen)

    def stop(event: dict[str, Any]) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        MMOClassifier(callback=stop).fit(made.data, made.target)


def test_fit_in_several_threads(made: Any) -> None:
    expected = MMOClassifier(effort="quick").fit(made.data, made.target).predict(made.data)
    found: list[Any] = []

    def work() -> None:
        found.append(MMOClassifier(effort="quick").fit(made.data, made.target).predict(made.data))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for predicted in found:
        np.testing.assert_array_equal(predicted, expected)


def test_gil_is_released(made: Any) -> None:
    """Another Python thread gets on while the core works."""
    big = datasets.make_multilabel(rows=4000, features=60, labels=12)
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    counter = threading.Thread(target=count)
    counter.start()
    MMOClassifier(n_jobs=1).fit(big.data, big.target)
    done.set()
    counter.join()
    assert ticks > 20  # with the GIL held there would be none


def test_keyboard_interrupt_leaves_nothing_broken() -> None:
    """Ctrl-C while the core works: KeyboardInterrupt soon, and the next fit works."""
    script = textwrap.dedent(
        """
        import os, signal, threading, time
        from mmo import MMOClassifier
        from mmo.datasets import make_multilabel
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        big = make_multilabel(rows=40000, features=200, labels=60)
        small = make_multilabel(rows=200, features=10, labels=4)
        started = threading.Event()
        def interrupt():
            started.wait()
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        model = MMOClassifier(effort="thorough", callback=lambda event: started.set())
        try:
            model.fit(big.data, big.target)
            print("finished")
        except KeyboardInterrupt:
            print("interrupted", hasattr(model, "model_"))
        print(MMOClassifier(effort="quick").fit(small.data, small.target).predict(small.data).shape)
        """
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert out.stdout.splitlines() == ["interrupted False", "(200, 4)"]


def test_files(made: Any, tmp_path: Path) -> None:
    x, y = made.data, made.target
    for target, metric in [(y, "macro-f1"), ([{"a", "b"} if r[0] else {"b"} for r in y], "micro-f1"), (y[:, 0], "f1")]:
        model = MMOClassifier(metric).fit(x, target)
        path = tmp_path / "m.mmo"
        model.save(path, overwrite=True)
        again = mmo.load(path)
        np.testing.assert_array_equal(np.asarray(again.predict(x)), np.asarray(model.predict(x)))
        assert again.score(x, target) == model.score(x, target)
        with pytest.raises(ValueError, match="features"):
            again.predict(x[:, :3])
    with pytest.raises(FileExistsError, match="overwrite=True"):
        model.save(path)
    with pytest.raises(FileNotFoundError):
        mmo.load(tmp_path / "none.mmo")
    (tmp_path / "bad.mmo").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="bad.mmo"):
        mmo.load(tmp_path / "bad.mmo")
    with pytest.raises(NotFittedError):
        MMOClassifier().save(tmp_path / "unfitted.mmo")
    assert "metric" in model.card()


def test_models_are_interchangeable_with_the_program(emotions: Any, tmp_path: Path) -> None:
    program = os.environ.get("MMO_BINARY")
    if not program:
        pytest.skip("needs MMO_BINARY, the built program")
    train, test = emotions
    for part, data in (("train", train), ("test", test)):
        datasets.save(tmp_path / f"{part}.npz", data.data, data.target, target_names=data.target_names)

    def run(*arguments: str) -> str:
        return subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    run("train", "train.npz", "--metric", "macro-f1", "--model", "program.mmo")
    model = MMOClassifier("macro-f1").fit(train.data, train.target)
    model.save(tmp_path / "python.mmo")
    expected = model.predict(test.data)
    np.testing.assert_array_equal(mmo.load(tmp_path / "program.mmo").predict(test.data), expected)
    run("predict", "python.mmo", "test.npz", "--as", "indicator", "--out", "labels.csv")
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "labels.csv").to_numpy(), expected)
    assert json.loads(run("inspect", "python.mmo", "--json"))["metric"]


def test_core_refuses_broken_sparse_matrices() -> None:
    data = _core.Dataset()
    for offsets, indices in [([0, 2], [1, 0]), ([0, 2], [0, 9]), ([1, 2], [0, 1]), ([0, 3], [0, 1])]:
        with pytest.raises(ValueError, match="not canonical"):
            data.set_labels(np.array(offsets), np.array(indices, dtype=np.int32), 3)
