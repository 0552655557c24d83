"""A fit shared by several replays gives the local model, whoever solves what and whoever is lost."""

import numpy as np
import pytest
from scipy import sparse

from mmo import MMOClassifier
from mmo._parts import files_of, join, read
from mmo._replay import Replay, SharedFit, StoppedError, adopt
from mmo.datasets import make_multilabel, save

PARAMETERS = {"metric": "macro-f1", "method": "auto", "n_jobs": 1}


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(rows=240, features=12, labels=40, seed=3)
    return np.asarray(made.data), np.asarray(made.target)


def start(x, y, **parameters):
    def fit(exchange):
        estimator = SharedFit(**{**PARAMETERS, **parameters})
        estimator.exchange = exchange
        return estimator.fit(x, y).state()

    return Replay(fit)


def finish(replays, *, lose=None, renew=None):
    """Tasks go round the replays; from call `lose` on the first one is replaced by `renew()`, which knows nothing."""
    journal = []
    while True:
        if len(journal) == lose:
            replays[0].stop()
            replays[0] = renew()
        for replay in replays:
            replay.feed(journal)
        count, state = replays[0].next()
        if count is None:
            for replay in replays[1:]:
                replay.stop()
            return state
        journal.append([replays[task % len(replays)].solve(len(journal), task) for task in range(count)])


@pytest.mark.parametrize("method", ["auto", "linear", "mmo"])
def test_shared_fit_equals_the_local_one(data, method):
    local = MMOClassifier(**{**PARAMETERS, "method": method}).fit(*data)
    shared = MMOClassifier(**PARAMETERS)
    adopt(finish([start(*data, method=method), start(*data, method=method)]), shared)
    assert shared.model_.to_bytes() == local.model_.to_bytes()


def test_sparse_rows_and_a_lost_replay(data):
    x, y = sparse.csr_matrix(np.where(np.abs(data[0]) > 0.8, data[0], 0)), data[1]
    local = MMOClassifier(**PARAMETERS).fit(x, y)
    shared = MMOClassifier(**PARAMETERS)
    adopt(finish([start(x, y), start(x, y)], lose=4, renew=lambda: start(x, y)), shared)
    assert shared.model_.to_bytes() == local.model_.to_bytes()


def test_a_late_task_of_an_earlier_call_has_its_old_result(data):
    replay = start(*data)
    count, _ = replay.next()
    results = [replay.solve(0, task) for task in range(count)]
    replay.feed([results])
    replay.next()
    assert replay.solve(0, 0) == results[0]
    replay.stop()


def test_errors_reach_whoever_asks(data):
    replay = start(data[0], np.zeros_like(data[1]))
    with pytest.raises(ValueError, match="no positive label"):
        replay.next()
    with pytest.raises(ValueError, match="no positive label"):
        replay.solve(0, 0)


def test_a_stopped_fit_ends(data):
    replay = start(*data)
    replay.next()
    replay.stop()
    with pytest.raises(StoppedError):
        replay.solve(5, 0)


def test_parts_of_files(data, tmp_path):
    x, y = data
    for k, rows in enumerate(np.array_split(np.arange(len(x)), 3)):
        save(tmp_path / f"part{k}.npz", x[rows], y[rows])
    paths = files_of(tmp_path / "*.npz")
    found_x, found_y = read(paths, {})
    np.testing.assert_array_equal(found_x, x.astype(np.float32))
    np.testing.assert_array_equal(np.asarray(found_y), y)
    with pytest.raises(FileNotFoundError, match="absent"):
        files_of(tmp_path / "absent*")


def test_sparse_parts_may_differ_in_width():
    joined = join([sparse.csr_matrix([[1.0, 0.0]]), sparse.csr_matrix([[0.0, 0.0, 2.0]])])
    np.testing.assert_array_equal(joined.toarray(), [[1, 0, 0], [0, 0, 2]])
