"""tools/check_includes.py must fail on each kind of broken layer and pass on sound ones."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parents[2] / "tools/check_includes.py"
README = "| folder | what | may include |\n| --- | --- | --- |\n| `low` | a | |\n| `high` | b | low |\n"


class CheckIncludes(unittest.TestCase):
    def check(self, low='#include <vector>\n', high='#include "mmo/low/a.h"\n', readme=README,
              folders="mmo_folder(low)\nmmo_folder(high low)\n"):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in {"cmake/folders.cmake": folders, "src/mmo/README.md": readme,
                               "src/mmo/low/a.h": low, "src/mmo/high/b.cpp": high}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            run = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True)
            return run.returncode, run.stderr

    def test_sound_layers_pass(self):
        self.assertEqual(self.check(), (0, ""))

    def test_an_upward_include_is_named_with_its_line(self):
        code, message = self.check(low='\n#include "mmo/high/b.h"\n')
        self.assertEqual(code, 1)
        self.assertIn("src/mmo/low/a.h:2: low may not include high", message)

    def test_a_room_within_a_folder_has_its_own_layer(self):
        folders = "mmo_folder(low)\nmmo_folder(high/room low)\nmmo_folder(high low high/room)\n"
        rows = "| `high/room` | c | low |\n| `high` | b | low high/room |\n"
        readme = README.replace("| `high` | b | low |\n", rows)
        self.assertEqual(self.check(high='#include "mmo/high/room/c.h"\n', readme=readme, folders=folders), (0, ""))
        code, message = self.check(low='#include "mmo/high/room/c.h"\n', readme=readme, folders=folders)
        self.assertEqual(code, 1)
        self.assertIn("low may not include high/room", message)

    def test_a_relative_include_fails(self):
        self.assertEqual(self.check(high='#include "a.h"\n')[0], 1)

    def test_an_undeclared_folder_fails(self):
        self.assertEqual(self.check(folders="mmo_folder(low)\n")[0], 1)

    def test_a_list_that_points_up_fails(self):
        code, message = self.check(folders="mmo_folder(high low)\nmmo_folder(low)\n")
        self.assertEqual(code, 1)
        self.assertIn("not declared below it", message)

    def test_a_readme_that_lies_fails(self):
        self.assertEqual(self.check(readme=README.replace("| low |", "| |"))[0], 1)
        self.assertEqual(self.check(readme=README.replace("| `low` | a | |\n", ""))[0], 1)


if __name__ == "__main__":
    unittest.main()
