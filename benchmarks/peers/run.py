"""Runs tasks one at a time, each in a process of its own, and appends every result to one file of JSON lines.

    run.py --results build/bench/results.jsonl --data build/bench/data --python VENV/bin/python --mmo build/mmo
           --worker build/benchmarks/mmo_worker [--quality] [--time] [--sets a,b] [--only liblinear,mmo] [--repeats 5]

What the file already holds is not measured again (mmo's results count only for the same build of mmo). Repeats are
interleaved: every task once, then every task again. A fit of more than 2 min is repeated 3 times, of more than 5 min
once, like the fit that only sets mmo's target; the report shows how often. Single-threaded tasks are pinned to one
core. This process stays small on purpose.
"""

import argparse
import functools
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import tasks

HERE = Path(__file__).resolve().parent
LONG, VERY_LONG = 120, 300  # seconds
TIME_OUT = 3 * 3600


class Results:
    """Everything measured so far, by task."""

    def __init__(self, path):
        self.path = path
        self.records = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self.records.setdefault(tuple(record["key"]), []).append(record)

    def of(self, task, build):
        own = self.records.get(task.key(), [])
        return [r for r in own if task.peer != "mmo" or r["build"] == build]

    def target(self, name):
        """The objective that LIBLINEAR reaches at its default tolerance, for mmo's plain fit; None if it did not run."""
        own = self.records.get(("time", "liblinear", tasks.TARGET, name, 1), [])
        return next((record["objective"] for record in own if "objective" in record), None)

    def add(self, task, record):
        self.records.setdefault(task.key(), []).append(record)
        with open(self.path, "a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")


def repeats_wanted(task, done, repeats):
    if task.kind == "quality" or task.variant == tasks.TARGET or any("error" in record for record in done):
        return 1
    longest = max((sum(record["seconds"].values()) for record in done), default=0)
    return 1 if longest > VERY_LONG else min(repeats, 3) if longest > LONG else repeats


@functools.cache
def tolerance(worker, folder, target):
    """mmo's, for a plain fit that reaches the target."""
    search = [worker, "tolerance", folder, str(target)]
    found = subprocess.run(search, capture_output=True, text=True, timeout=TIME_OUT, check=True)
    return json.loads(found.stdout)["tolerance"]


def command(task, options, results):
    folder = str(options.data / task.set)
    if task.adapter == "mmo_worker":
        target = results.target(task.set) if task.variant == "plain" else None
        goal = [] if target is None else [str(tolerance(options.worker, folder, target)), str(target)]
        return [options.worker, task.kind, task.variant, folder, str(task.threads), *goal]
    return [options.python, str(HERE / "worker.py"), task.kind, task.adapter, task.variant, folder, str(task.threads)]


def run(task, options, results):
    environment = dict(
        os.environ,
        MMO=options.mmo,
        OMP_NUM_THREADS=str(task.threads),
        OPENBLAS_NUM_THREADS=str(task.threads),
        PYTHONWARNINGS="ignore",
    )
    pin = (lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})) if task.threads == 1 else None
    try:
        done = subprocess.run(
            command(task, options, results),
            capture_output=True,
            text=True,
            env=environment,
            timeout=TIME_OUT,
            preexec_fn=pin,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no result after {TIME_OUT} s"}
    except subprocess.CalledProcessError as failed:
        lines = failed.stderr.strip().splitlines() or [f"exit code {failed.returncode}"]
        return {"error": lines[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S")


def build_id(options):
    digest = hashlib.sha256()
    for path in (options.mmo, options.worker):
        if path and Path(path).exists():
            digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:12]


def machine():
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.platform()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--mmo", required=True)
    parser.add_argument("--worker")
    parser.add_argument("--quality", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--sets", default=",".join((*tasks.SETS, *tasks.GENERATED)))
    parser.add_argument("--only", help="these peers (or mmo), separated by commas")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    peers = json.loads((Path(options.python).parent.parent / "peers.json").read_text())["peers"]
    sets = [name for name in options.sets.split(",") if (options.data / name / "ready").exists()]
    cores = len(os.sched_getaffinity(0))
    wanted = list(tasks.quality(sets)) if options.quality else []
    wanted += list(tasks.timing(sets, cores)) if options.time else []
    if options.only:
        wanted = [task for task in wanted if task.peer in options.only.split(",")]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    results, build = Results(options.results), build_id(options)
    for repeat in range(options.repeats):
        for task in wanted:
            done = results.of(task, build)
            if len(done) > repeat or len(done) >= repeats_wanted(task, done, options.repeats):
                continue
            if "error" in peers.get(task.peer, {}):
                record = {"error": peers[task.peer]["error"]}
            else:
                record = run(task, options, results)
            record |= {"key": task.key(), "build": build, "machine": machine(), "when": now()}
            results.add(task, record)
            shown = record.get("error") or " ".join(f"{k} {v:.3g} s" for k, v in record["seconds"].items())
            print(
                f"{task.kind} {repeat + 1}: {task.set}, {task.peer} {task.variant}, {task.threads} threads: {shown}",
                file=sys.stderr,
                flush=True,
            )


if __name__ == "__main__":
    main()
