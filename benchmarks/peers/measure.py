"""Clock, memory and metric values, the same for every system."""

import ctypes
import gc
import time
from contextlib import contextmanager

import numpy as np
from sklearn.metrics import f1_score, jaccard_score

METRICS = tuple(f"{average}-{ratio}" for ratio in ("f1", "jaccard") for average in ("micro", "macro", "samples"))

SHORTEST_TIMING = 0.2  # seconds


def metric_values(y, predicted):
    """All six values by scikit-learn, a judge that is not ours; 0/0 counts as 0, as in mmo."""
    judges = {"f1": f1_score, "jaccard": jaccard_score}
    values = {}
    for metric in METRICS:
        average, ratio = metric.split("-")
        values[metric] = float(judges[ratio](y, predicted, average=average, zero_division=0))
    return values


class Stopwatch:
    """Seconds by phase."""

    def __init__(self):
        self.seconds = {}

    @contextmanager
    def phase(self, name):
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def average_seconds(work):
    """(result, seconds of one call), averaged over as many calls as fill a fifth of a second."""
    start, calls = time.perf_counter(), 0
    while True:
        result = work()
        calls += 1
        elapsed = time.perf_counter() - start
        if elapsed >= SHORTEST_TIMING:
            return result, elapsed / calls


def peak_kb():
    """Highest resident memory of this process so far (the high-water mark of its own image, unlike ru_maxrss, which
    starts at the parent's).
    """
    with open("/proc/self/status", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    raise RuntimeError("/proc/self/status has no VmHWM")


def forget_peak():
    """Sets the high-water mark back to the memory in use, which is returned (kB); what was freed is not in use."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as out:
        out.write("5")
    return peak_kb()


def as_bool(y):
    return np.asarray(y.todense()).astype(bool)
