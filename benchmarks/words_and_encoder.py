"""Words and a frozen encoder together: do sentence features add to tf-idf, and for which metric?

    words_and_encoder.py --mmo build/mmo --words build/bench/data/reuters --features train90.npz test90.npz

`--words` is the folder that peers/prepare.py makes; the features are those of `mmo deep features --part train90` and
`test90`. The encoder's features are standardised by the training rows and scaled to length SHARE beside tf-idf rows of
length 1; the share is the one of best out-of-fold value, so test rows choose nothing. Needs NumPy and SciPy.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

SHARES = (0.1, 0.25, 0.5, 1.0)
METRICS = ("micro-f1", "macro-f1", "samples-jaccard")


def words(folder, part):
    file = np.load(folder / f"{part}.npz")
    x, y = (
        sp.csr_matrix((file[f"{k}_data"], file[f"{k}_indices"], file[f"{k}_indptr"]), shape=file[f"{k}_shape"])
        for k in "XY"
    )
    return x, y.toarray().astype(np.uint8)


def encoded(paths, labels):
    """Features of both parts, standardised by the first, in rows of length one."""
    files = [np.load(path) for path in paths]
    for path, file, y in zip(paths, files, labels, strict=True):
        if not np.array_equal(file["Y"].sum(1), y.sum(1)):
            raise SystemExit(f"{path}: its rows are not those of --words")
    mean, deviation = files[0]["X"].mean(0), files[0]["X"].std(0)
    alive = deviation > 1e-6
    out = []
    for file in files:
        x = (file["X"][:, alive] - mean[alive]) / deviation[alive]
        out.append(x / np.linalg.norm(x, axis=1, keepdims=True))
    return out


def save(path, x, y):
    if not sp.issparse(x):
        np.savez(path, X=x.astype(np.float32), Y=y)
        return
    x = x.tocsr().astype(np.float32)
    arrays = {"X_data": x.data, "X_indices": x.indices, "X_indptr": x.indptr, "X_shape": np.array(x.shape)}
    np.savez(path, Y=y, **arrays)


def run(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def train(mmo, scratch, metric, parts, labels, *settings):
    """(out-of-fold value, test value) of the default search."""
    for part, x, y in zip(("train", "test"), parts, labels, strict=True):
        save(scratch / f"{part}.npz", x, y)
    model = scratch / "model.mmo"
    chosen = run(mmo, "train", scratch / "train.npz", "--metric", metric, *settings,
                 "--model", model, "--force", "--quiet", "--json")  # fmt: skip
    test = run(mmo, "evaluate", model, scratch / "test.npz", "--json")
    return chosen["out_of_fold"]["value"], test["metrics"][metric]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mmo", required=True)
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("--features", type=Path, nargs=2, required=True)
    options = parser.parse_args()
    tf_idf, labels = zip(*(words(options.words, part) for part in ("train", "test")), strict=True)
    sentences = encoded(options.features, labels)
    print("| metric | words | encoder | both (its share) |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for metric in METRICS:

            def value(parts, *settings, metric=metric):
                return train(options.mmo, Path(scratch), metric, parts, labels, *settings)

            both = {}
            for share in SHARES:  # as they are: a map of the menu would undo the shares
                parts = [sp.hstack([x, share * z]) for x, z in zip(tf_idf, sentences, strict=True)]
                both[share] = value(parts, "--set", "transform=identity")
            best = max(both, key=lambda share: both[share][0])
            print(
                f"| {metric} | {value(tf_idf)[1]:.4f} | {value(sentences)[1]:.4f} | {both[best][1]:.4f} ({best:g}) |",
                flush=True,
            )


if __name__ == "__main__":
    main()
