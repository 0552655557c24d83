"""tools/tables.py: the repository's tables are what its generated pages say, and a changed cell is noticed."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(root, *arguments):
    command = [sys.executable, str(ROOT / "tools/tables.py"), "--root", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(ROOT / "docs", self.root / "docs")
        shutil.copy(ROOT / "README.md", self.root)

    def test_the_repository_agrees_with_its_pages(self):
        found = run(ROOT, "--check")
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_a_changed_page_is_noticed_and_written(self):
        page = self.root / "docs/results_species.md"
        page.write_text(page.read_text().replace("cells\n(significantly in ", "cells\n(significantly in 9", 1))
        found = run(self.root, "--check")
        self.assertEqual(found.returncode, 1)
        self.assertIn("README.md", found.stderr)
        self.assertEqual(run(self.root).returncode, 0)
        self.assertEqual(run(self.root, "--check").returncode, 0)

    def test_a_cell_typed_by_hand_is_noticed(self):
        readme = self.root / "README.md"
        text = readme.read_text()
        cell = "| emotions | micro F1 | 0."
        readme.write_text(text.replace(cell, cell + "9", 1))
        self.assertEqual(run(self.root, "--check").returncode, 1)


if __name__ == "__main__":
    unittest.main()
