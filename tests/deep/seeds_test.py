"""mmo deep train --seeds: each seed trains what --seed alone would; the best one is the model."""

import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["MMO_SOURCE"]) / "tests/cli"))
from support import BINARY, ProgramTest  # noqa: E402

ROUNDING = 1e-12  # of means of a few numbers


class Seeds(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy()

    def flags(self, model, *more):
        return ["deep", "train", "train.csv", "--labels", "last:3", "--epochs", "6", "--head-lr", "0.01", "--hidden", "4",
                "--drop-positives", "0.1", "--threads", "1", "--model", model, *more]

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def test_the_best_seed_is_kept_and_all_are_reported(self):
        several = self.mmo_json(*self.flags("several.mmod", "--seeds", "3", "--seed", "5"))
        alone = {seed: self.mmo_json(*self.flags(f"{seed}.mmod", "--seed", seed)) for seed in (5, 6, 7)}
        values = [alone[seed]["validation"] for seed in alone]
        self.assertEqual([one["validation"] for one in several["seeds"]], values)
        self.assertEqual([one["seed"] for one in several["seeds"]], [5, 6, 7])
        self.assertGreater(len(set(values)), 1, "seeds differ, or this test shows nothing")
        best = max(alone, key=lambda seed: alone[seed]["validation"])
        self.assertEqual(several["seed"], best)
        self.assertEqual(several["validation"], max(values))
        self.assertEqual(self.bytes("several.mmod"), self.bytes(f"{best}.mmod"))
        self.assertAlmostEqual(several["mean"], statistics.mean(values), delta=ROUNDING)
        self.assertAlmostEqual(several["sd"], statistics.stdev(values), delta=ROUNDING)
        text = self.mmo(*self.flags("text.mmod", "--seeds", "3", "--seed", "5")).stdout
        self.assertIn(f"3 seeds: {several['mean']:.4f} ± {several['sd']:.4f}; the model is that of seed {best}", text)

    def test_killed_and_resumed_gives_the_same_file(self):
        run = self.flags("cut.mmod", "--seeds", "3", "--checkpoint", "state", "--checkpoint-steps", "1")
        self.mmo(*self.flags("whole.mmod", "--seeds", "3"))
        process = subprocess.Popen([BINARY, *run], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.folder / "state.seed1").exists() and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        self.assertNotEqual(process.wait(), 0, "killed too late for this test to show anything")
        self.assertIn("state.seed0", self.files(), "finished seeds are kept until all are done")
        self.mmo(*run)
        self.assertEqual(self.bytes("whole.mmod"), self.bytes("cut.mmod"))
        self.assertFalse([name for name in self.files() if name.startswith("state")])

    def test_without_validation_rows_no_seed_is_best(self):
        self.refused(2, ["--seeds", "--validation"], *self.flags("m.mmod", "--seeds", "2", "--validation", "0"))


if __name__ == "__main__":
    unittest.main()
