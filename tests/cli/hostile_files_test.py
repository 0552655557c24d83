"""Files made to harm: nested JSON, headers and archives that announce or unpack to far too much, names with control
characters and formulas."""

import gzip
import io
import json
import struct
import unittest
import zipfile
import zlib

from support import ProgramTest, as_csv, toy_rows

DEEP = 80_000  # levels of lists: far beyond any stack


def as_deep(start, end):
    return start + "[" * DEEP + "]" * DEEP + end


class NestedJson(ProgramTest):
    """Every place that takes JSON says no, instead of running out of stack."""

    def test_files_of_every_kind(self):
        self.toy_model()
        train = ["train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "new.mmo", "--effort", "quick"]
        self.write("deep.json", as_deep('{"red": ', "}"))
        self.write("list.json", as_deep("", ""))
        self.write("deep.jsonl", as_deep('{"labels": ["red"], "x": ', "}") + "\n")
        self.write("results.json", as_deep('{"cells": {}, "x": ', "}"))
        for code, arguments in [
            (3, [*train, "--label-weights", "deep.json"]),
            (3, [*train, "--class-weights", "deep.json"]),
            (3, [*train, "--weights", "list.json"]),
            (2, [*train, "--config", "deep.json"]),
            (3, [*train[:4], "--metric", "deep.json", *train[6:]]),
            (3, ["evaluate", "--predictions", "deep.jsonl", "test.csv", "--labels", "last:3"]),
            (3, ["paper", "data", "--out", "results.json"]),
        ]:
            with self.subTest(arguments):
                self.refused(code, "json", *arguments)

    def test_a_model(self):
        self.toy_model()
        whole = (self.folder / "model.mmo").read_bytes()
        (length,) = struct.unpack("<Q", whole[:8])
        header = json.loads(whole[8 : 8 + length])
        deep = whole[8 : 8 + length].decode().rstrip()[:-1] + as_deep(', "x": ', "}")
        self.write("header.mmo", struct.pack("<Q", len(deep)) + deep.encode() + whole[8 + length :])
        header["__metadata__"]["model"] = as_deep('{"history": ', "}")
        text = json.dumps(header).encode()
        self.write("history.mmo", struct.pack("<Q", len(text)) + text + whole[8 + length :])
        for name in ("header.mmo", "history.mmo"):
            self.refused(4, name, "inspect", name)


def resealed(model, change):
    """The model file with change() made to its description, and the checksum set right."""
    (length,) = struct.unpack("<Q", model[:8])
    header = json.loads(model[8 : 8 + length])
    data = model[8 + length :]
    metadata = header.pop("__metadata__")
    description = json.loads(metadata["model"])
    change(description)
    metadata["model"] = json.dumps(description)
    del metadata["crc32"]
    crc = 0
    tensors = [(name, t["dtype"], *map(str, t["shape"]), data[slice(*t["data_offsets"])]) for name, t in sorted(header.items())]
    for part in [part for entry in sorted(metadata.items()) for part in entry] + [part for tensor in tensors for part in tensor]:
        content = part.encode() if isinstance(part, str) else part
        crc = zlib.crc32(content, zlib.crc32(f"{len(content)}:".encode(), crc))
    text = json.dumps(header | {"__metadata__": metadata | {"crc32": f"{crc:08x}"}}).encode()
    return struct.pack("<Q", len(text)) + text + data


class History(ProgramTest):
    """A model's record of its training is for people; whoever sent the file may have written anything there."""

    def test_of_other_forms(self):
        self.toy_model()
        whole = (self.folder / "model.mmo").read_bytes()
        self.write("same.mmo", resealed(whole, lambda description: None))
        self.assertEqual(self.mmo("inspect", "same.mmo").stdout, self.mmo("inspect", "model.mmo").stdout)
        for history in (None, 3, [], {"rows": "many"}, {"losses": 1}, {"losses": [{"path": [[]]}]}, {"boosted": []},
                        {"out_of_fold": {"value": None}}, {"settings": 1}, {"warnings": 1}):
            with self.subTest(history):
                self.write("odd.mmo", resealed(whole, lambda description: description.update(history=history)))
                self.mmo("inspect", "odd.mmo", "--plot", "--top", "1")
                self.mmo("inspect", "odd.mmo", "--json")
                self.mmo("inspect", "odd.mmo", "--as", "card")
                self.mmo("predict", "odd.mmo", "test.csv")
                self.mmo("report", "odd.mmo", "--out", "odd.json", "--force")

    def test_paths_that_can_not_be_drawn(self):
        self.toy_model()
        whole = (self.folder / "model.mmo").read_bytes()
        for path in ([{"rho": 1, "log_loss": 1e308}, {"rho": 2, "log_loss": -1e308}], [{"rho": 0}, {"rho": -1}, {"rho": 1}]):
            losses = [{"loss": "x", "path": path}]
            self.write("odd.mmo", resealed(whole, lambda description: description["history"].update(losses=losses)))
            self.mmo("inspect", "odd.mmo", "--plot")


class TooMuch(ProgramTest):
    def test_announced_columns(self):
        self.write("wide.txt", "1 2000000000 3\n0 5:1\n")
        self.write("wide.svm", "0 2000000000:1\n1 1:1\n")
        for name in ("wide.txt", "wide.svm"):
            with self.subTest(name):
                self.refused(3, [name, "--max-input"], "inspect", name)
                self.refused(3, [name, "--max-input"], "convert", name, "out.npz")
        self.write("some.svm", "0 100000:1\n1 1:1\n")
        flags = ["convert", "some.svm", "out.npz", "--force", "--max-input"]
        self.refused(3, "announce 100000 features", *flags, "100K")
        self.mmo(*flags, "1M")

    def test_unpacking_by_default(self):
        member = gzip.compress(bytes(16 << 20))
        self.write("bomb.csv.gz", member * 70)  # 1.1 MB of 1.1 GB
        self.refused(3, ["bomb.csv.gz", "--max-input"], "inspect", "bomb.csv.gz")

    def test_the_limit_can_be_set(self):
        content = "a,b,red\n" + "1,2,0\n" * 200_000
        self.write("long.csv.gz", gzip.compress(content.encode()))
        flags = ["inspect", "long.csv.gz", "--labels", "last:1", "--max-input"]
        self.refused(3, "long.csv.gz", *flags, "1M")
        self.mmo(*flags, "2M")

    def test_npz(self):
        array = io.BytesIO()
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2000, 2000), }"
        header += b" " * (64 - (10 + len(header) + 1) % 64) + b"\n"
        array.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4_000_000))
        with zipfile.ZipFile(self.folder / "zeros.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("X.npy", array.getvalue())
        flags = ["convert", "zeros.npz", "out.svm", "--max-input"]
        self.refused(3, ["zeros.npz", "--max-input"], *flags, "1M")
        self.mmo(*flags, "8M")


class Names(ProgramTest):
    """What a file calls its columns reaches neither the terminal nor a spreadsheet as a command."""

    RAW = ["\x1b[31mred\x07", "=cmd()", "blue\x9b"]

    def setUp(self):
        super().setUp()
        for name, count, seed in (("train.csv", 120, 1), ("test.csv", 60, 9)):
            head, _, rows = as_csv(toy_rows(count, seed)).partition("\n")
            self.write(name, (",".join(head.split(",")[:-3] + self.RAW) + "\n" + rows).encode())
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "m.mmo", "--effort", "quick")

    def assert_harmless(self, text):
        for control in "\x1b\x07\x9b":
            self.assertNotIn(control, text)

    def test_terminal(self):
        for arguments in (["inspect", "train.csv", "--labels", "last:3"], ["inspect", "m.mmo", "--top", "3"],
                          ["evaluate", "m.mmo", "test.csv"], ["evaluate", "m.mmo", "test.csv", "--json"],
                          ["predict", "m.mmo", "test.csv"], ["predict", "m.mmo", "test.csv", "--as", "jsonl", "--scores"],
                          ["inspect", "m.mmo", "--top", "1", "--json"]):
            with self.subTest(arguments):
                run = self.mmo(*arguments)
                self.assert_harmless(run.stdout + run.stderr)
        self.write("bad.csv", self.read("test.csv").replace("=cmd()", "\x1b[2J"))
        self.assert_harmless(self.mmo("evaluate", "m.mmo", "bad.csv").stderr)

    def test_tables(self):
        heading = self.mmo("predict", "m.mmo", "test.csv", "--as", "indicator").stdout.splitlines()[0]
        self.assertEqual(heading, r"\x1b[31mred\x07,'=cmd(),blue\x9b")
        self.mmo("convert", "train.csv", "again.csv", "--labels", "last:3")
        self.assertIn("'=cmd()", self.read("again.csv").splitlines()[0])
        self.assert_harmless(self.read("again.csv"))

    def test_they_are_still_the_same_names(self):
        direct = self.mmo_json("evaluate", "m.mmo", "test.csv")["metrics"]
        for form in ("names", "indicator", "jsonl"):
            self.mmo("predict", "m.mmo", "test.csv", "--as", form, "--out", form)
            read = self.mmo_json("evaluate", "--predictions", form, "test.csv", "--labels", "last:3")["metrics"]
            self.assertEqual(read["micro-f1"], direct["micro-f1"], form)
        self.mmo("convert", "test.csv", "again.csv", "--labels", "last:3")
        self.assertEqual(self.mmo_json("evaluate", "m.mmo", "again.csv")["metrics"], direct)

    def test_endless_numbers(self):
        digits = "9" * 300
        self.write("weights.txt", digits + "\n" * 120)
        self.write("weights.json", f"[{digits}]")
        train = ["train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "x.mmo"]
        for flags in (["--weights", "weights.txt"], ["--weights", "weights.json"], ["--label-weights", "weights.txt"], ["--threads", digits]):
            with self.subTest(flags):
                run = self.mmo(*train, *flags, code=None)
                self.assertNotEqual(run.returncode, 0)
                self.assertNotIn("9" * 50, run.stderr)


if __name__ == "__main__":
    unittest.main()
