"""Every open, read, write, fsync, close, rename and mmap fails once, allocations and signals come at points drawn from
a seed: afterwards each output is the old file or the new one, whole; a failure has a message; nothing crashes, hangs or
is left behind. MMO_FAULT_POINTS=N: so many allocations and signals of each kind for each command."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import BINARY, LABELS, as_csv, toy_rows  # noqa: E402

SHIM = os.environ["MMO_FAULT_SHIM"]
POINTS = int(os.environ.get("MMO_FAULT_POINTS", "8"))
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
OLD = b"what was here before\n"
TRAIN = ["--metric", "micro-f1", "--effort", "quick", "--folds", "2"]
COLUMNS = ["--labels", ",".join(LABELS)]

# name: (arguments, outputs)
COMMANDS = {
    "train": (["train", "small.csv", *COLUMNS, *TRAIN, "--model", "out.mmo"], ["out.mmo"]),
    "train --report": (
        ["train", "small.csv", *COLUMNS, *TRAIN, "--model", "out.mmo", "--report", "out.json"],
        ["out.mmo", "out.json"],
    ),
    "train trees": (["train", "small.csv", *COLUMNS, *TRAIN, "--method", "forest", "--model", "out.mmo"], ["out.mmo"]),
    "predict": (["predict", "model.mmo", "small.csv", "--out", "out.txt"], ["out.txt"]),
    "predict --as jsonl": (
        ["predict", "model.mmo", "small.csv", "--as", "jsonl", "--scores", "--out", "out.gz"],
        ["out.gz"],
    ),
    "evaluate": (["evaluate", "model.mmo", "small.csv", *COLUMNS], []),
    "report": (["report", "model.mmo", "small.csv", "--out", "out.json"], ["out.json"]),
    "convert": (["convert", "long.csv", "out.arff", *COLUMNS], ["out.arff", "out.xml"]),
    "convert from gzip": (["convert", "packed.csv.gz", "out.npz", *COLUMNS], ["out.npz"]),
    "split": (
        ["split", "small.csv", *COLUMNS, "--folds", "2", "--out", "out.csv"],
        [f"out-fold{k}-{part}.csv" for k in (1, 2) for part in ("train", "test")],
    ),
    "tune": (
        [
            "tune",
            "scores.csv",
            "small.csv",
            *COLUMNS,
            "--metric",
            "micro-f1",
            "--apply",
            "scores.csv",
            "--out",
            "out.txt",
        ],
        ["out.txt"],
    ),
    "export": (["export", "model.mmo", "out.onnx"], ["out.onnx"]),
}


class Faults(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "small.csv").write_text(as_csv(toy_rows(40)))
        (self.folder / "long.csv").write_text(as_csv(toy_rows(30_000)))  # long enough to be mapped
        self.run_program(["train", "small.csv", *COLUMNS, *TRAIN, "--model", "model.mmo"])
        self.run_program(["convert", "small.csv", "packed.csv.gz", *COLUMNS])
        self.run_program(["predict", "model.mmo", "small.csv", "--as", "indicator", "--scores", "--out", "scores.csv"])

    def run_program(self, arguments, fault="", **environment):
        command = [BINARY, *arguments, "--force", "--threads", "1", "--quiet"]
        if fault or environment:
            environment |= {"LD_PRELOAD": SHIM, "MMO_FAULT": fault}
        try:
            return subprocess.run(
                command, cwd=self.folder, capture_output=True, env=os.environ | environment, timeout=60
            )
        except subprocess.TimeoutExpired:
            self.fail(f"{arguments[0]} hangs after {fault}")

    def content(self, outputs):
        return [(self.folder / name).read_bytes() for name in outputs]

    def inject(self, arguments, outputs, new, fault):
        """One run with a fault. The exit code."""
        for name in outputs:
            (self.folder / name).write_bytes(OLD)
        run = self.run_program(arguments, fault)
        found = self.content(outputs)
        self.assertTrue(all(f in (OLD, n) for f, n in zip(found, new)), f"{fault}: half a file; {run.stderr}")
        # nlohmann-json 3.11's constructors touch what they could not allocate; nothing is lost by it.
        if fault.startswith("malloc:") and run.returncode == -signal.SIGSEGV:
            return run.returncode
        killed = fault.endswith(f":{-run.returncode}")  # by the signal itself: nobody listens yet, or can
        if run.returncode == 0:
            self.assertEqual(found, new, f"{fault}: success, but the old file")
        elif not killed:
            self.assertIn(run.returncode, (1, 2, 3, 4, 5, 130), f"{fault}: {run.stderr}")
            self.assertIn(b"mmo: error: ", run.stderr, fault)
            self.assertNotIn(b"internal fault", run.stderr, fault)
            self.assertEqual(run.returncode == 1, b"not enough memory" in run.stderr, f"{fault}: {run.stderr}")
            together = (
                outputs[:1] if "--report" in arguments else outputs
            )  # a model is kept if its page can't be written
            self.assertIn(
                found[: len(together)],
                ([OLD] * len(together), new[: len(together)]),
                f"{fault}: some are new, some old",
            )
        return run.returncode

    def points(self, arguments):
        counts = self.folder / "counts"
        self.run_program(arguments, MMO_FAULT_COUNTS=str(counts))
        called = {name: int(count) for name, count in (line.split() for line in counts.read_text().splitlines())}
        counts.unlink()
        rng = random.Random(" ".join(arguments))
        everything = called.pop("any")
        allocations = called.pop("malloc")
        for name, count in called.items():
            yield from (f"{name}:{n}" for n in range(1, count + 1))
        for _ in range(POINTS):
            yield f"malloc:{rng.randint(1, allocations)}"
            yield from (f"any:{rng.randint(1, everything)}:{int(number)}" for number in SIGNALS)

    def test_every_command(self):
        total, crashed = 0, 0
        for name, (arguments, outputs) in COMMANDS.items():
            with self.subTest(name):
                run = self.run_program(arguments)
                self.assertEqual(run.returncode, 0, run.stderr)
                new = self.content(outputs)
                codes = [self.inject(arguments, outputs, new, fault) for fault in self.points(arguments)]
                self.assertTrue(any(codes), "no fault was noticed")
                self.assertEqual(self.run_program(arguments).returncode, 0)
                litter = [path.name for path in self.folder.glob(".mmo-*")]
                self.assertEqual(litter, [])
                total += len(codes)
                crashed += codes.count(-signal.SIGSEGV)
                print(f"{name:20} {len(codes):5} faults, {sum(code != 0 for code in codes):5} ended the run")
        print(f"{total} faults, of which {crashed} allocations failed inside nlohmann-json and crashed it")


if __name__ == "__main__":
    unittest.main()
