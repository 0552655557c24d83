"""What an epoch of training for a metric costs beside one with binary cross-entropy.

    python3 benchmarks/deep_epoch.py --programs build/benchmarks/micro

The epochs alternate in one process on one thread (micro/deep_epoch.cpp); printed are medians of processor seconds and the
median of the ratios of each pair, which the noise of a shared machine hardly moves. `--instructions` counts, with valgrind,
what the loss alone executes per step (micro/deep_loss_steps.cpp). `--limit 1.02` makes a larger ratio of epochs an error.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

# network, rows, labels, share of the rounds (an epoch of MiniLM takes seconds)
EPOCHS = [("head", 7770, 90, 1.0), ("head", 640, 10_000, 1.0), ("minilm", 64, 90, 0.25), ("minilm", 64, 10_000, 0.25)]
METRICS = ["micro-f1", "macro-f1", "samples-jaccard"]
BATCH = 32
FEW_STEPS, MANY_STEPS = 5, 25


def run(*command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, env=environment)


def epochs(program, rounds, networks):
    worst = 0.0
    print("| network | rows | labels | metric | BCE, s | MMO, s | ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
    for network, rows, labels, share in EPOCHS:
        for metric in METRICS if network in networks else []:
            lines = run(program, network, rows, labels, metric, max(3, int(rounds * share))).stdout.splitlines()
            times = [tuple(map(float, line.split())) for line in lines]
            bce, mmo = (statistics.median(column) for column in zip(*times))
            ratio = statistics.median(mine / plain for plain, mine in times)
            worst = max(worst, ratio)
            print(f"| {network} | {rows} | {labels} | {metric} | {bce:.4f} | {mmo:.4f} | {ratio:.3f} |", flush=True)
    return worst


def instructions(program, *arguments):
    """Of one step: the difference between many and few, so that the start of the program falls away."""
    counts = []
    for steps in (FEW_STEPS, MANY_STEPS):
        done = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *arguments, steps)
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return (counts[1] - counts[0]) / (MANY_STEPS - FEW_STEPS)


def count_instructions(program):
    print("| labels | loss | instructions per cell |\n| --- | --- | --- |")
    for labels in (90, 10_000):
        for loss, metric in [("bce", METRICS[0]), *(("mmo", metric) for metric in METRICS)]:
            per_cell = instructions(program, loss, metric, BATCH, labels) / (BATCH * labels)
            print(f"| {labels} | {loss if loss == 'bce' else loss + ', ' + metric} | {per_cell:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of deep_epoch and deep_loss_steps")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--networks", default="head,minilm")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--limit", type=float, default=float("inf"), help="fail above this ratio")
    arguments = parser.parse_args()
    if arguments.instructions:
        count_instructions(arguments.programs / "deep_loss_steps")
        return 0
    return int(epochs(arguments.programs / "deep_epoch", arguments.rounds, arguments.networks.split(",")) > arguments.limit)


if __name__ == "__main__":
    sys.exit(main())
