"""mmo train --checkpoint: a killed run goes on from what was solved, to the same file."""

import os
import signal
import subprocess
import time
import unittest

from support import BINARY, ProgramTest, as_csv, as_svmlight, toy_rows


class Checkpoint(ProgramTest):
    ARGUMENTS = ("train", "long.svm", "--metric", "macro-f1", "--method", "mmo", "--checkpoint", "state")

    def setUp(self):
        super().setUp()
        self.write("long.svm", as_svmlight([(x * 20, y * 20) for x, y in toy_rows(1500)]))

    def tasks(self):
        return sorted((self.folder / "state").glob("*.task"))

    def killed(self, model):
        process = subprocess.Popen([BINARY, *self.ARGUMENTS, "--model", model], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(self.tasks()) < 12 and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        self.assertEqual(process.wait(), -signal.SIGKILL, "the run was over too soon")

    def test_a_killed_run_goes_on_to_the_same_file(self):
        self.mmo(*self.ARGUMENTS[:-2], "--model", "whole.mmo")
        self.killed("cut.mmo")
        self.assertFalse((self.folder / "cut.mmo").exists())
        solved = {path: path.stat().st_mtime_ns for path in self.tasks()}
        process = subprocess.Popen([BINARY, *self.ARGUMENTS, "--model", "cut.mmo"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(self.tasks()) == len(solved) and process.poll() is None:
            time.sleep(0.005)
        kept = {path: path.stat().st_mtime_ns for path in solved if path.exists()}
        self.assertEqual(process.wait(), 0)
        self.assertTrue(not kept or kept == solved, "a task was solved again")
        self.assertEqual((self.folder / "whole.mmo").read_bytes(), (self.folder / "cut.mmo").read_bytes())
        self.assertFalse((self.folder / "state").exists())

    def test_the_checkpoint_of_other_work_is_refused(self):
        self.killed("cut.mmo")
        self.write("other.csv", as_csv(toy_rows(100)))
        for arguments in ((*self.ARGUMENTS, "--seed", "3"),
                          ("train", "other.csv", "--labels", "last:3", "--metric", "macro-f1", "--checkpoint", "state")):
            self.refused(2, ["state", "other work"], *arguments, "--model", "m.mmo")

    def test_a_folder_with_other_files_is_left_alone(self):
        self.write("state/notes.txt", "mine")
        self.refused(2, "must be empty", *self.ARGUMENTS, "--model", "m.mmo")
        self.assertEqual(self.read("state/notes.txt"), "mine")


if __name__ == "__main__":
    unittest.main()
