#!/usr/bin/env python3
"""Valid inputs of every target, written by the program itself: fuzz/seeds.py MMO FOLDER → FOLDER/TARGET/*"""

import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

LABELS = ["red", "green", "blue"]
METRICS = [
    "micro-f1",
    "macro:(3*TP)/(3*TP+FP+2*FN)",
    "samples-f0.5",
    "f1_micro",
    "weighted-jaccard",
    "1 - FP/(FP+TN)",
    "macro:-2(TP + FN)/(.5TP-1e-1*FN)",
    "hamming-accuracy",
]


def tables(folder):
    """train.csv: numbers, a category, a date, prose, gaps, ids, weights, groups, and labels that depend on them."""
    rng = random.Random(1)
    heading = ["id", "w", "g", "f0", "f1", "kind", "day", "note", *LABELS]
    rows = []
    for i in range(60):
        f0, f1, kind = rng.gauss(0, 1), rng.gauss(0, 1), rng.choice("abc")
        labels = [int(f0 > 0), int(f1 > 0.5), int(kind == "a")]
        note = " ".join(rng.choice(["sun", "rain", "größe", "wind", "漢字"]) for _ in range(5))
        cell = "" if i % 7 == 3 else f"{f1:.3g}"
        rows.append([f"r{i}", 1 + i % 2, i // 3, f"{f0:.4f}", cell, kind, f"2024-01-{1 + i % 28:02d}", note, *labels])
    for name, separator in (("mixed.csv", ","), ("mixed.tsv", "\t")):
        lines = [separator.join(map(str, row)) for row in [heading, *rows]]
        (folder / name).write_text("\n".join(lines) + "\n")
    plain = [",".join(["f0", "f1", "f2", *LABELS])]
    for row in rows:
        plain.append(",".join(map(str, [row[3], rng.gauss(0, 1), rng.randint(0, 2), *row[-3:]])))
    (folder / "plain.csv").write_text("\n".join(plain) + "\n")
    lists = ["note,tags"] + [f'"{row[7]}, ""q""",{";".join(n for n, y in zip(LABELS, row[-3:]) if y)}' for row in rows]
    (folder / "lists.csv").write_text("\n".join(lists) + "\n")
    with open(folder / "rows.jsonl", "w") as file:
        for row in rows:
            entry = {"id": row[0], "w": row[1], "f0": float(row[3]), "kind": row[5], "note": row[7]}
            file.write(json.dumps(entry | dict(zip(LABELS, row[-3:]))) + "\n")
    with open(folder / "texts.txt", "w") as file:
        for row in rows:
            file.write(" ".join([f"__label__{n}" for n, y in zip(LABELS, row[-3:]) if y] + [row[7]]) + "\n")


def by_hand(put):
    """Small files that no command writes."""
    for k, metric in enumerate(METRICS):
        put("metric", f"{k}", metric)
    paper = {"average": "macro", "alpha": [[0.5, 0.5, 0.5, 0.5]], "beta": [[0, 0.5, 0.5, 1]]}
    counts = {"average": "micro", "numerator": [{"TP": 2}], "denominator": [{"TP": 2, "FP": 1, "FN": 1}]}
    for k, metric in enumerate((paper, counts)):
        put("metric-file", f"{k}.json", json.dumps(metric))
        put("json", f"{k}.json", json.dumps(metric))
    put(
        "config",
        "run.toml",
        '# flags\nmetric = "macro-f1"\nquiet = true\n[set]\ntau = 0.5\n[train]\ndata = ["a", "b"]\n',
    )
    put("config", "run.json", json.dumps({"metric": "micro-f1", "set": {"l2": [1, 2]}, "train": {"quiet": True}}))
    put("label-weights", "names.json", json.dumps({"red": 2, "blue": 0.5}))
    put("label-weights", "lines.txt", "1\n2\n0.5\n")
    put("class-weights", "pairs.json", json.dumps({"red": {"positive": 5, "negative": 1}, "*": {"positive": 2}}))
    put("weights", "lines.txt", "1\n0.5\n2\n\n1e-3\n")
    put("weights", "list.json", "[1, 0.5, 2, 0]")
    put("words", "documents.txt", "Grüße aus Köln\nthe the cat_3 sat\r\n\n漢字 नमस्ते́ ok\nthe cat\n")
    put(
        "sgml",
        "one.sgm",
        '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" '
        'OLDID="1" NEWID="1">\n<TOPICS><D>cocoa</D><D>gold</D></TOPICS>\n<TEXT>&#2;\n<TITLE>A &lt;title></TITLE>\n<BODY>Words &amp; '
        "numbers\n&#3;</BODY></TEXT>\n</REUTERS>\n",
    )
    coco = {
        "images": [{"id": 3, "file_name": "a.jpg"}, {"id": 5, "file_name": "b.jpg"}],
        "annotations": [{"image_id": 3, "category_id": 7}],
        "categories": [{"id": 7, "name": "cat"}, {"id": 9, "name": "dog"}],
    }
    put("coco", "two.json", json.dumps(coco))
    put("wordpiece", "vocabulary.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\n##s\nü\n漢\n!\n")


def main(mmo, target):
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)

        def run(*arguments):
            done = subprocess.run([mmo, *arguments, "--quiet"], cwd=folder, capture_output=True, check=False)
            if done.returncode:
                sys.exit(f"seeds: mmo {' '.join(arguments)}: {done.stderr.decode()}")
            return done.stdout

        def put(name, file, content):
            path = pathlib.Path(target) / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

        def take(name, *files):
            for file in files:
                put(name, file, (folder / file).read_bytes())

        tables(folder)
        by_hand(put)
        take("csv", "mixed.csv", "plain.csv", "lists.csv")
        take("tsv", "mixed.tsv")
        take("jsonl", "rows.jsonl")
        take("fasttext", "texts.txt")
        labels = ("--labels", ",".join(LABELS))
        for out in ("data.arff", "data.svm", "data.npz", "xmc.txt"):
            run("convert", "plain.csv", out, *labels, *(("--to", "xmc") if out == "xmc.txt" else ()))
        run("convert", "data.svm", "sparse.npz")
        run("convert", "mixed.csv", "mixed.arff", *labels)
        take("arff", "data.arff", "mixed.arff")
        take("xml", "data.xml")
        take("svmlight", "data.svm")
        take("npz", "data.npz", "sparse.npz")
        take("xmc", "xmc.txt")
        take(
            "detect",
            "mixed.csv",
            "mixed.tsv",
            "rows.jsonl",
            "data.arff",
            "data.svm",
            "data.npz",
            "xmc.txt",
            "texts.txt",
        )
        for kind, ending in (("gzip", "gz"), ("zstd", "zst")):  # without the magic number, which the target adds
            run("convert", "plain.csv", f"plain.csv.{ending}", *labels)
            put(kind, "plain", (folder / f"plain.csv.{ending}").read_bytes()[2 if kind == "gzip" else 4 :])
        put("gzip", "members", (gzip.compress(b"one") + gzip.compress(b"two"))[2:])
        models(run, put, take, labels)


def models(run, put, take, labels):
    train = ("train", "--effort", "quick", "--folds", "2", "--force")
    columns = ("--weights", "w", "--groups", "g", "--drop", "id")
    runs = {
        "linear.mmo": ("plain.csv", *labels, "--metric", "micro-f1"),
        "mixed.mmo": ("mixed.csv", *labels, "--metric", "macro-f1", *columns),
        "words.mmo": ("texts.txt", "--metric", "samples-f1"),
        "all.mmo": (
            "plain.csv",
            *labels,
            "--metric",
            "macro-f2",
            "--set",
            "learners=linear,kernel,forest,boosted",
            "--set",
            "stack=on",
        ),
    }
    for name, arguments in runs.items():
        record = run(*train, *arguments, "--model", name, "--json", "--report", f"{name}.json")
        take("model", name)
        take("safetensors", name)
        take("report", f"{name}.json")
        put("report", f"{name}-record.json", record)
    for form in ("names", "indicator", "jsonl", "svmlight"):
        put("predictions", form, run("predict", "linear.mmo", "plain.csv", "--as", form))
        three = b"\n".join(run("predict", "mixed.mmo", "mixed.csv", "--as", form, "--id", "id").split(b"\n")[:4])
        put("predictions", f"{form}-ids", three)
    put("scores", "scores.csv", run("predict", "linear.mmo", "plain.csv", "--as", "indicator", "--scores"))
    shape = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    header = shape.ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(24)
    put("npy", "floats.npy", array)
    put("npy", "texts.npy", array.replace(b"<f4", b"<U1"))
    put("scores", "scores.npy", array)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
