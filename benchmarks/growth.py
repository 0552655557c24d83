"""Time and memory of one plain fit against rows, features, labels and non-zeros, each over two decades of generated
data.

    growth.py --worker build/benchmarks/micro/mmo_worker --results build/bench/results.jsonl [--repeats 3] [--large]

--large measures, once, the one set of a million rows instead.

Appends to the results file of the peers' comparison; points it already holds for this build are not measured again.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
from run import Results, machine, now
from tasks import Task

BASE = {"rows": 10000, "features": 3000, "labels": 16, "nonzeros": 30}
GRID = {
    "rows": (1000, 3000, 10000, 30000, 100000),
    "features": (300, 1000, 3000, 10000, 30000),
    "labels": (8, 24, 80, 240, 800),
    "nonzeros": (3, 10, 30, 100, 300),
}


LARGE = {"rows": 1000000, "features": 100000, "labels": 1000, "nonzeros": 100}


def task(axis, sizes):
    return Task("growth", "mmo", "mmo_worker", axis, " ".join(str(size) for size in sizes.values()))


def points(large):
    if large:
        yield task("large", LARGE)
        return
    for axis, values in GRID.items():
        for value in values:
            yield task(axis, {**BASE, axis: value})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    build = hashlib.sha256(Path(options.worker).read_bytes()).hexdigest()[:12]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    results = Results(options.results)
    for repeat in range(1 if options.large else options.repeats):
        for point in points(options.large):
            if len(results.of(point, build)) > repeat:
                continue
            done = subprocess.run(
                [options.worker, "growth", *point.set.split()], check=True, capture_output=True, text=True
            )
            record = json.loads(done.stdout) | {"key": point.key(), "build": build, "machine": machine(), "when": now()}
            results.add(point, record)
            print(
                f"growth {repeat + 1}: {point.variant}: {point.set}: {record['seconds']['fit']:.3g} s",
                file=sys.stderr,
                flush=True,
            )


if __name__ == "__main__":
    main()
