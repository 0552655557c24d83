"""The program under test: `mmo train` and `mmo predict`, judged like the peers."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import data
import numpy as np
from measure import metric_values

MMO = os.environ.get("MMO", "build/mmo")


def run(*arguments):
    return subprocess.run([MMO, *arguments], check=True, capture_output=True, text=True).stdout


def quality(variant, folder, threads):
    """variant: METRIC EFFORT."""
    metric, effort = variant.split()
    _, y = data.load(folder, "test")
    with tempfile.TemporaryDirectory() as scratch:
        model = str(Path(scratch) / "model.mmo")
        flags = ("--quiet", "--threads", str(threads))
        record = json.loads(
            run(
                "train",
                str(folder / "train.npz"),
                "--metric",
                metric,
                "--effort",
                effort,
                "--model",
                model,
                "--json",
                *flags,
            )
        )
        test = str(folder / "test.npz")
        lines = run("predict", model, test, "--as", "svmlight", *flags).splitlines()
        evaluated = run("evaluate", model, test, "--metric", metric, "--bootstrap", "1000", "--json", *flags)
    predicted = np.zeros(y.shape, dtype=bool)
    for i, line in enumerate(lines):
        predicted[i, [int(j) for j in line.split(",") if j.strip()]] = True
    return {
        "seconds": {"whole": record["seconds"]},
        "metrics": {"plain": metric_values(y, predicted)},
        "out_of_fold": record["out_of_fold"]["value"],
        "interval": json.loads(evaluated)["intervals"][metric],
    }
