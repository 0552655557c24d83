"""What is measured: one row per task. A task is run once for quality (metric values, slow variants included) and
repeatedly for time (plain fits only, interleaved with mmo's).
"""

from dataclasses import dataclass

DENSE = ("emotions", "scene", "birds", "yeast")
SPARSE = ("delicious", "reuters", "debtags")
SETS = DENSE + SPARSE
# Made-up sparse data for scaling, times only: rows (a fifth for testing), features, labels, non-zeros a row.
GENERATED = {
    "generated-500": (625, 2000, 20, 20),
    "generated-5k": (6250, 5000, 50, 50),
    "generated-50k": (62500, 20000, 100, 50),
}
METRICS = ("micro-f1", "macro-f1", "samples-f1", "micro-jaccard", "macro-jaccard", "samples-jaccard")


@dataclass(frozen=True)
class Task:
    kind: str  # quality, time, load
    peer: str  # a key of peers.json, or mmo
    adapter: str  # module of adapters/
    variant: str
    set: str
    threads: int = 1

    def key(self):
        return (self.kind, self.peer, self.variant, self.set, self.threads)


PEERS = (
    ("liblinear", "liblinear", ("-s 0", "-s 0 -e 0.1", "-s 7 -e 1", "-s 1", "-s 2")),
    ("scikit-learn", "scikit_learn", ("LogisticRegression", "LinearSVC", "LogisticRegression balanced")),
    ("napkinxc", "napkinxc", ("BR", "PLT")),
    ("xcolumns", "xcolumns", ("on LIBLINEAR -s 0",)),
    ("libmultilabel", "libmultilabel", ("1vsrest", "thresholding", "cost-sensitive", "cost-sensitive micro")),
)
TARGET = "-s 0 -R"  # of LIBLINEAR: has mmo's objective, and sets its target
# A plain fit of each, and the settings LIBLINEAR is fastest with.
TIMED = {
    "liblinear": (TARGET, "-s 0", "-s 0 -e 0.1", "-s 7 -e 1"),
    "scikit-learn": ("LogisticRegression",),
    "napkinxc": ("BR", "PLT"),
    "libmultilabel": ("1vsrest",),
}
READERS = ("scikit-learn", "napkinxc", "libmultilabel")
THREADED = ("napkinxc", "libmultilabel")  # peers with threads of their own


def quality(sets):
    for name in sets:
        if name in GENERATED:
            continue
        for peer, adapter, variants in PEERS:
            for variant in variants:
                yield Task("quality", peer, adapter, variant, name)
        for metric in METRICS:
            yield Task("quality", "mmo", "mmo", f"{metric} standard", name)


def timing(sets, cores=1):
    for name in sets:
        for peer, adapter, _ in PEERS:
            for variant in TIMED.get(peer, ()):
                yield Task("time", peer, adapter, variant, name)
                if cores > 1 and peer in THREADED and name not in DENSE:
                    yield Task("time", peer, adapter, variant, name, cores)
            if peer in READERS:
                yield Task("load", peer, adapter, "svmlight", name)
        yield from mmo_timing(name, 1)
        if cores > 1 and name not in DENSE:
            yield from mmo_timing(name, cores)


def mmo_timing(name, threads):
    yield Task("time", "mmo", "mmo_worker", "plain", name, threads)
    for effort in ("quick", "standard"):
        yield Task("time", "mmo", "mmo_worker", f"micro-f1 {effort}", name, threads)
    yield Task("load", "mmo", "mmo_worker", "svmlight", name, threads)
