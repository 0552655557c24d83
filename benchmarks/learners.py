"""What each learner and the blend are worth on Mulan's tables, with time and size of the model; prints Markdown.

    learners.py --mmo build/mmo --data FOLDER [--sets emotions,scene,yeast,birds] [--seeds 5] > docs/results_learners.md

FOLDER/SET/SET-train.arff, SET-test.arff and SET.xml as Mulan publishes them. One thread; test values of the official
split.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

METHODS = ("linear", "kernel", "forest", "boosted", "auto")
METRICS = ("micro-f1", "macro-f1", "samples-f1")


def train_and_test(mmo, files, method, metric, seed, folder):
    """Test value, seconds and bytes of one model."""
    model = Path(folder) / "model.mmo"
    command = [mmo, "train", files["train"], "--labels", files["labels"], "--metric", metric, "--method", method]
    command += ["--seed", str(seed), "--threads", "1", "--model", model, "--force", "--quiet"]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    test = [mmo, "evaluate", model, files["test"], "--labels", files["labels"], "--metric", metric, "--json"]
    found = json.loads(subprocess.run(test, check=True, capture_output=True, text=True).stdout)
    return found["metrics"][metric], seconds, model.stat().st_size


def row(mmo, files, name, method, seeds, folder):
    """One line of the table: the three metrics' means and spreads over seeds, median seconds, largest model."""
    cells, seconds, sizes = [], [], []
    for metric in METRICS:
        runs = [train_and_test(mmo, files, method, metric, seed, folder) for seed in range(seeds)]
        values = [value for value, _, _ in runs]
        cells.append(f"{statistics.mean(values):.4f} ± {statistics.pstdev(values):.4f}")
        seconds += [second for _, second, _ in runs]
        sizes += [size for _, _, size in runs]
    cost = f"{statistics.median(seconds):.2f} | {max(sizes) / 1e6:.1f}"
    return f"| {name} | {method} | " + " | ".join(cells) + f" | {cost} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mmo", default="build/mmo")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="emotions,scene,yeast,birds")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    print("# What each learner is worth\n")
    print(
        f"Test values on the official splits, mean ± sd over seeds 0 to {given.seeds - 1}; one thread.\n"
        "Each metric has models of its own."
    )
    print(
        f"Made by `python3 benchmarks/learners.py --data FOLDER --seeds {given.seeds}`;\n"
        "`forest` blends a random forest and extra trees, `auto` everything.\n"
    )
    print("| set | method | micro F1 | macro F1 | samples F1 | seconds | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.sets.split(","):
            base = given.data / name
            files = {part: base / f"{name}-{part}.arff" for part in ("train", "test")} | {
                "labels": base / f"{name}.xml"
            }
            for method in METHODS:
                print(row(given.mmo, files, name, method, given.seeds, folder), flush=True)


if __name__ == "__main__":
    main()
