"""Tasks shared by processes that run side by side and can gather messages: Spark's barrier tasks, MPI's ranks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from mmo._replay import Exchange, Solve


def gathering(rank: int, size: int, gather: Callable[[bytes], Sequence[bytes]], threads: int = 1) -> Exchange:
    """An exchange in which process `rank` solves the tasks rank, rank + size, …

    `gather` gives every process the messages of all, in order of rank. An error of one process ends all of them.
    """

    def attempt(count: int, solve: Solve) -> list[bytes] | Exception:
        own = range(rank, count, size)
        try:
            if threads <= 1:
                return [solve(task) for task in own]
            with ThreadPoolExecutor(threads) as pool:
                return list(pool.map(solve, own))
        except Exception as error:
            return type(error)(f"task {rank} of {size}: {error}")

    def exchange(count: int, solve: Solve) -> Sequence[bytes]:
        everyone = [pickle.loads(message) for message in gather(pickle.dumps(attempt(count, solve)))]
        for found in everyone:
            if isinstance(found, Exception):
                raise found
        return [everyone[task % size][task // size] for task in range(count)]

    return exchange
