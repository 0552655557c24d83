"""Shared by the tests of the program: running it, and small data sets that can be learnt."""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

BINARY = os.environ["MMO_BINARY"]
SOURCE = pathlib.Path(os.environ["MMO_SOURCE"])
SHARED_DATA = pathlib.Path(os.environ.get("MMO_TEST_SHARED_DATA", "/nonexistent"))

LABELS = ["red", "green", "blue"]
FEATURES = 6


def toy_rows(count=120, seed=1):
    """(features, labels): label j is present where feature j is large; one in ten cells lies."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        x = [round(rng.gauss(0, 1), 4) for _ in range(FEATURES)]
        y = [int((x[j] > 0.3 + 0.2 * j) != (rng.random() < 0.1)) for j in range(len(LABELS))]
        rows.append((x, y))
    return rows


def as_csv(rows):
    lines = [",".join([f"f{k}" for k in range(FEATURES)] + LABELS)]
    return "\n".join(lines + [",".join(map(str, x + y)) for x, y in rows]) + "\n"


def as_arff(rows):
    head = ["@relation toy"] + [f"@attribute f{k} numeric" for k in range(FEATURES)]
    head += [f"@attribute {name} {{0,1}}" for name in LABELS] + ["@data"]
    return "\n".join(head + [",".join(map(str, x + y)) for x, y in rows]) + "\n"


def as_xml():
    names = "".join(f'<label name="{name}"></label>' for name in LABELS)
    return f'<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">{names}</labels>'


def as_svmlight(rows, base=1):
    def line(x, y):
        labels = ",".join(str(j) for j, present in enumerate(y) if present)
        return " ".join([labels] + [f"{k + base}:{v}" for k, v in enumerate(x)]).strip()

    return "\n".join(line(x, y) for x, y in rows) + "\n"


WORDS = {"sport": "goal match team league player", "money": "bank market stock price trade", "food": "bread wine cheese soup cook"}


def toy_documents(count=150, seed=2):
    """(text, topics): each topic brings words of its own among common ones."""
    rng = random.Random(seed)
    common = "the and of to in with from about after before day year".split()
    documents = []
    for _ in range(count):
        topics = [name for name in WORDS if rng.random() < 0.4]
        words = [rng.choice(common) for _ in range(8)]
        for topic in topics:
            words += rng.sample(WORDS[topic].split(), 3)
        rng.shuffle(words)
        documents.append((" ".join(words), topics))
    return documents


def as_fasttext(documents):
    return "".join(" ".join([f"__label__{t}" for t in topics] + [text]) + "\n" for text, topics in documents)


class ProgramTest(unittest.TestCase):
    """A fresh folder for each test, which is the program's working directory."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return name

    def read(self, name):
        return (self.folder / name).read_text()

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def mmo(self, *arguments, stdin=None, code=0, **options):
        """Runs the program; fails the test unless it ends with `code` (None: any)."""
        run = subprocess.run([BINARY, *map(str, arguments)], cwd=self.folder, input=stdin, capture_output=True,
                             text=not isinstance(stdin, bytes), timeout=300, **options)
        expected = run.returncode if code is None else code
        self.assertEqual(run.returncode, expected, f"mmo {' '.join(map(str, arguments))}\n{run.stdout}\n{run.stderr}")
        return run

    def mmo_json(self, *arguments, **options):
        return json.loads(self.mmo(*arguments, "--json", **options).stdout)

    def refused(self, code, fragments, *arguments, **options):
        """The program must end with `code`, one message holding all fragments, and no new file."""
        before = self.files()
        run = self.mmo(*arguments, code=code, **options)
        errors = [line for line in run.stderr.splitlines() if line.startswith("mmo: error: ")]
        self.assertEqual(len(errors), 1, run.stderr)
        for fragment in [fragments] if isinstance(fragments, str) else fragments:
            self.assertIn(fragment, errors[0])
        self.assertEqual(self.files(), before, "something was left behind")
        return errors[0]

    def toy(self):
        """train.csv and test.csv."""
        self.write("train.csv", as_csv(toy_rows()))
        self.write("test.csv", as_csv(toy_rows(60, seed=9)))

    def toy_model(self):
        """The same, and a quickly trained model.mmo."""
        self.toy()
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "model.mmo",
                 "--effort", "quick", "--quiet")
