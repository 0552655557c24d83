"""`DaskMMOClassifier`: the classifier of `mmo.MMOClassifier`, fitted by the workers of a Dask cluster.

Every worker holds the training rows once and solves blocks of labels, trees and other tasks of the fit, which are
ordinary Dask tasks with retries: a worker that is lost costs what it was solving. Nothing but numbers of tasks passes
the client or the scheduler; results travel from worker to worker. The model is that of a local fit, bit by bit.
"""

from __future__ import annotations

import importlib
import threading
import uuid
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmo import __version__
from mmo._metric import MetricLike
from mmo._parts import describe, files_of, join, read
from mmo._replay import Replay, SharedFit, adopt
from mmo._words import in_python
from mmo.estimator import MMOClassifier

try:
    import dask
    import dask.array as da
    from distributed import Client, get_worker
    from distributed.scheduler import KilledWorker
except ImportError as missing:  # pragma: no cover
    raise ImportError("mmo.dask needs Dask's workers: pip install 'dask[array,dataframe]' distributed") from missing

_replays: dict[str, tuple[Replay, str]] = {}  # of this worker: by run
_guard = threading.Lock()


# ---- on the workers ----------------------------------------------------------------------------------------------


def _start(spec: Mapping[str, Any], parts: Mapping[str, Any]) -> tuple[Replay, str]:
    where = get_worker().address
    try:
        x, y = (
            read(spec["paths"], spec["reading"]) if spec["paths"] is not None else (join(parts["X"]), join(parts["y"]))
        )
    except Exception as error:
        raise type(error)(f"worker {where}: {error}") from None
    rest = {name: join(parts[name]) for name in ("sample_weight", "groups") if parts.get(name)}

    def fit(exchange: Any) -> dict[str, Any]:
        estimator = SharedFit(**spec["parameters"])
        estimator.exchange = exchange
        estimator.fit(x, y, **rest)
        return estimator.state()

    return Replay(fit), describe(x, y)


def _replay(run: str, spec: Mapping[str, Any], parts: Mapping[str, Any], journal: Sequence[Any]) -> tuple[Replay, str]:
    with _guard:
        if run not in _replays:
            _replays[run] = _start(spec, parts)
        replay, data = _replays[run]
    replay.feed(journal)
    return replay, data


def _next(run: str, spec: Any, parts: Any, journal: Sequence[Any]) -> tuple[int | None, Any]:
    return _replay(run, spec, parts, journal)[0].next()


def _solve(run: str, spec: Any, parts: Any, journal: Sequence[Any], task: int) -> tuple[str, str, bytes]:
    replay, data = _replay(run, spec, parts, journal)
    return get_worker().address, data, replay.solve(len(journal), task)


def _join_results(results: Sequence[tuple[str, str, bytes]]) -> list[bytes]:
    first, expected, _ = results[0]
    for worker, found, _ in results:
        if found != expected:
            raise ValueError(f"workers hold different data: {first} has {expected}, {worker} has {found}")
    return [result for _, _, result in results]


def _forget(run: str) -> None:
    with _guard:
        replay = _replays.pop(run, None)
    if replay is not None:
        replay[0].stop()


# ---- on the client -----------------------------------------------------------------------------------------------


def _require_package(client: Client) -> None:
    """Every worker has this version of mmo."""
    for worker, found in client.run(importlib.import_module, "mmo._core", on_error="return").items():
        if isinstance(found, Exception):
            raise RuntimeError(f"worker {worker} can't use mmo: {found}; install mmo {__version__} there")
    versions = client.run(_version)
    for worker, version in versions.items():
        if version != __version__:
            raise RuntimeError(
                f"worker {worker} has mmo {version}, the client {__version__}: install one of them on both"
            )


def _version() -> str:
    return __version__


def _in_whole_rows(value: Any) -> Any:
    return value.rechunk({1: -1}) if hasattr(value, "rechunk") and value.ndim == 2 else value


def _parts_of(client: Client, value: Any, name: str) -> list[Any]:
    """Futures of the parts of a Dask collection, or of a local object, which goes to each worker once."""
    if hasattr(value, "dask") and hasattr(value, "to_delayed"):
        return list(client.compute(list(np.ravel(_in_whole_rows(value).to_delayed()))))
    if hasattr(value, "dask"):
        raise TypeError(f"{name}: use a Dask array or DataFrame")
    return list(client.scatter([value], broadcast=True))


