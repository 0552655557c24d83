"""The site is built without a warning, where `make docs` has installed what builds it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MMO_SOURCE"])
PYTHON = pathlib.Path(os.environ["MMO_BINARY"]).parent / "venv-docs/bin/python"


@unittest.skipUnless(PYTHON.exists(), "needs the environment of `make docs`")
class Site(unittest.TestCase):
    def test_is_built_and_can_be_searched(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [PYTHON, SOURCE / "docs/site/build.py", "--mmo", os.environ["MMO_BINARY"], "--out", folder],
                capture_output=True,
                text=True,
                timeout=600,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            site = pathlib.Path(folder) / "site"
            self.assertIn("threshold", (site / "searchindex.js").read_text())
            self.assertIn("--subject-to", (site / "reference/program.html").read_text())
            self.assertIn("mmo.MMOClassifier", (site / "reference/python.html").read_text())


if __name__ == "__main__":
    unittest.main()
