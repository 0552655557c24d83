"""What mmo.torch.MMOLoss costs beside BCEWithLogitsLoss: forward and backward, interleaved, one thread.

    PYTHONPATH=build/python build/venv-python/bin/python benchmarks/torch_loss.py

Prints processor microseconds per step (median of the rounds) and the median of the ratios of each round, which the
noise of a shared machine hardly moves. `--limit 1.1` makes a larger ratio an error.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from mmo.torch import MMOLoss

SHAPES = [(64, 80), (32, 10_000)]
METRICS = ["micro-f1", "macro-f1"]


def step_of(loss: Any, logits: torch.Tensor, targets: torch.Tensor) -> Callable[[], None]:
    def step() -> None:
        logits.grad = None
        loss(logits, targets).backward()

    return step


def seconds(step: Callable[[], None], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        step()
    return (time.process_time() - start) / repeats


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--limit", type=float, default=float("inf"), help="fail above this ratio")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    worst = 0.0
    print("| logits | metric | mode | BCE, µs | MMO, µs | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for shape in SHAPES:
        logits = torch.randn(shape, requires_grad=True)
        targets = (torch.rand(shape) < 0.03).float()
        repeats = 200 if shape[1] < 1000 else 5
        for metric in METRICS:
            for mode in ["eager", "compiled"]:
                losses: list[Any] = [torch.nn.BCEWithLogitsLoss(), MMOLoss(metric, num_labels=shape[1])]
                if mode == "compiled":
                    torch._dynamo.reset()
                    losses = [torch.compile(loss, fullgraph=True) for loss in losses]
                steps = [step_of(loss, logits, targets) for loss in losses]
                for step in steps:
                    seconds(step, repeats)  # compiles, warms up
                rounds = [[seconds(step, repeats) for step in steps] for _ in range(arguments.rounds)]
                plain, ours = (statistics.median(times) * 1e6 for times in zip(*rounds, strict=True))
                ratio = statistics.median(mine / bce for bce, mine in rounds)
                worst = max(worst, ratio)
                print(f"| {shape[0]} × {shape[1]} | {metric} | {mode} | {plain:.0f} | {ours:.0f} | {ratio:.2f} |")
    return 0 if worst <= arguments.limit else 1


if __name__ == "__main__":
    sys.exit(main())
