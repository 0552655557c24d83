"""`mmo evaluate --at`: the values are those of the lists that `mmo predict --top-k` writes."""

import json
import math
import unittest

from support import LABELS, ProgramTest, as_csv, as_svmlight, toy_rows


class Ranking(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train, self.test = toy_rows(200), toy_rows(60, seed=9)
        self.write("train.csv", as_csv(self.train))
        self.write("test.csv", as_csv(self.test))
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "m.mmo", "--effort",
                 "quick", "--quiet")

    def ranked(self, k):
        lines = self.mmo("predict", "m.mmo", "test.csv", "--top-k", str(k), "--as", "jsonl", "--scores").stdout.splitlines()
        self.assertEqual(len(lines), 60)
        return lines

    def test_values_follow_from_the_lists_of_predict(self):
        entry = self.mmo_json("evaluate", "m.mmo", "test.csv", "--at", "1,2,7", "--propensities-from", "train.csv")["at"]
        self.assertEqual([e["k"] for e in entry], [1, 2, 7])
        best = [json.loads(line)["labels"][0] for line in self.ranked(1)]
        truth = [{name for name, y in zip(LABELS, row[1]) if y} for row in self.test]
        right = [name in names for name, names in zip(best, truth)]
        self.assertAlmostEqual(entry[0]["precision"], sum(right) / 60, 12)
        self.assertAlmostEqual(entry[0]["ndcg"], sum(right) / 60, 12)
        self.assertAlmostEqual(entry[0]["recall"], sum(hit / len(names) for hit, names in zip(right, truth) if names) / 60, 12)
        self.assertAlmostEqual(entry[2]["recall"], sum(bool(names) for names in truth) / 60, 12)
        self.assertAlmostEqual(entry[2]["psprecision"], 1, 12)

        inverse = {}
        for j, name in enumerate(LABELS):
            count = sum(y[j] for _, y in self.train)
            inverse[name] = 1 + (math.log(200) - 1) * 2.5 ** 0.55 * math.exp(-0.55 * math.log(count + 1.5))
        gained = sum(inverse[name] for name, hit in zip(best, right) if hit)
        possible = sum(max(inverse[name] for name in names) for names in truth if names)
        self.assertAlmostEqual(entry[0]["psprecision"], gained / possible, 12)
        self.assertAlmostEqual(entry[0]["psndcg"], gained / possible, 12)

    def test_the_other_values_stay(self):
        plain = self.mmo_json("evaluate", "m.mmo", "test.csv")
        ranked = self.mmo_json("evaluate", "m.mmo", "test.csv", "--at", "2")
        self.assertEqual({"k", "precision", "recall", "ndcg", "coverage"}, set(ranked.pop("at")[0]))
        self.assertEqual(ranked, plain)
        self.mmo("evaluate", "m.mmo", "test.csv", "--at", "2", "--report", "r.json", "--json")

    def test_the_table_says_what_is_missing(self):
        text = self.mmo("evaluate", "m.mmo", "test.csv", "--at", "1,3").stdout
        self.assertRegex(text, r"best k labels +precision +recall +nDCG +coverage\n")
        self.assertIn("need --propensities-from", text)
        text = self.mmo("evaluate", "m.mmo", "test.csv", "--at", "1,3", "--propensities-from", "train.csv").stdout
        self.assertRegex(text, r"coverage +psprecision +psnDCG\n")
        self.assertNotIn("--propensities-from", text)

    def test_labels_that_training_never_saw_are_missed(self):
        self.write("train.svm", as_svmlight(self.train))
        labelled = [row for row in self.test if any(row[1])]
        self.write("wider.svm", "".join("9," + line + "\n" for line in as_svmlight(labelled).splitlines()))
        self.mmo("train", "train.svm", "--metric", "micro-f1", "--model", "s.mmo", "--effort", "quick", "--quiet")
        entry = self.mmo_json("evaluate", "s.mmo", "wider.svm", "--at", "9", "--propensities-from", "train.svm")["at"][0]
        self.assertEqual(entry["coverage"], 0.75)
        self.assertLess(entry["recall"], 1)
        self.assertLess(entry["psprecision"], 1)

    def test_unknown_cells_are_left_out(self):
        """Where the best label of every row is unknown, the second best takes its place."""
        both = [json.loads(line)["labels"] for line in self.ranked(2)]
        rows = [(x, ["?" if name == best[0] else int(name == best[1]) for name in LABELS]) for (x, _), best in zip(self.test, both)]
        self.write("holes.csv", as_csv(rows))
        entry = self.mmo_json("evaluate", "m.mmo", "holes.csv", "--unknown-labels", "--at", "1,2")["at"]
        self.assertEqual([e["precision"] for e in entry], [1, 0.5])

    def test_faults(self):
        for wrong in ("0", "1,x", "-1", "1,,2", "99999999999999999999999"):
            self.refused(2, ["--at", "whole number"], "evaluate", "m.mmo", "test.csv", f"--at={wrong}")
        self.refused(2, "add --at", "evaluate", "m.mmo", "test.csv", "--propensities-from", "train.csv")
        self.refused(2, "scores of a model", "evaluate", "--predictions", "p.txt", "test.csv", "--at", "1")
        self.refused(5, "none.csv", "evaluate", "m.mmo", "test.csv", "--at", "1", "--propensities-from", "none.csv")


if __name__ == "__main__":
    unittest.main()
