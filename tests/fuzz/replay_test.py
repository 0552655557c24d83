"""Inputs that the program writes itself, those that broke a reader once (corpus/), and mutations of both."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MMO_SOURCE"])
MUTATIONS = "300"  # of each input


class Replay(unittest.TestCase):
    def test_nothing_but_messages_for_the_user(self):
        with tempfile.TemporaryDirectory() as folder:
            seeds = pathlib.Path(folder) / "seeds"
            subprocess.run([sys.executable, SOURCE / "fuzz/seeds.py", os.environ["MMO_BINARY"], seeds], check=True)
            run = subprocess.run(
                [os.environ["MMO_FUZZ_REPLAY"], MUTATIONS, seeds, SOURCE / "tests/fuzz/corpus"],
                cwd=folder,
                capture_output=True,
                text=True,
            )
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
