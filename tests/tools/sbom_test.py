"""tools/sbom.py: every library the program needs is in its bill, with version and licence, and in the same bytes twice."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make(program, folder):
    command = [sys.executable, str(ROOT / "tools/sbom.py"), program, folder]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@unittest.skipUnless(shutil.which("dpkg-query"), "versions are asked of dpkg")
class Sbom(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_components_have_version_licence_and_text(self):
        run = make(os.environ["MMO_BINARY"], str(self.folder))
        self.assertEqual(run.returncode, 0, run.stderr)
        bill = json.loads((self.folder / "mmo.cdx.json").read_text())
        self.assertEqual((bill["bomFormat"], bill["metadata"]["component"]["name"]), ("CycloneDX", "mmo"))
        texts = (self.folder / "licences.txt").read_text()
        for part in bill["components"]:
            self.assertTrue(part["version"] and part["licenses"][0]["expression"], part)
            self.assertIn(f"==== {part['name']} ====", texts)
        references = {part["bom-ref"] for part in bill["components"]}
        self.assertEqual(set(bill["dependencies"][0]["dependsOn"]), references)

    def test_the_same_program_gives_the_same_bytes(self):
        for name in ("one", "two"):
            make(os.environ["MMO_BINARY"], str(self.folder / name))
        one, two = ((self.folder / name / "mmo.cdx.json").read_bytes() for name in ("one", "two"))
        self.assertEqual(one, two)

    def test_a_library_without_a_component_is_an_error(self):
        run = make("/bin/bash", str(self.folder))  # it needs libtinfo
        self.assertEqual(run.returncode, 1)
        self.assertIn("libtinfo", run.stderr)


if __name__ == "__main__":
    unittest.main()
