"""The commands of README and docs run as printed: the ```sh blocks of a page in order, in one folder.

A block that can't run here stands below a comment that says why: <!-- not run: needs an encoder's weights -->.
The folder holds small files under the names that the pages use; pages may make more with `mmo demo`.
"""

import os
import pathlib
import random
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["MMO_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/cli"))
from support import BINARY, ProgramTest, as_arff, as_csv, as_fasttext, as_xml, toy_documents, toy_rows  # noqa: E402

BLOCK = re.compile(r"^(<!-- not run: .+? -->\n)?```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = ["README.md", *sorted(f"docs/{page.name}" for page in (SOURCE / "docs").glob("*.md"))]


def blocks_of(page):
    return [lines for skipped, lines in BLOCK.findall((SOURCE / page).read_text()) if not skipped]


def shop(count=150, seed=5):
    """A table with a text, a category, a number with gaps, a date, and lists of tags that follow from them."""
    rng = random.Random(seed)
    lines = ["title,colour,price,added,tags"]
    for text, topics in toy_documents(count, seed):
        colour, price = rng.choice(["red", "green", "blue"]), round(rng.uniform(1, 90), 2)
        tags = topics + (["cheap"] if price < 30 else []) + ([colour] if colour == "red" else [])
        day = f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        lines.append(f"{text},{colour},{price if rng.random() < 0.9 else ''},{day},{';'.join(tags)}")
    return "\n".join(lines) + "\n"


def as_tab_separated(documents):
    """Number, labels, text: LibMultiLabel's form."""
    return "".join(f"{i}\t{' '.join(topics)}\t{text}\n" for i, (text, topics) in enumerate(documents))


class Commands(ProgramTest):
    def setUp(self):
        super().setUp()
        for part, seed in (("train", 1), ("test", 9)):
            self.write(f"emotions-{part}.arff", as_arff(toy_rows(120, seed)))
            documents = toy_documents(150, seed)
            self.write(f"news-{part}.txt", as_fasttext(documents))
            self.write(f"news-{part}.tsv", as_tab_separated(documents))
        for name in ("emotions.xml", "emotions-train.xml", "emotions-test.xml"):
            self.write(name, as_xml())
        self.write("shop.csv", shop())
        self.write("birds.csv", as_csv([(x, ["?" if x[5] > 1 else y[0], *y[1:]]) for x, y in toy_rows(150)]))
        self.write("bin/mmo", f'#!/bin/sh\nexec "{BINARY}" "$@"\n')
        (self.folder / "bin/mmo").chmod(0o755)

    def has_report_page(self):
        """A build without Node.js writes reports as JSON only, and says so."""
        return self.mmo("evaluate", "none.mmo", "none.csv", "--report", "none.html", code=None).returncode != 2

    def run_block(self, lines):
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        run = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", lines],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )
        self.assertEqual(run.returncode, 0, f"{lines}\n{run.stdout}\n{run.stderr}")

    def run_page(self, page):
        keep_pages = self.has_report_page()
        for lines in blocks_of(page):
            shown = lines.splitlines(keepends=True)
            self.run_block("".join(line if keep_pages else without_page(line) for line in shown))

    def test_pages_have_commands(self):
        self.assertGreaterEqual(len(blocks_of("README.md")), 1)
        self.assertGreater(len(blocks_of("docs/guide.md")), 1)

    def test_no_page_hides_its_commands_from_this_test(self):
        for page in PAGES:
            with self.subTest(page):
                self.assertNotRegex((SOURCE / page).read_text(), r"```(bash|shell|console|sh +\S)")


def without_page(line):
    """The line as a build without the report's page can run it."""
    line = re.sub(r" --report \S+\.html", "", line)
    return "" if ".html" in line else line


def add_page(page):
    name = re.sub(r"\W", "_", page.removeprefix("docs/").removesuffix(".md"))
    setattr(Commands, f"test_{name}", lambda self: self.run_page(page))


for a_page in PAGES:
    if blocks_of(a_page):
        add_page(a_page)

if __name__ == "__main__":
    unittest.main()
