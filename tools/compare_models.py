#!/usr/bin/env python3
"""Compares two builds of mmo by the model files they train, byte for byte.

Usage: compare_models.py OLD_MMO NEW_MMO DATA [--quick]

DATA holds the folders mulan and reuters21578. Every set is trained with three metrics, two seeds and every method that
the old build lists, on one thread and on two; a few more runs take other efforts, settings and a validation file.
--quick: 250 rows each of emotions, birds and Reuters, one seed. Exit code 1 where two files differ.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

METRICS = ["micro-f1", "macro-f1", "samples-f1"]

# Beyond the methods' defaults: what other stages of the search they reach.
VARIANTS = [
    ["--effort", "quick"],
    ["--effort", "thorough"],
    ["--set", "tau=0.5"],
    ["--set", "coupling=joint"],
    ["--set", "lambda=bisect"],
    ["--set", "l2-by=metric"],
    ["--set", "loss=logistic"],
    ["--subject-to", "precision>=0.6"],
    ["--min-positives", "20"],
]


def train(program, arguments, threads, model):
    """The bytes of the trained model, or the error's text."""
    command = [program, "train", *arguments, "--model", model, "--threads", str(threads), "--quiet", "--force"]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    return model.read_bytes() if run.returncode == 0 else run.stderr


def methods(program):
    listed = json.loads(subprocess.run([program, "methods", "--json"], capture_output=True, check=True).stdout)
    return [method["name"] for method in listed["methods"]]


def first_rows(source, count, out):
    """The header of an ARFF file and its first rows."""
    lines = source.read_text(errors="replace").splitlines(keepends=True)
    data = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data")
    out.write_text("".join(lines[: data + 1 + count]))


def first_documents(source, count, out):
    """The first of a Reuters file's documents."""
    parts = source.read_text(encoding="latin-1").split("</REUTERS>")
    out.write_text("</REUTERS>".join([*parts[:count], "\n"]), encoding="latin-1")


def data_sets(data, scratch, quick):
    """name -> the arguments that name its training file."""
    sets = {}
    for folder in sorted((data / "mulan").iterdir()):
        name = folder.name
        if quick and name not in ("emotions", "birds"):
            continue
        file = next(path for path in (folder / f"{name}-train.arff", folder / f"{name}.arff") if path.exists())
        if quick:
            first_rows(file, 250, scratch / f"{name}.arff")
            file = scratch / f"{name}.arff"
        sets[name] = [file, "--labels", folder / f"{name}.xml"]
    reuters = [data / "reuters21578", "--format", "reuters", "--part", "train90"]
    if quick:
        first_documents(data / "reuters21578/reut2-000.sgm", 250, scratch / "reuters.sgm")
        reuters = [scratch / "reuters.sgm", "--format", "reuters"]
    sets["reuters"] = reuters
    return sets


def runs(sets, names, quick):
    """(label, arguments) of every training run."""
    seeds = ["0"] if quick else ["0", "1"]
    for name, files in sets.items():
        for metric, seed, method in itertools.product(METRICS, seeds, names):
            yield (
                f"{name} {metric} seed {seed} {method}",
                [*files, "--metric", metric, "--seed", seed, "--method", method],
            )
        for variant in VARIANTS:
            yield f"{name} micro-f1 {' '.join(variant)}", [*files, "--metric", "micro-f1", *variant]
        yield f"{name} macro-f1 --valid", [*files, "--metric", "macro-f1", "--valid", files[0]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("new", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("data", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    different = compared = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        sets = data_sets(options.data, scratch, options.quick)
        for label, arguments in runs(sets, methods(options.old), options.quick):
            before = train(options.old, arguments, 1, scratch / "model.mmo")
            refused += isinstance(before, str)
            for threads in (1, 2):
                compared += 1
                if train(options.new, arguments, threads, scratch / "model.mmo") != before:
                    different += 1
                    print(f"differs: {label}, {threads} thread{'s' if threads > 1 else ''}", flush=True)
    print(f"{compared} model files compared, {different} differ; {refused} runs were refused")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
