#!/usr/bin/env python3
"""Our forests beside scikit-learn's multi-output ones: seconds of one core to fit and to predict, and test values.

Usage: forests.py FOREST_WORKER MULAN_FOLDER [SET...]      (a build with -DMMO_BENCHMARKS=ON has forest_worker)

Both fit TREES trees on the training file and score the test file, in turn, ROUNDS times; the table holds medians
of processor seconds and their ratio. Test values are micro / macro / samples F1 with one threshold (macro: one
per label) that is best on out-of-bag scores.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.io import arff
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

TREES = 500
ROUNDS = 3
KINDS = {"best": RandomForestClassifier, "random": ExtraTreesClassifier}


def load(folder, name, part):
    """Features and labels (the last columns of Mulan's files, in the file's order)."""
    rows, meta = arff.loadarff(folder / name / f"{name}-{part}.arff")
    count = (folder / name / f"{name}.xml").read_text().count("<label ")
    table = np.stack([np.asarray([float(value) for value in rows[column]]) for column in meta.names()], axis=1)
    return table[:, :-count], table[:, -count:].astype(int)


def positives(outputs):
    """The probability of 1 of every label, from scikit-learn's list of one array per label."""
    return np.stack([p[:, 1] if p.shape[1] > 1 else np.zeros(len(p)) for p in outputs], axis=1)


def fit_sklearn(kind, x, y, x_test):
    model = KINDS[kind](TREES, bootstrap=True, n_jobs=1, random_state=0)
    start = time.thread_time()
    model.fit(x, y)
    fitted = time.thread_time()
    outputs = model.predict_proba(x_test)
    return fitted - start, time.thread_time() - fitted, positives(outputs)


def out_of_bag(kind, x, y):
    model = KINDS[kind](TREES, bootstrap=True, oob_score=True, n_jobs=1, random_state=0).fit(x, y)
    scores = model.oob_decision_function_
    return scores[:, 1, :] if scores.ndim == 3 else scores


def fit_ours(worker, folder, name, kind, labels):
    with tempfile.TemporaryDirectory() as scores:
        files = [folder / name / f"{name}-{part}.arff" for part in ("train", "test")]
        settings = [f"cuts={kind}", f"trees={TREES}", f"scores={scores}"]
        run = subprocess.run(
            [worker, *files, folder / name / f"{name}.xml", *settings], check=True, capture_output=True, text=True
        )
        read = [
            np.fromfile(pathlib.Path(scores) / f"{part}.f32", np.float32).reshape(-1, labels)
            for part in ("out_of_bag", "test")
        ]
    return json.loads(run.stdout), read


def f1(hits, predicted, true):
    return np.where(predicted + true > 0, 2 * hits / np.maximum(predicted + true, 1), 0)


def by_axis(chosen, y, axis):
    return f1((chosen & (y > 0)).sum(axis), chosen.sum(axis), y.sum(axis)).mean()


def micro(chosen, y):
    return f1((chosen & (y > 0)).sum(), chosen.sum(), y.sum())


def best_threshold(value, scores):
    return max(np.unique(np.quantile(scores, np.linspace(0, 1, 200))), key=value)


def test_values(held_out, y, scores, y_test):
    one = best_threshold(lambda t: micro(held_out >= t, y), held_out)
    each = [
        best_threshold(lambda t, j=j: micro(held_out[:, j] >= t, y[:, j]), held_out[:, j]) for j in range(y.shape[1])
    ]
    row = best_threshold(lambda t: by_axis(held_out >= t, y, 1), held_out)
    return micro(scores >= one, y_test), by_axis(scores >= np.array(each), y_test, 0), by_axis(scores >= row, y_test, 1)


def compare(worker, folder, name, kind):
    (x, y), (x_test, y_test) = (load(folder, name, part) for part in ("train", "test"))
    theirs, ours = [], []
    for _ in range(ROUNDS):
        theirs.append(fit_sklearn(kind, x, y, x_test))
        ours.append(fit_ours(worker, folder, name, kind, y.shape[1]))

    def row(seconds_fit, seconds_predict):
        return statistics.median(seconds_fit), statistics.median(seconds_predict)

    their_fit, their_predict = row([t[0] for t in theirs], [t[1] for t in theirs])
    our_fit, our_predict = row([o[0]["fit_seconds"] for o in ours], [o[0]["predict_seconds"] for o in ours])
    their_values = test_values(out_of_bag(kind, x, y), y, theirs[0][2], y_test)
    our_values = test_values(ours[0][1][0], y, ours[0][1][1], y_test)
    cells = [
        name,
        kind,
        f"{our_fit:.3f}",
        f"{their_fit:.2f}",
        f"{their_fit / our_fit:.1f}",
        f"{our_predict:.4f}",
        f"{their_predict:.3f}",
        f"{their_predict / our_predict:.1f}",
        f"{ours[0][0]['bytes'] / 1e6:.1f}",
        " / ".join(f"{v:.3f}" for v in our_values),
        " / ".join(f"{v:.3f}" for v in their_values),
    ]
    return "| " + " | ".join(cells) + " |"


def main():
    worker, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    print("| set | cuts | fit, s | scikit-learn | ratio | predict, s | scikit-learn | ratio | MB | F1 | scikit-learn |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in sys.argv[3:] or ["emotions", "scene", "yeast", "birds"]:
        for kind in KINDS:
            print(compare(worker, folder, name, kind), flush=True)


if __name__ == "__main__":
    main()
