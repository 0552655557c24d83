"""Prepares the public sets once, the same matrices for everybody.

    prepare.py --mmo build/mmo --worker build/benchmarks/micro/mmo_worker --data FOLDER --out build/bench/data [SET...]

FOLDER holds mulan/<set>/ and reuters21578/. Dense features are standardised by the training rows (every peer's guide
asks for it; mmo's own maps do not notice). Text becomes tf-idf by scikit-learn. debtags is made from the
descriptions and tags that `apt-cache dumpavail` prints, so its rows depend on the distribution.
"""

import argparse
import csv
import hashlib
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import data
import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler
from tasks import DENSE, GENERATED, SETS


class UnavailableError(Exception):
    """A set that can't be made here; the others go on."""


RAREST_TAG = 20  # debtags: tags of fewer packages are left out
TRAIN_SHARE = 0.8


def convert(mmo, source, target, *flags):
    subprocess.run([mmo, "convert", str(source), str(target), "--quiet", *flags], check=True, stdout=subprocess.DEVNULL)


def mulan(mmo, folder, name):
    parts = {}
    with tempfile.TemporaryDirectory() as scratch:
        for part in ("train", "test"):
            target = Path(scratch) / f"{part}.npz"
            convert(
                mmo,
                folder / "mulan" / name / f"{name}-{part}.arff",
                target,
                "--labels",
                str(folder / "mulan" / name / f"{name}.xml"),
            )
            parts[part] = data.load(Path(scratch), part)
    if name in DENSE:
        x = {part: x.toarray() if sp.issparse(x) else x for part, (x, _) in parts.items()}
        scale = StandardScaler().fit(x["train"])
        return {part: (scale.transform(x[part]).astype(np.float32), y) for part, (_, y) in parts.items()}
    return {part: (sp.csr_matrix(x, dtype=np.float32), y) for part, (x, y) in parts.items()}


def text_set(documents, labels):
    """{part: (tf-idf, Y)} from {part: texts} and {part: lists of labels}; words and labels of the training part."""
    words = TfidfVectorizer(sublinear_tf=True, min_df=3, dtype=np.float32)
    names = MultiLabelBinarizer(sparse_output=True)
    out = {"train": (words.fit_transform(documents["train"]), names.fit_transform(labels["train"]))}
    known = set(names.classes_)
    out["test"] = (
        words.transform(documents["test"]),
        names.transform([[t for t in row if t in known] for row in labels["test"]]),
    )
    return out


def reuters(mmo, folder):
    documents, labels = {}, {}
    csv.field_size_limit(1 << 24)
    with tempfile.TemporaryDirectory() as scratch:
        for part in ("train", "test"):
            target = Path(scratch) / f"{part}.csv"
            convert(mmo, folder / "reuters21578", target, "--format", "reuters", "--part", part + "90")
            with open(target, newline="", encoding="utf-8") as lines:
                table = csv.reader(lines)
                head = next(table)
                text = head.index("text")
                rows = list(table)
            documents[part] = [row[text] for row in rows]
            labels[part] = [[head[j] for j in range(len(head)) if j != text and row[j] == "1"] for row in rows]
    return text_set(documents, labels)


def packages():
    """(name, description, tags) of every tagged package, each name once."""
    text = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout
    seen = set()
    for paragraph in text.split("\n\n"):
        fields, key = {}, None
        for line in paragraph.splitlines():
            if line[:1] == " " and key:
                fields[key] += "\n" + line.strip()
            elif ":" in line:
                key, _, value = line.partition(":")
                fields[key] = value.strip()
        if "Tag" in fields and "Description" in fields and fields["Package"] not in seen:
            seen.add(fields["Package"])
            tags = [tag.strip() for tag in fields["Tag"].replace("\n", " ").split(",")]
            yield fields["Package"], fields["Description"], [tag for tag in tags if tag]


def debtags():
    rows = sorted(packages(), key=lambda row: hashlib.sha256(row[0].encode()).digest())
    if not rows:
        raise UnavailableError(
            "apt-cache dumpavail lists no tagged packages: run `apt-get update` first (Debian's lists have tags)"
        )
    count = Counter(tag for _, _, tags in rows for tag in set(tags))
    split = int(TRAIN_SHARE * len(rows))
    documents, labels = {}, {}
    for part, own in (("train", rows[:split]), ("test", rows[split:])):
        documents[part] = [text for _, text, _ in own]
        labels[part] = [[tag for tag in tags if count[tag] >= RAREST_TAG] for _, _, tags in own]
    return text_set(documents, labels)


def generated(worker, name):
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            [worker, "generate", *map(str, GENERATED[name]), str(Path(scratch) / "all.npz")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        x, y = data.load(Path(scratch), "all")
    split = int(TRAIN_SHARE * x.shape[0])
    return {"train": (x[:split].astype(np.float32), y[:split]), "test": (x[split:].astype(np.float32), y[split:])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mmo", required=True)
    parser.add_argument("--worker", required=True)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("sets", nargs="*", default=(*SETS, *GENERATED))
    options = parser.parse_args()
    for name in options.sets:
        folder = options.out / name
        if (folder / "ready").exists():
            continue
        try:
            if name == "reuters":
                parts = reuters(options.mmo, options.data)
            elif name == "debtags":
                parts = debtags()
            elif name in GENERATED:
                parts = generated(options.worker, name)
            else:
                parts = mulan(options.mmo, options.data, name)
        except (OSError, subprocess.CalledProcessError, UnavailableError) as problem:
            print(f"prepare: {name} is left out: {problem}", file=sys.stderr)
            continue
        for part, (x, y) in parts.items():
            data.save(folder, part, x, y)
        (folder / "ready").touch()
        x, y = parts["train"]
        print(
            f"prepare: {name}: {x.shape[0]} + {parts['test'][0].shape[0]} rows, {x.shape[1]} features, "
            f"{y.shape[1]} labels"
        )


if __name__ == "__main__":
    main()
