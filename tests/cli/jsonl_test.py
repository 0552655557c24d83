"""JSON lines train and predict as the same table in CSV does."""

import json
import unittest

from support import LABELS, ProgramTest, as_csv, toy_documents, toy_rows
from table_test import as_csv as shop_csv
from table_test import shop


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


class JsonLinesTest(ProgramTest):
    def test_a_table_trains_the_same_model_as_from_csv(self):
        rows = shop(300, 1)
        self.write("shop.csv", shop_csv(rows))
        lines = [{**row, "price": float(row["price"]) if row["price"] != "" else None, "tags": [t for t in row["tags"].split(";") if t]}
                 for row in rows]
        self.write("shop.jsonl", as_jsonl(lines))
        for name in ("csv", "jsonl"):
            self.mmo("train", f"shop.{name}", "--labels", "tags", "--metric", "micro-f1", "--model", f"{name}.mmo",
                     "--effort", "quick", "--method", "linear")
        expected = self.mmo("predict", "csv.mmo", "shop.csv", "--as", "indicator", "--scores").stdout
        self.assertEqual(self.mmo("predict", "jsonl.mmo", "shop.jsonl", "--as", "indicator", "--scores").stdout, expected)
        self.assertEqual(self.mmo("predict", "csv.mmo", "shop.jsonl", "--as", "indicator", "--scores").stdout, expected)

    def test_the_field_labels_needs_no_flag(self):
        self.write("news.jsonl", as_jsonl({"text": text, "labels": topics} for text, topics in toy_documents()))
        self.mmo("train", "news.jsonl", "--text-column", "text", "--metric", "micro-f1", "--model", "news.mmo", "--effort", "quick")
        card = self.mmo_json("inspect", "news.mmo")
        self.assertEqual(card["labels"], 3)
        value = self.mmo_json("evaluate", "news.mmo", "news.jsonl")["metrics"]["micro-f1"]
        self.assertGreater(value, 0.9)

    def test_labels_may_be_flags_or_one_text(self):
        rows = [dict(zip([f"f{k}" for k in range(6)] + LABELS, x + [bool(v) for v in y])) for x, y in toy_rows()]
        self.write("flags.ndjson", as_jsonl(rows))
        self.write("flags.csv", as_csv(toy_rows()))
        shared = ("--labels", ",".join(LABELS), "--metric", "micro-f1", "--effort", "quick", "--method", "linear")
        self.mmo("train", "flags.ndjson", "--model", "a.mmo", *shared)
        self.mmo("train", "flags.csv", "--model", "b.mmo", *shared)
        self.assertEqual(self.mmo("predict", "a.mmo", "flags.ndjson").stdout, self.mmo("predict", "b.mmo", "flags.csv").stdout)
        self.write("text.jsonl", as_jsonl({**row, "labels": ";".join(n for n in LABELS if row[n])} for row in rows))
        card = self.mmo_json("inspect", "text.jsonl", "--drop", ",".join(LABELS))
        self.assertEqual(card["labels"], 3)

    def test_fields_may_be_absent(self):
        rows = [{"a": k % 7, "labels": ["x"] if k % 2 else ["y"], **({"b": "red"} if k % 3 else {})} for k in range(60)]
        self.write("gaps.jsonl", as_jsonl(rows))
        card = self.mmo_json("inspect", "gaps.jsonl")
        self.assertEqual((card["rows"], card["features"]["count"]), (60, 2))

    def test_faults_name_line_and_field(self):
        good = json.dumps({"a": 1, "labels": ["x"]}) + "\n"
        for line, fragments in {
            '{"a": 1,': ["bad.jsonl:3", "not JSON"],
            "[1, 2]": ["bad.jsonl:3", "object"],
            '{"a": [1, 2], "labels": []}': ["bad.jsonl:3", "'a'", "list"],
            '{"a": {"b": 1}, "labels": []}': ["bad.jsonl:3", "'a'", "object"],
            '{"a": 1e99, "labels": []}': ["bad.jsonl:3", "'a'", "too large"],
            '{"a": 1, "labels": [1.5]}': ["bad.jsonl:3", "1.5", "'labels'"],
            '{"a": ' + "[" * 200 + "]" * 200 + ', "labels": []}': ["bad.jsonl:3", "deeper"],
        }.items():
            self.write("bad.jsonl", good + "\n" + line + "\n" + good)
            self.refused(3, fragments, "inspect", "bad.jsonl")

    def test_many_different_fields_do_not_exhaust_memory(self):
        self.write("wide.jsonl", "".join(json.dumps({f"field{k}": 1, "labels": ["x"]}) + "\n" for k in range(40000)))
        self.refused(3, "different fields", "inspect", "wide.jsonl")

    def test_parquet_names_the_command_that_reads_it(self):
        self.write("rows.parquet", b"PAR1" + bytes(20) + b"PAR1")
        self.refused(3, "python -m mmo.parquet", "inspect", "rows.parquet")
        self.write("folder/part-0.parquet", b"PAR1")
        self.refused(3, "python -m mmo.parquet", "inspect", "folder")


if __name__ == "__main__":
    unittest.main()
