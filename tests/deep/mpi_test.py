"""mmo deep train on several processes: mpirun -np 2 with a batch of 4 gives the weights of one process with 8."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy
from safetensors.numpy import load_file

sys.path.insert(0, str(pathlib.Path(os.environ["MMO_SOURCE"]) / "tests/cli"))
from program_test import tiny_encoder, write_encoder  # noqa: E402
from support import BINARY, ProgramTest, as_fasttext, toy_documents  # noqa: E402

RATE, HEAD_RATE, EPOCHS = 1e-4, 1e-3, 3
# float32 sums in another order: gradients differ by about 1e-7 of their size, steps by that of the rate; weights are of size 1,
# where the last bit of a float32 is 1.2e-7.
TOLERANCE = 1e-6
# The softmax does not see a key's bias: its gradient is 0 but for rounding, which Adam scales up to the rate.
UNSEEN = "attention.self.key.bias"
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}


def unusable():
    """Why mpirun can't be used here, or ""."""
    if shutil.which("mpirun") is None:
        return "no mpirun"
    run = subprocess.run([*MPIRUN, "2", BINARY, "deep", "train", "nothing.npz", "--model", "x"], env=ENVIRONMENT,
                         capture_output=True, text=True, timeout=120)
    return "mmo-deep was built without MPI" if "built without MPI" in run.stderr else ""


REASON = unusable()


@unittest.skipIf(REASON, REASON)
class Mpi(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("news.txt", as_fasttext(toy_documents(101)))  # 86 training rows: the last batch is smaller
        tensors, config, words = tiny_encoder()
        # Dropout draws other masks on each process.
        config = {**config, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}
        write_encoder(self.folder / "bert", tensors, config, words)
        self.mmo("deep", "features", "news.txt", "--backbone", "bert", "--out", "news.npz", "--threads", "1")

    def command(self, processes, data, batch, model, *flags):
        start = [] if processes == 1 else [*MPIRUN, str(processes)]
        encoder = ["--backbone", "bert"] if data == "news.txt" else []
        return [*start, BINARY, "deep", "train", data, *encoder, "--batch", str(batch), "--model", model, "--threads", "1",
                "--lr", str(RATE), "--head-lr", str(HEAD_RATE), "--epochs", str(EPOCHS), "--json", *flags]

    def train(self, *arguments, code=0):
        run = subprocess.run(self.command(*arguments), cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True,
                             timeout=300)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def differences(self, a, b):
        """The largest of all weights, and that of weights which no score depends on."""
        one, other = load_file(self.folder / a), load_file(self.folder / b)
        self.assertEqual(one.keys(), other.keys())
        apart = {name: numpy.abs(one[name] - other[name]).max() for name in one if name != "rule.thresholds"}
        return (max(value for name, value in apart.items() if not name.endswith(UNSEEN)),
                max((value for name, value in apart.items() if name.endswith(UNSEEN)), default=0))

    def test_two_processes_equal_one_with_the_doubled_batch(self):
        for data in ("news.npz", "news.txt"):
            for loss in ("mmo", "bce", "sigmoid-f1"):
                for metric in ("micro-f1", "macro-f1"):
                    with self.subTest(data=data, loss=loss, metric=metric):
                        flags = ["--loss", loss, "--metric", metric, "--force"]
                        one = json.loads(self.train(1, data, 8, "one.mmod", *flags).stdout)
                        two = json.loads(self.train(2, data, 4, "two.mmod", *flags).stdout)
                        seen, unseen = self.differences("one.mmod", "two.mmod")
                        self.assertLess(seen, TOLERANCE)
                        steps = EPOCHS * -(-101 // 8)
                        self.assertLess(unseen, RATE * steps)
                        for a, b in zip(one["history"]["epochs"], two["history"]["epochs"], strict=True):
                            self.assertEqual(a["lambda"], b["lambda"])
                            self.assertAlmostEqual(a["loss"], b["loss"], delta=TOLERANCE)
                        self.assertEqual(one["history"]["settings"], two["history"]["settings"])
        self.train(1, data, 4, "half.mmod", *flags)
        self.assertGreater(self.differences("one.mmod", "half.mmod")[0], 1000 * TOLERANCE)  # the batch's size matters

    def test_frozen_features_are_shared_out(self):
        self.train(1, "news.txt", 8, "one.mmod", "--frozen")
        self.train(2, "news.txt", 4, "two.mmod", "--frozen")
        self.assertLess(self.differences("one.mmod", "two.mmod")[0], TOLERANCE)

    def test_killed_and_resumed_gives_the_same_file(self):
        self.train(2, "news.txt", 4, "whole.mmod")
        cut = (2, "news.txt", 4, "cut.mmod", "--checkpoint", "state", "--checkpoint-steps", "1")
        process = subprocess.Popen(self.command(*cut), cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not (self.folder / "state").exists() and process.poll() is None:
            time.sleep(0.01)
        ranks = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(ranks[-1]), signal.SIGKILL)  # mpirun then ends the other
        self.assertNotEqual(process.wait(), 0)
        self.assertFalse((self.folder / "cut.mmod").exists())
        self.train(*cut)
        self.assertEqual((self.folder / "whole.mmod").read_bytes(), (self.folder / "cut.mmod").read_bytes())
        self.assertFalse((self.folder / "state").exists())

    def test_an_error_is_reported_once_and_ends_all(self):
        run = self.train(2, "absent.npz", 4, "m.mmod", code=5)
        self.assertEqual(run.stderr.count("mmo: error:"), 1, run.stderr)
        self.assertIn("absent.npz", run.stderr)
        self.assertFalse((self.folder / "m.mmod").exists())

    def test_an_error_of_one_process_ends_all(self):
        good = self.command(1, "news.npz", 4, "m.mmod")
        bad = ["absent.npz" if word == "news.npz" else word for word in good]
        run = subprocess.run([*MPIRUN, "1", *good, ":", "-np", "1", *bad], cwd=self.folder, env=ENVIRONMENT,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 5, run.stderr)
        self.assertEqual(run.stderr.count("mmo: error:"), 1, run.stderr)
        self.assertIn("absent.npz", run.stderr)
        self.assertFalse((self.folder / "m.mmod").exists())


if __name__ == "__main__":
    unittest.main()
