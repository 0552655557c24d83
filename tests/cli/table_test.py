"""A table of texts, categories, numbers, dates and gaps trains as it is, and is read by name afterwards."""

import csv
import io
import random
import unittest

from support import ProgramTest

BRANDS = ["acme", "bolt", "corso", "delta"]
WORDS = ["lamp", "chair", "phone", "shirt", "book", "bag", "cable", "mug"]
COLOURS = ["red", "blue", "green"]
FILLING = ["fine", "small", "large", "new", "classic", "light", "strong", "soft"]


def shop(count, seed):
    """Tags that follow from title, price, brand and date together; one cell in twenty is missing."""
    rng = random.Random(seed)
    rows = []
    for i in range(count):
        thing, colour, brand = rng.choice(WORDS), rng.choice(COLOURS), rng.choice(BRANDS)
        price, month = round(rng.uniform(1, 200), 2), rng.randint(1, 12)
        tags = {f"is-{thing}"} if rng.random() < 0.9 else set()
        tags |= {"bargain"} if price < 40 else {"luxury"} if price > 150 else set()
        tags |= {"imported"} if brand in ("acme", "delta") else set()
        tags |= {"summer"} if 5 <= month <= 9 else set()
        description = " ".join([*rng.sample(FILLING, 4), colour, "for", rng.choice(WORDS), str(rng.randint(1, 999))])
        row = {
            "id": f"P{10000 + 7 * i}",
            "title": f"{colour} {thing} {rng.randint(1, 9999)}",
            "description": description,
            "price": price,
            "brand": brand,
            "added": f"2024-{month:02}-{rng.randint(1, 28):02}",
        }
        for name in row:
            if name != "id" and rng.random() < 0.05:
                row[name] = ""
        row["tags"] = ";".join(sorted(tags))
        rows.append(row)
    return rows


def as_csv(rows, columns=None):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns or list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


class TableTest(ProgramTest):
    def train(self, rows=700):
        self.write("shop.csv", as_csv(shop(rows, 1)))
        return self.mmo("train", "shop.csv", "--labels", "tags", "--metric", "micro-f1", "--model", "shop.mmo")

    def test_every_column_with_signal_is_used(self):
        run = self.train()
        self.assertEqual(run.stderr.count("column 'id' is left out"), 1, run.stderr)
        self.write("test.csv", as_csv(shop(400, 2)))
        card = self.mmo_json("evaluate", "shop.mmo", "test.csv", "--labels", "tags")
        self.assertGreater(card["metrics"]["micro-f1"], 0.85)
        text = self.mmo("inspect", "shop.mmo").stdout
        for column in ("title (text", "price (number", "brand (category, 4 values", "added (date", "id (left out"):
            self.assertIn(column, text)

    def test_columns_are_read_by_name(self):
        self.train(200)
        rows = shop(50, 3)
        self.write("new.csv", as_csv(rows))
        columns = ["brand", "extra", "price", "added", "title", "id", "description"]
        self.write("mixed.csv", as_csv([{name: row.get(name, "7") for name in columns} for row in rows], columns))
        expected = self.mmo("predict", "shop.mmo", "new.csv", "--scores", "--as", "jsonl")
        found = self.mmo("predict", "shop.mmo", "mixed.csv", "--scores", "--as", "jsonl")
        self.assertEqual(found.stdout, expected.stdout)
        self.assertIn("columns not used: 'extra', 'id'", found.stderr)

    def test_what_changed_is_named(self):
        self.train(200)
        rows = shop(50, 3)
        self.write("short.csv", as_csv([{k: v for k, v in row.items() if k != "price"} for row in rows]))
        self.refused(3, ["short.csv", "'price'"], "predict", "shop.mmo", "short.csv")
        rows[4]["price"] = "cheap"
        self.write("cheap.csv", as_csv(rows))
        self.refused(3, "cheap.csv:6: 'cheap' in column 'price'", "predict", "shop.mmo", "cheap.csv")

    def test_kinds_can_be_said(self):
        self.write("shop.csv", as_csv(shop(200, 1)))
        flags = ["--labels", "tags", "--text", "title,description", "--category", "brand,id", "--drop", "added"]
        columns = self.mmo("inspect", "shop.csv", *flags).stdout
        self.assertIn("id (category, 200 values)", columns)
        self.assertNotIn("added", columns)

    def test_other_files_keep_every_column(self):
        self.write("shop.csv", as_csv(shop(100, 1)))
        self.mmo("split", "shop.csv", "--labels", "tags")
        head = self.read("shop-train.csv").splitlines()[0]
        for name in ("id", "title", "description", "price", "brand", "added"):
            self.assertIn(name, head)


if __name__ == "__main__":
    unittest.main()
