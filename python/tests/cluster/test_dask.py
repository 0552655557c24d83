"""`DaskMMOClassifier` on a real cluster of two processes: the local model, also when one of them is killed."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mmo import MMOClassifier
from mmo.datasets import make_multilabel, save

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

from mmo.dask import DaskMMOClassifier  # noqa: E402

ROWS, FEATURES, LABELS = 600, 20, 40


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(rows=ROWS, features=FEATURES, labels=LABELS, seed=7)
    return np.asarray(made.data), np.asarray(made.target)


@pytest.fixture(scope="module")
def local(data):
    return MMOClassifier("macro-f1").fit(*data)


@pytest.fixture
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def same(one, other):
    return one.model_.to_bytes() == other.model_.to_bytes()


def test_arrays_frames_and_local_data(client, data, local):
    x, y = data
    chunks = (200, FEATURES // 2)
    fitted = DaskMMOClassifier("macro-f1").fit(da.from_array(x, chunks=chunks), da.from_array(y, chunks=(200, LABELS)))
    assert same(fitted, local)
    predicted = fitted.predict(da.from_array(x, chunks=chunks))
    np.testing.assert_array_equal(predicted.compute(), local.predict(x))
    assert same(DaskMMOClassifier("macro-f1", client=client).fit(x, y), local)

    frame, target = pd.DataFrame(x).add_prefix("f"), pd.DataFrame(y).add_prefix("l")
    fitted = DaskMMOClassifier("macro-f1").fit(
        dd.from_pandas(frame, npartitions=3), dd.from_pandas(target, npartitions=3)
    )
    expected = MMOClassifier("macro-f1").fit(frame, target)
    assert same(fitted, expected)
    probabilities = fitted.predict_proba(dd.from_pandas(frame, npartitions=4)).compute()
    np.testing.assert_array_equal(probabilities, expected.predict_proba(frame))


def test_weights_and_clones(client, data):
    x, y = data
    weights = np.linspace(0.5, 2, ROWS)
    estimator = clone(DaskMMOClassifier("micro-f1", method="linear", client=None))
    assert same(estimator.fit(x, y, weights), MMOClassifier("micro-f1", method="linear").fit(x, y, weights))


def test_files_that_workers_open(client, data, tmp_path):
    x, y = data
    for k, rows in enumerate(np.array_split(np.arange(ROWS), 3)):
        save(tmp_path / f"part{k}.npz", x[rows].astype(np.float32), y[rows])
        frame = pd.DataFrame(x[rows]).add_prefix("f").join(pd.DataFrame(y[rows]).add_prefix("l"))
        frame.to_parquet(tmp_path / f"part{k}.parquet")
    from mmo._parts import read

    paths = sorted(map(str, tmp_path.glob("*.npz")))
    fitted = DaskMMOClassifier("micro-f1", method="linear").fit(str(tmp_path / "*.npz"))
    assert same(fitted, MMOClassifier("micro-f1", method="linear").fit(*read(paths, {})))
    reading = {"labels": ",".join(f"l{j}" for j in range(LABELS))}
    fitted = DaskMMOClassifier("micro-f1", method="linear").fit(tmp_path / "*.parquet", reading=reading)
    assert fitted.predict(pd.DataFrame(x).add_prefix("f")).shape == (ROWS, LABELS)
    os.truncate(paths[1], 0)
    with pytest.raises(Exception, match=r"worker tcp.*part1\.npz"):
        DaskMMOClassifier("micro-f1", method="linear").fit(paths)
    with pytest.raises(FileNotFoundError, match="nothing"):
        DaskMMOClassifier().fit(tmp_path / "nothing*.npz")


def test_a_killed_worker_costs_only_what_it_was_solving(client, data, local):
    victim = min(client.run(os.getpid).values())
    killed = []

    def kill():
        while not client.cluster.scheduler.tasks:  # the fit has not begun
            time.sleep(0.01)
        while not any("mmo-solve" in str(key) for key in list(client.cluster.scheduler.tasks)):
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(victim, signal.SIGKILL)
        killed.append(time.monotonic())

    killer = threading.Thread(target=kill)
    killer.start()
    fitted = DaskMMOClassifier("macro-f1").fit(*data)
    ended = time.monotonic()
    killer.join()
    assert killed, "the fit was over before the worker was killed"
    assert killed[0] < ended, "the fit was over before the worker was killed"
    assert same(fitted, local)


def test_rows_do_not_pass_the_scheduler(client, data):
    x, y = data
    wide = np.tile(x, (1, 200))  # 19 MB
    sent = []
    original = distributed.Client._send_to_scheduler

    def count(self, message):
        sent.append(
            len(distributed.protocol.dumps(message)[0]) + sum(map(len, map(bytes, distributed.protocol.dumps(message))))
        )
        return original(self, message)

    distributed.Client._send_to_scheduler = count
    try:
        DaskMMOClassifier("micro-f1", method="linear", effort="quick").fit(wide, y)
    finally:
        distributed.Client._send_to_scheduler = original
    assert sum(sent) < wide.nbytes / 10


def test_what_is_wrong_is_said_in_one_message(client, data):
    x, y = data
    with pytest.raises(ValueError, match="no positive label"):
        DaskMMOClassifier().fit(x, np.zeros_like(y))
    with pytest.raises(ValueError, match="unknown"):
        DaskMMOClassifier("no-such-metric").fit(x, y)
    client.run(_hide_package)
    with pytest.raises(RuntimeError, match=r"worker tcp.* can't use mmo.*install mmo"):
        DaskMMOClassifier().fit(x, y)


def _hide_package():
    import sys

    for name in [name for name in sys.modules if name == "mmo" or name.startswith("mmo.")]:
        del sys.modules[name]
    sys.modules["mmo"] = None
