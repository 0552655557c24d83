"""One peer on one set, in a process of its own, for many_labels.py: fits it, ranks the test rows, prints JSON.

    many_labels_peer.py plt|br FOLDER

FOLDER holds train and test as .npz or XMC .txt. Times are processor seconds and leave out reading the files.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from napkinxc.datasets import load_libsvm_file
from napkinxc.models import BR, PLT

PEERS = {"plt": PLT, "br": BR}
LISTED = 100  # labels of a row that are ranked


def rows_of(y):
    return [y.indices[y.indptr[i] : y.indptr[i + 1]].tolist() for i in range(y.shape[0])]


def load(folder, part):
    if not (folder / f"{part}.npz").exists():
        x, y = load_libsvm_file(str(folder / f"{part}.txt"), labels_format="csr_matrix")
        return x, rows_of(y)
    with np.load(folder / f"{part}.npz") as arrays:
        x, y = (
            sp.csr_matrix((arrays[f"{m}_data"], arrays[f"{m}_indices"], arrays[f"{m}_indptr"]), arrays[f"{m}_shape"])
            for m in "XY"
        )
    return x.astype(np.float32), rows_of(y)


def best_f1(scores, labels, hits, truth):
    """Micro-F1 and macro-F1 over the labels seen in the test part, each at the threshold that is best for it there."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(hits[order])
    micro = (2 * right / (np.arange(1, len(order) + 1) + len(truth))).max()
    seen = np.unique(truth)
    positives = np.bincount(truth, minlength=max(labels.max(initial=0), truth.max()) + 1)
    macro = 0.0
    for threshold in np.quantile(scores, np.linspace(0.3, 0.999, 60)):
        kept = scores >= threshold
        predicted = np.bincount(labels[kept], minlength=len(positives))
        right = np.bincount(labels[kept & hits], minlength=len(positives))
        macro = max(macro, (2 * right[seen] / (predicted[seen] + positives[seen])).mean())
    return float(micro), float(macro)


def main():
    kind, folder = sys.argv[1], Path(sys.argv[2])
    x, y = load(folder, "train")
    with tempfile.TemporaryDirectory() as stored:
        model = PEERS[kind](stored, threads=1, seed=0)
        start = time.process_time()
        model.fit(x, y)
        fit = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        size = sum(path.stat().st_size for path in Path(stored).iterdir())
        x, y = load(folder, "test")
        start = time.process_time()
        found = model.predict_proba(x, top_k=LISTED)
        predict = time.process_time() - start
    truth = [set(row) for row in y]
    precision = [
        sum(len({label for label, _ in row[:k]} & own) for row, own in zip(found, truth, strict=True)) / (k * len(y))
        for k in (1, 3, 5)
    ]
    pairs = [(p, label, label in own) for row, own in zip(found, truth, strict=True) for label, p in row]
    scores, labels, hits = (np.array(column) for column in zip(*pairs, strict=True))
    micro, macro = best_f1(scores, labels, hits, np.concatenate([np.array(sorted(own), int) for own in truth]))
    result = {"fit": fit, "predict": predict, "memory": memory, "model": size}
    print(json.dumps({**result, "precision": precision, "micro-f1": micro, "macro-f1": macro}))


if __name__ == "__main__":
    main()
