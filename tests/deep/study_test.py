"""mmo paper deep: the study on frozen features and with the encoder trained, resumed where it was killed, and its report."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["MMO_SOURCE"]) / "tests/cli"))
from program_test import tiny_encoder, write_encoder  # noqa: E402
from support import BINARY, ProgramTest, as_fasttext, toy_documents  # noqa: E402

RUNS = [("BCE", "micro-f1"), ("MMO", "macro-f1"), ("MMO", "micro-f1"), ("MMO", "samples-jaccard"), ("ASL", "micro-f1"),
        ("SigmoidF1", "macro-f1"), ("SigmoidF1", "micro-f1")]


class Study(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("train.txt", as_fasttext(toy_documents(80)))
        self.write("test.txt", as_fasttext(toy_documents(40, seed=3)))
        write_encoder(self.folder / "bert", *tiny_encoder())

    def fine_tuning(self, out, *flags, epochs=2):
        return ["paper", "deep", "train.txt", "test.txt", "--backbone", "bert", "--sets", "all", "--epochs", str(epochs),
                "--threads", "1", "--out", out, *flags]

    def results(self, name):
        return json.loads(self.read(name))

    def test_fine_tuning_killed_and_resumed_gives_the_same_results(self):
        self.mmo(*self.fine_tuning("whole.json", "--seeds", "1"))
        run = self.fine_tuning("cut.json", "--seeds", "1")
        process = subprocess.Popen([BINARY, *run], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # One epoch of MMO's first run is done, the second not.
        while not (self.folder / "cut.json.all-MMO-macro-f1-0").exists() and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        self.assertNotEqual(process.wait(), 0, "killed too late for this test to show anything")
        self.mmo(*run)
        whole = self.results("whole.json")
        self.assertEqual(whole, self.results("cut.json"))
        table = whole["fine_tuned"]["all"]
        self.assertEqual([(method, target) for method in table for target in table[method]], RUNS)
        for method, target in RUNS:
            cell = table[method][target]["0"]
            self.assertTrue(cell["finished"])
            self.assertTrue(0 <= cell[target]["+G"]["test"] <= 1)
        self.assertFalse([name for name in self.files() if name.startswith("cut.json.")], "checkpoints are removed")

        self.refused(2, "--epochs 2 --lr 0.0001", *self.fine_tuning("whole.json", "--seeds", "2", epochs=3))

        report = self.mmo("paper", "deep", "--report", "whole.json").stdout
        self.assertIn("## Fine-tuned: all labels", report)
        self.assertIn(f"| MMO + one threshold | {table['MMO']['micro-f1']['0']['micro-f1']['+G']['test']:.4f} |", report)

    def test_frozen_study_adds_to_the_same_results(self):
        for part in ("train", "test"):
            self.mmo("deep", "features", f"{part}.txt", "--backbone", "bert", "--out", f"{part}.npz", "--threads", "1")
        frozen = ["paper", "deep", "train.npz", "test.npz", "--sets", "all", "--no-ablations", "--threads", "1", "--out", "r.json"]
        self.mmo(*frozen, "--seeds", "1")
        one = self.results("r.json")["table"]["all"]["MMO"]
        self.mmo(*frozen, "--seeds", "2")
        for candidate, seeds in self.results("r.json")["table"]["all"]["MMO"].items():
            self.assertEqual(list(seeds), ["0", "1"])
            self.assertEqual(seeds["0"], one[candidate]["0"], "what was there is kept")
        self.refused(2, ["unknown set 'most'"], *frozen[:4], "--sets", "most", "--out", "x.json")


if __name__ == "__main__":
    unittest.main()
