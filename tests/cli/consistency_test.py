"""What one command says must hold for the next: names of metrics, tuned thresholds, remembered columns."""

import json
import unittest

from support import LABELS, ProgramTest, toy_rows

QUICK = ["--effort", "quick", "--quiet"]


class TrainedFor(ProgramTest):
    def test_class_weights_make_another_metric(self):
        self.toy()
        self.write("classes.json", json.dumps({"*": {"positive": 5, "negative": 1}}))
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "samples-f1", "--class-weights", "classes.json", "--model", "m.mmo", *QUICK)
        text = self.mmo("evaluate", "m.mmo", "test.csv").stdout
        self.assertIn("samples-f1, class-weighted  <- trained for", text)
        self.assertEqual(text.count("<- trained for"), 1)
        values = self.mmo_json("evaluate", "m.mmo", "test.csv")["metrics"]
        self.assertNotEqual(values["samples-f1"], values["samples-f1, class-weighted"])

    def test_the_value_of_zero_by_zero_is_the_models(self):
        self.toy()
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "samples-f1", "--zero-division", "1", "--model", "m.mmo", *QUICK)
        own = self.mmo_json("evaluate", "m.mmo", "test.csv")
        self.assertEqual(own["zero_division"], "1")
        other = self.mmo_json("evaluate", "m.mmo", "test.csv", "--zero-division", "0")["metrics"]
        self.assertEqual(other["samples-f1, 0/0 = 1"], own["metrics"]["samples-f1"])


class TunedThresholds(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = toy_rows(300)
        self.scores = [[v - 1 for v in x[:3]] for x, _ in self.rows]
        self.truth = [y for _, y in self.rows]
        self.table("scores.csv", self.scores)
        self.table("labels.csv", self.truth)

    def table(self, name, rows, columns=tuple(LABELS)):
        return self.write(name, ",".join(columns) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def macro_f1(self, thresholds, scores):
        total = 0
        for j, name in enumerate(LABELS):
            said = [row[j] >= thresholds[name] for row in scores]
            hits = sum(s and y[j] for s, y in zip(said, self.truth))
            total += 2 * hits / (sum(said) + sum(y[j] for y in self.truth))
        return total / len(LABELS)

    def test_the_printed_thresholds_decide_as_the_rule_does(self):
        tied = [[round(v, 1) for v in row] for row in self.scores]
        chances = [[0.5 + v / 20 for v in row] for row in self.scores]
        for name, scores in (("plain", self.scores), ("tied", tied), ("chances", chances)):
            for rule in ("per-label", "global", "curves"):
                with self.subTest(scores=name, rule=rule):
                    self.table("s.csv", scores)
                    tuned = self.mmo_json("tune", "s.csv", "labels.csv", "--metric", "macro-f1", "--min-labels", "0", "--rule", rule)
                    self.assertAlmostEqual(self.macro_f1(tuned["thresholds"], scores), tuned["fitted"], 12)
                    text = self.mmo("tune", "s.csv", "labels.csv", "--metric", "macro-f1", "--min-labels", "0", "--rule", rule).stdout
                    shown = {line.split()[0]: float(line.split()[1]) for line in text.splitlines() if line.split()[0] in LABELS}
                    self.assertEqual(shown, tuned["thresholds"])

    def test_unknown_cells_and_weights_are_left_out(self):
        flags = ["--metric", "macro-f1", "--min-labels", "0", "--rule", "per-label"]
        half = self.mmo_json("tune", self.table("half.csv", self.scores[:200]), self.table("y.csv", self.truth[:200]), *flags)
        lies = self.truth[:200] + [[1 - v for v in y] for y in self.truth[200:]]
        self.write("w.txt", "1\n" * 200 + "0\n" * 100)
        column = self.table("w.csv", [y + [int(i < 200)] for i, y in enumerate(lies)], (*LABELS, "w"))
        unknown = self.table("u.csv", self.truth[:200] + [["?"] * 3] * 100)
        for labels, extra in ((self.table("lies.csv", lies), ["--weights", "w.txt"]), (column, ["--weights", "w"]), (unknown, ["--unknown-labels"])):
            with self.subTest(labels):
                tuned = self.mmo_json("tune", "scores.csv", labels, *flags, *extra)
                self.assertAlmostEqual(tuned["fitted"], half["fitted"], 12)
                self.assertAlmostEqual(tuned["untuned"], half["untuned"], 12)
        self.refused(3, "u.csv", "tune", "scores.csv", unknown, *flags)


class OwnColumns(ProgramTest):
    def test_weight_and_group_columns_are_no_features_of_later_files(self):
        self.toy()
        for name in ("train", "test"):
            head, *lines = self.read(f"{name}.csv").splitlines()
            self.write(f"{name}-wg.csv", "w,g," + head + "\n" + "".join(f"{1 + i % 2},{i // 2},{line}\n" for i, line in enumerate(lines)))
        self.mmo("train", "train-wg.csv", "--labels", "last:3", "--metric", "f1", "--weights", "w", "--groups", "g", "--model", "m.mmo", *QUICK)
        own = self.mmo_json("evaluate", "m.mmo", "test-wg.csv")["metrics"]
        self.assertEqual(own, self.mmo_json("evaluate", "m.mmo", "test.csv")["metrics"])
        self.assertEqual(self.mmo("predict", "m.mmo", "test-wg.csv").stdout, self.mmo("predict", "m.mmo", "test.csv").stdout)
        self.mmo("evaluate", "m.mmo", "test-wg.csv", "--weights", "w")

    def test_a_column_of_numbers_is_no_list_of_names(self):
        self.toy()
        self.refused(3, ["train.csv", "'f0'", "is it a feature?"], "train", "train.csv", "--labels", "f0", "--metric", "f1", "--model", "m.mmo")
        self.write("codes.csv", "a,code\n" + "".join(f"{i % 7},{i % 3}\n" for i in range(60)))
        run = self.mmo("inspect", "codes.csv", "--labels", "code")
        self.assertIn("holds integers", run.stderr)


class Ranges(ProgramTest):
    def test_values_out_of_range_and_unknown_labels_are_refused(self):
        self.toy_model()
        self.refused(2, "--top-k", "predict", "model.mmo", "test.csv", "--top-k", "0")
        self.refused(2, "nope", "inspect", "model.mmo", "--label", "nope")
        lines = self.mmo("predict", "model.mmo", "test.csv", "--json").stdout
        self.assertEqual(lines, self.mmo("predict", "model.mmo", "test.csv", "--as", "jsonl").stdout)


if __name__ == "__main__":
    unittest.main()
