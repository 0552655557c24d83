"""A fit that several processes share, step by step.

The core hands out its work in calls of so many tasks and computes everything else by itself. Whoever knows the results
of all calls so far can repeat a fit up to the next call and solve any of its tasks: workers come and go, and what is
lost with one of them is only what it was solving.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from mmo import _core
from mmo.estimator import MMOClassifier

Solve = Callable[[int], bytes]
Exchange = Callable[[int, Solve], Sequence[bytes]]


class SharedFit(MMOClassifier):
    """An `MMOClassifier` whose fit hands its tasks to `exchange`."""

    exchange: Exchange
    notes: Sequence[str] = ()

    def _train(self, *arguments: Any) -> tuple[_core.Model, list[str]]:
        train: Callable[..., tuple[_core.Model, list[str]]] = _core.train
        model, self.notes = train(*arguments, exchange=self.exchange)
        return model, []

    def state(self) -> dict[str, Any]:
        """What the fit has found, in a form that travels."""
        found = {key: value for key, value in vars(self).items() if key.endswith("_") or key == "_target"}
        return {**found, "model_": self.model_.to_bytes(), "notes": list(self.notes)}


def adopt(state: dict[str, Any], estimator: MMOClassifier) -> list[str]:
    """Makes `estimator` the one that `state` comes from; its warnings."""
    state = dict(state)
    notes = state.pop("notes")
    estimator.__dict__.update({**state, "model_": _core.Model.from_bytes(state["model_"])})
    return list(notes)


class StoppedError(Exception):
    """The fit is not wanted any more."""


class Replay:
    """A fit in a thread of its own that waits at each call until its results are fed."""

    def __init__(self, fit: Callable[[Exchange], Any]) -> None:
        self._changed = threading.Condition()
        self._journal: list[Sequence[bytes]] = []
        self._calls = 0  # that the fit has come to
        self._open: tuple[int, Solve] | None = None
        self._solving = 0
        self._result: Any = None
        self._error: BaseException | None = None
        self._over = self._stopped = False
        threading.Thread(target=self._run, args=(fit,), daemon=True).start()

    def feed(self, journal: Sequence[Sequence[bytes]]) -> None:
        """The results of the first calls, of which it may know some."""
        with self._changed:
            self._journal.extend(journal[len(self._journal) :])
            self._changed.notify_all()

    def next(self) -> tuple[int | None, Any]:
        """(how many tasks the first call without results has, None), or (None, what the fit returned)."""
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._is_open(len(self._journal)))
            if self._error is not None:
                raise self._error
            return (None, self._result) if self._open is None else (self._open[0], None)

    def solve(self, call: int, task: int) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._over or call < len(self._journal) or self._is_open(call))
            if self._error is not None:
                raise self._error
            if call < len(self._journal):  # it has gone on since
                return self._journal[call][task]
            assert self._open is not None
            solver = self._open[1]
            self._solving += 1
        try:
            return solver(task)
        finally:
            with self._changed:
                self._solving -= 1
                self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _is_open(self, call: int) -> bool:
        return self._open is not None and self._calls == call

    def _run(self, fit: Callable[[Exchange], Any]) -> None:
        try:
            self._result = fit(self._exchange)
        except BaseException as error:  # whoever asks next has it
            self._error = error
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _exchange(self, count: int, solve: Solve) -> Sequence[bytes]:
        with self._changed:
            call = self._calls
            self._open = (count, solve)
            self._changed.notify_all()
            # A task that is being solved needs what the core holds at this call.
            self._changed.wait_for(lambda: (self._stopped or len(self._journal) > call) and not self._solving)
            self._open = None
            if self._stopped:
                raise StoppedError
            self._calls += 1
            return self._journal[call]
