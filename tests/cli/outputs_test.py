"""Outputs appear whole or not at all: no overwriting, no leftovers after failures, full disks or Ctrl-C."""

import os
import pty
import re
import signal
import subprocess
import time
import unittest

from support import BINARY, ProgramTest, as_csv, toy_rows


class Overwriting(ProgramTest):
    def test_nothing_is_replaced_without_force(self):
        self.toy_model()
        before = (self.folder / "model.mmo").read_bytes()
        self.write("out", "precious\n")
        train = ["train", "train.csv", "--labels", "last:3", "--metric", "macro-f1", "--effort", "quick", "--model", "model.mmo"]
        for arguments in (train, ["predict", "model.mmo", "test.csv", "--out", "out"], ["export", "model.mmo", "out"],
                          ["convert", "train.csv", "out", "--to", "csv", "--labels", "last:3"]):
            with self.subTest(arguments[0]):
                self.refused(5, ["exists", "--force"], *arguments)
        self.assertEqual(self.read("out"), "precious\n")
        self.assertEqual((self.folder / "model.mmo").read_bytes(), before)
        self.mmo(*train, "--force")
        self.assertNotEqual((self.folder / "model.mmo").read_bytes(), before)
        self.mmo("predict", "model.mmo", "test.csv", "--out", "out", "--force")

    def test_a_folder_that_is_missing_or_read_only(self):
        self.toy_model()
        self.refused(5, "nowhere", "predict", "model.mmo", "test.csv", "--out", "nowhere/out")
        self.refused(5, "folder", "export", "model.mmo", ".")
        if os.geteuid() != 0:
            (self.folder / "closed").mkdir(mode=0o555)
            self.refused(5, "closed", "export", "model.mmo", "closed/m.onnx")


class FullDisk(ProgramTest):
    def test_standard_output(self):
        self.toy_model()
        with open("/dev/full", "w") as full:
            for arguments in (["predict", "model.mmo", "test.csv"], ["evaluate", "model.mmo", "test.csv"], ["methods"], ["--help"]):
                run = subprocess.run([BINARY, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.returncode, 5, arguments)
                self.assertIn("No space left", run.stderr)

    def test_a_small_disk_keeps_no_partial_file(self):
        self.toy_model()
        disk = self.folder / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk], capture_output=True).returncode != 0:
            self.skipTest("mounting a small disk needs root")
        try:
            self.write("long.csv", as_csv(toy_rows(3000)))
            for arguments in (["predict", "model.mmo", "long.csv", "--as", "jsonl", "--scores", "--out", "disk/out"],
                              ["convert", "long.csv", "disk/out.arff", "--labels", "last:3"],
                              ["split", "long.csv", "--labels", "last:3", "--out", "disk/out.csv"]):
                run = self.mmo(*arguments, code=5)
                self.assertIn("No space left", run.stderr)
                self.assertEqual(os.listdir(disk), [])
        finally:
            subprocess.run(["umount", disk], check=True)


class Interrupts(ProgramTest):
    def start(self, **options):
        self.write("long.csv", as_csv(toy_rows(30000)))
        return subprocess.Popen([BINARY, "train", "long.csv", "--labels", "last:3", "--metric", "macro-f1", "--effort", "thorough",
                                 "--model", "m.mmo"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def test_ctrl_c_leaves_nothing(self):
        for seconds in (0.05, 0.2, 0.5):
            with self.subTest(seconds):
                program = self.start()
                time.sleep(seconds)
                program.send_signal(signal.SIGINT)
                _, errors = program.communicate(timeout=60)
                if program.returncode == 0:
                    (self.folder / "m.mmo").unlink()  # had ended already
                    continue
                self.assertIn(program.returncode, (130, -signal.SIGINT))
                self.assertEqual(self.files(), ["long.csv"])

    def test_sigterm_too(self):
        program = self.start()
        time.sleep(0.3)
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)
        if program.returncode != 0:
            self.assertEqual(self.files(), ["long.csv"])


class Terminal(ProgramTest):
    def test_progress_is_drawn_on_a_terminal_only(self):
        self.write("long.csv", as_csv(toy_rows(4000)))
        arguments = ["train", "long.csv", "--labels", "last:3", "--metric", "macro-f1"]
        self.assertNotIn("%", self.mmo(*arguments, "--model", "a.mmo").stderr)
        drawn = self.on_terminal(*arguments, "--model", "b.mmo")
        self.assertIn(b"%", drawn)
        self.assertRegex(drawn, rb"trees: best log-loss 0\.\d{4}")
        self.assertNotIn(b"%", self.on_terminal(*arguments, "--model", "c.mmo", "--quiet"))

    def test_nothing_is_redrawn_where_nobody_watches(self):
        self.write("long.csv", as_csv(toy_rows(2000)))
        arguments = ["train", "long.csv", "--labels", "last:3", "--metric", "macro-f1", "--effort", "quick", "--model"]
        self.assertNotIn(b"%", self.on_terminal(*arguments, "a.mmo", TERM="dumb"))
        self.assertNotIn(b"%", self.on_terminal(*arguments, "b.mmo", CI="true"))

    def test_what_was_chosen_fits_80_columns(self):
        self.toy()
        arguments = ["--labels", "last:3", "--metric", "macro-f1", "--subject-to", "precision>=0.6"]
        text = self.mmo("train", "train.csv", *arguments, "--model", "m.mmo").stdout
        self.assertIn("boosted trees", text)
        lines = text.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80, text)
        # A line that goes on does so below its text, and no word is lost.
        blend = next(k for k, line in enumerate(lines) if line.startswith("blend "))
        self.assertTrue(lines[blend + 1].startswith(" " * 16) and lines[blend + 1][16] != " ")
        words = " ".join(text.split())
        self.assertIn("(weight, held-out log-loss alone)", words)
        self.assertRegex(words, r"rule .* held out macro-f1 0\.\d{4} ± 0\.\d{4} over 5 folds")

    def test_a_long_stage_shows_the_time_it_takes_and_no_stale_promise(self):
        self.write("long.csv", as_csv(toy_rows(30000)))
        drawn = self.on_terminal("train", "long.csv", "--labels", "last:3", "--metric", "macro-f1", "--model", "m.mmo",
                                 "--effort", "thorough").decode()
        bars = [bar for bar in drawn.replace("\x1b[K", "").split("\r") if bar.startswith("[")]
        spent = [re.search(r"%  (\d+):(\d\d)", bar) for bar in bars]
        self.assertTrue(all(spent), bars[:5])
        seconds = [60 * int(s[1]) + int(s[2]) for s in spent]
        self.assertEqual(seconds, sorted(seconds))
        # Redrawn every second: no second of the run is without a bar.
        self.assertLessEqual(max((b - a for a, b in zip(seconds, seconds[1:])), default=0), 3)
        self.assertNotRegex(drawn, r"about 0:00 left")
        for notice in re.findall(r"[^\r\n]*the search will take", drawn.replace("\x1b[K", "")):
            self.assertNotIn("%", notice)

    def on_terminal(self, *arguments, **environment):
        """What the program writes to standard error when that is a terminal."""
        master, slave = pty.openpty()
        program = subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=slave,
                                   env={**os.environ, "TERM": "xterm", "CI": "", **environment})
        os.close(slave)
        output = b""
        try:
            while chunk := os.read(master, 65536):
                output += chunk
        except OSError:  # Linux reports the closed terminal this way
            pass
        os.close(master)
        self.assertEqual(program.wait(), 0, output)
        return output


if __name__ == "__main__":
    unittest.main()
