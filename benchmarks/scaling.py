#!/usr/bin/env python3
"""Training on P processes beside one: times, alternately, and received bytes beside what docs/scaling.md says.

Usage: scaling.py --mmo build/mmo DATA --labels L [--metric micro-f1] [--processes 2] [--repeats 3]

One thread for each process. The formula knows linear models with --method linear on sparse or dense features.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

HEAD = 32  # bytes about each column beside its weights
BLOCK = 32  # columns that are solved together


def run(arguments, processes, model):
    command = [arguments.mmo, "train", arguments.data, "--metric", arguments.metric, "--method", "linear", "--model", model]
    command += ["--json", "--quiet", "--force", "--threads", "1"] + (["--labels", arguments.labels] if arguments.labels else [])
    if processes > 1:
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(processes), *command]
    allow = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    start = time.monotonic()
    done = subprocess.run(command, env={**os.environ, **allow}, stdout=subprocess.PIPE, text=True, check=True)
    return time.monotonic() - start, json.loads(done.stdout)


def from_others(count, processes, per_task=1):
    """Of so many things in tasks of `per_task`, dealt in turn: those that the first process receives."""
    tasks = -(-count // per_task)
    return sum(min(per_task, count - task * per_task) for task in range(tasks) if task % processes != 0)


def expected_bytes(history, processes, dense):
    """What the first process receives: of every result what the others have solved."""
    n, d, labels, folds = history["rows"], history["features"], history["trained_labels"], history["folds"]
    column = 4 * (d + 1) + HEAD
    columns = lambda count: from_others(count, processes, BLOCK)
    fold = lambda bytes_of_fold: from_others(folds, processes) * bytes_of_fold
    total = 0
    for loss in history["losses"]:
        hinge = loss["loss"] == "squared hinge"
        for point in loss["path"]:
            total += columns(point["columns"]) * (column + 4 * n / folds)
            if hinge and not dense and len(loss["path"]) > 1:
                total += columns(point["columns"]) * 4 * n  # dual variables
        if point["columns"] < labels * folds:  # the other folds and labels
            total += columns(labels * folds) * (column + 4 * n / folds)
        total += columns(labels) * column  # the final fit
    if "label_mix" in history:
        square = 4 * labels**2
        total += fold(2 * square) + from_others(folds + 1, processes) * square + fold(4 * n * labels / folds)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--labels", default="")
    parser.add_argument("--mmo", default="build/mmo")
    parser.add_argument("--metric", default="micro-f1")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--dense", action="store_true", help="the file holds dense features")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    times = {1: [], arguments.processes: []}
    with tempfile.TemporaryDirectory() as folder:
        models = {count: pathlib.Path(folder) / f"{count}.mmo" for count in times}
        for _ in range(arguments.repeats):
            for count in times:
                seconds, history = run(arguments, count, models[count])
                times[count].append(seconds)
        same = len({path.read_bytes() for path in models.values()}) == 1
    one, several = (statistics.median(times[count]) for count in times)
    found, expected = history["bytes_received"], expected_bytes(history, arguments.processes, arguments.dense)
    print(f"{history['rows']} rows, {history['features']} features, {history['trained_labels']} labels; files "
          f"{'are the same' if same else 'DIFFER'}")
    print(f"1 process {one:.1f} s, {arguments.processes} processes {several:.1f} s: {one / several:.2f} times as fast")
    print(f"received by the first process: {found / 1e6:.1f} MB, by the formula {expected / 1e6:.1f} MB "
          f"({100 * (found / expected - 1):+.1f} %)")


if __name__ == "__main__":
    main()
