"""What an epoch of training for a metric costs beside one with binary cross-entropy.

    python3 benchmarks/deep_epoch.py --programs build/benchmarks/micro
    python3 benchmarks/deep_epoch.py --programs build/benchmarks/micro --instructions

The epochs alternate in one process on one thread (micro/deep_epoch.cpp); printed are medians of processor seconds and the
median of the ratios of each pair. On a busy machine even those waver by more than the losses differ: `--instructions` has
valgrind count (a quarter of an hour) what one training step of a head executes, and what the loss does per cell by itself
(micro/deep_loss_steps.cpp). `--limit 1.02` makes a larger ratio an error.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

# network, labels; rows of an epoch; rows of which the instructions are counted (0: not, too slow); share of the rounds
EPOCHS = [
    ("head", 90, 7770, 320, 1.0),
    ("head", 10_000, 640, 64, 1.0),
    ("minilm", 90, 64, 0, 0.25),
    ("minilm", 10_000, 64, 0, 0.25),
]
BATCH = 32
FEW_STEPS, MANY_STEPS = 5, 25


def run(*command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, env=environment)


def epochs(program, rounds, metrics):
    worst = 0.0
    print("| network | labels | metric | BCE, s | MMO, s | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for network, labels, rows, _, share in EPOCHS:
        for metric in metrics:
            lines = run(program, network, rows, labels, metric, max(3, int(rounds * share))).stdout.splitlines()
            times = [tuple(map(float, line.split())) for line in lines]
            bce, mmo = (statistics.median(column) for column in zip(*times))
            ratio = statistics.median(mine / plain for plain, mine in times)
            worst = max(worst, ratio)
            print(f"| {network} | {labels} | {metric} | {bce:.4f} | {mmo:.4f} | {ratio:.3f} |", flush=True)
    return worst


def instructions(*command):
    done = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def counted_steps(program, metrics):
    """The difference between a double and a single epoch, so that the start of the program falls away."""
    worst = 0.0
    print("| network | labels | metric | BCE, million | MMO, million | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for network, labels, _, rows, _ in (epoch for epoch in EPOCHS if epoch[3] > 0):

        def per_step(metric, loss):
            once, twice = (instructions(program, network, size, labels, metric, loss) for size in (rows, 2 * rows))
            return (twice - once) / (rows / BATCH) / 1e6

        bce = per_step(metrics[0], "bce")
        for metric in metrics:
            mmo = per_step(metric, "mmo")
            worst = max(worst, mmo / bce)
            print(f"| {network} | {labels} | {metric} | {bce:.1f} | {mmo:.1f} | {mmo / bce:.4f} |", flush=True)
    return worst


def counted_losses(program, metrics):
    print("\n| labels | loss | instructions per cell |\n| --- | --- | --- |")
    for labels in (90, 10_000):
        for loss, metric in [("bce", metrics[0]), *(("mmo", metric) for metric in metrics)]:
            few, many = (instructions(program, loss, metric, BATCH, labels, steps) for steps in (FEW_STEPS, MANY_STEPS))
            per_cell = (many - few) / (MANY_STEPS - FEW_STEPS) / (BATCH * labels)
            print(f"| {labels} | {loss if loss == 'bce' else loss + ', ' + metric} | {per_cell:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of deep_epoch and deep_loss_steps")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--metrics", default="micro-f1,macro-f1,samples-jaccard")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--limit", type=float, default=float("inf"), help="fail above this ratio")
    arguments = parser.parse_args()
    metrics = arguments.metrics.split(",")
    if arguments.instructions:
        worst = counted_steps(arguments.programs / "deep_epoch", metrics)
        counted_losses(arguments.programs / "deep_loss_steps", metrics)
    else:
        worst = epochs(arguments.programs / "deep_epoch", arguments.rounds, metrics)
    return int(worst > arguments.limit)


if __name__ == "__main__":
    sys.exit(main())