class DaskMMOClassifier(MMOClassifier):
    """`MMOClassifier` fitted by the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the current one.
    **parameters
        Those of `MMOClassifier`; ``n_jobs`` is the number of threads for what each worker computes by itself.

    ``fit`` takes Dask arrays or DataFrames, arrays, which are sent to each worker once, or a path of parts that all
    workers can open: ``fit("parts/*.npz")``, ``fit("parts/*.parquet", reading={"labels": "red,green"})``.
    ``predict`` and its kin take the same and return Dask arrays for Dask collections.
    """

    def __init__(self, metric: MetricLike = "micro-f1", *, client: Client | None = None, **parameters: Any) -> None:
        super().__init__(metric, **parameters)
        self.client = client

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*MMOClassifier._get_param_names(), "client"])

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state["client"] = None
        return state

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        reading: Mapping[str, Any] | None = None,
    ) -> DaskMMOClassifier:
        """Train on X and y, or on files: X is then a pattern, a folder or a list, and `reading` says how to read it."""
        client = self.client or Client.current()
        if not client.nthreads():
            raise RuntimeError("the Dask cluster has no workers: wait for them with client.wait_for_workers(1)")
        _require_package(client)
        parameters = {key: value for key, value in self.get_params(deep=False).items() if key != "client"}
        spec: dict[str, Any] = {"parameters": {**parameters, "callback": None}, "paths": None, "reading": reading or {}}
        parts: dict[str, list[Any]] = {}
        if y is None:
            spec["paths"] = files_of(X)
        else:
            parts = {"X": _parts_of(client, X, "X"), "y": _parts_of(client, y, "y")}
            for name, value in (("sample_weight", sample_weight), ("groups", groups)):
                if value is not None:
                    parts[name] = _parts_of(client, value, name)
        for note in adopt(self._run(client, spec, parts), self):
            warnings.warn(in_python(note), UserWarning, stacklevel=2)
        return self

    def _run(self, client: Client, spec: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
        run = uuid.uuid4().hex
        journal: list[Any] = []  # futures: the results of each call
        try:
            while True:
                step = client.submit(_next, run, spec, parts, journal, key=f"mmo-next-{run}-{len(journal)}", retries=1)
                count, state = step.result()
                if count is None:
                    return dict(state)
                workers = sorted(client.nthreads())
                tasks = [
                    client.submit(
                        _solve,
                        run,
                        spec,
                        parts,
                        journal,
                        task,
                        key=f"mmo-solve-{run}-{len(journal)}-{task}",
                        workers=[workers[task % len(workers)]],
                        allow_other_workers=True,
                        retries=1,
                    )
                    for task in range(count)
                ]
                journal.append(client.submit(_join_results, tasks, key=f"mmo-results-{run}-{len(journal)}"))
        except KilledWorker as killed:
            raise RuntimeError(
                "the same task ended several workers: they may lack memory for the training rows, which each of them "
                "holds once"
            ) from killed
        finally:
            client.cancel(journal, force=True)
            client.run(_forget, run, on_error="ignore")

    def _blocks(self, X: Any, method: str) -> Any:
        """A method of the local classifier, part by part where X is a Dask collection."""
        local = self.to_local()
        if not hasattr(X, "dask"):
            return getattr(local, method)(X)
        sample = getattr(local, method)(_like(X))
        if not isinstance(sample, np.ndarray):
            raise TypeError(f"{method} on Dask collections needs the y of fit to be a dense matrix or classes")
        X = _in_whole_rows(X)
        rows = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * X.npartitions
        model, call = dask.delayed(local), dask.delayed(getattr(MMOClassifier, method))
        blocks = [
            da.from_delayed(call(model, part), shape=(count, *sample.shape[1:]), dtype=sample.dtype)
            for count, part in zip(rows, np.ravel(X.to_delayed()), strict=True)
        ]
        return da.concatenate(blocks)

    def to_local(self) -> MMOClassifier:
        """The same fitted model without Dask."""
        parameters = {key: value for key, value in self.get_params(deep=False).items() if key != "client"}
        local = MMOClassifier(**parameters)
        local.__dict__.update(
            {key: value for key, value in vars(self).items() if key.endswith("_") or key == "_target"}
        )
        return local

    def predict(self, X: Any) -> Any:
        return self._blocks(X, "predict")

    def predict_proba(self, X: Any) -> Any:
        return self._blocks(X, "predict_proba")

    def predict_posterior(self, X: Any) -> Any:
        return self._blocks(X, "predict_posterior")

    def decision_function(self, X: Any) -> Any:
        return self._blocks(X, "decision_function")


def _like(X: Any) -> Any:
    """Two rows like those of X: what is made of them has the form of the result."""
    return X._meta_nonempty if hasattr(X, "_meta_nonempty") else np.zeros((2, X.shape[1]), dtype=X.dtype)
