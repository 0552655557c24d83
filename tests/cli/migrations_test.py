"""The scores of other programs, as these print them, tuned, kept as a rule and applied (docs/migrations.md)."""

import json
import random
import unittest

from support import LABELS, ProgramTest


def scored_rows(count=300, seed=5):
    """(probabilities, labels): a label is there more often than its probability says."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        scores = [round(rng.random() ** 3, 4) for _ in LABELS]
        rows.append((scores, [int(rng.random() < min(1, 2 * s)) for s in scores]))
    return rows


def as_table(rows, part):
    return "\n".join([",".join(LABELS)] + [",".join(map(str, row[part])) for row in rows]) + "\n"


class MigrationTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = scored_rows()
        self.write("scores.csv", as_table(self.rows, 0))
        self.write("labels.csv", as_table(self.rows, 1))
        self.expected = self.tune("scores.csv")

    def tune(self, scores, labels="labels.csv", *more):
        return self.mmo_json("tune", scores, labels, "--metric", "macro-f1", *more)

    def check(self, scores, labels="labels.csv", names=LABELS):
        found = self.tune(scores, labels)
        self.assertGreater(found["cross_fitted"], found["untuned"] + 0.02)
        self.assertAlmostEqual(found["cross_fitted"], self.expected["cross_fitted"], 6)
        self.assertEqual(sorted(found["thresholds"].values()), sorted(self.expected["thresholds"].values()))
        self.assertEqual(sorted(found["thresholds"]), sorted(names))

    def test_fasttext_predict_prob(self):
        lines = []
        for scores, _ in self.rows:
            best = sorted(range(len(LABELS)), key=lambda j: -scores[j])
            lines.append(" ".join(f"__label__{LABELS[j]} {scores[j]}" for j in best))
        self.write("out.txt", "\n".join(lines) + "\n")
        self.check("out.txt")

    def test_napkinxc_and_libmultilabel(self):
        self.write("named.txt", "".join(" ".join(f"{n}:{s}" for n, s in zip(LABELS, scores)) + "\n" for scores, _ in self.rows))
        self.check("named.txt")
        numbered = "".join(" ".join(f"{j}:{s}" for j, s in enumerate(scores)) + "\n" for scores, _ in self.rows)
        self.write("numbered.txt", numbered)
        truth = "".join(",".join(str(j) for j, there in enumerate(y) if there) + " 1:1\n" for _, y in self.rows)
        self.write("truth.svm", truth)
        self.check("numbered.txt", "truth.svm", ["0", "1", "2"])

    def test_labels_that_are_not_listed_are_below_all_others(self):
        top = [[(n, s) for n, s in zip(LABELS, scores) if s > 0.05] for scores, _ in self.rows]
        self.assertTrue(any(not row for row in top))
        self.write("top.txt", "".join(" ".join(f"{n}:{s}" for n, s in row) + "\n" for row in top))
        self.write("zeros.csv", as_table([[[s if s > 0.05 else 0 for s in scores]] for scores, _ in self.rows], 0))
        self.assertEqual(self.tune("top.txt")["thresholds"], self.tune("zeros.csv")["thresholds"])
        self.write("two.txt", "".join(" ".join(f"{n}:{s}" for n, s in zip(LABELS[:2], scores)) + "\n" for scores, _ in self.rows))
        self.assertEqual(sorted(self.tune("two.txt")["thresholds"]), sorted(LABELS))

    def test_liblinear_with_probabilities(self):
        self.write("many.out", "labels 0 1 2\n" + "".join(f"{max(range(3), key=lambda j: s[j])} {' '.join(map(str, s))}\n" for s, _ in self.rows))
        self.write("truth.svm", "".join(",".join(str(j) for j, there in enumerate(y) if there) + " 1:1\n" for _, y in self.rows))
        self.check("many.out", "truth.svm", ["0", "1", "2"])
        for j, name in enumerate(LABELS):
            self.write(f"{name}.out", "labels 1 -1\n" + "".join(f"{1 if s[j] > 0.5 else -1} {s[j]} {round(1 - s[j], 4)}\n" for s, _ in self.rows))
        self.check(",".join(f"{name}.out" for name in LABELS))
        self.refused(3, ["many.out:1", "1 and -1"], "tune", "red.out,many.out", "labels.csv", "--metric", "f1")

    def test_a_list_of_arrays_of_scikit_learn(self):
        import numpy as np

        p = np.array([scores for scores, _ in self.rows]).T
        np.save(self.folder / "list.npy", np.stack([1 - p, p], axis=2))
        np.save(self.folder / "fortran.npy", np.asfortranarray(np.stack([1 - p, p], axis=2)))
        np.save(self.folder / "y.npy", np.array([y for _, y in self.rows]))
        for name in ("list.npy", "fortran.npy"):
            self.check(name, "y.npy", ["0", "1", "2"])

    def test_faults_name_the_line(self):
        for text, fragments in {
            "red:0.5\nred\n": ["bad.txt:2", "label:score", "'red'"],
            "red:0.5\nred:high\n": ["bad.txt:2", "'high' is not a score"],
            "red:0.5 red:0.6\n": ["bad.txt:1", "two scores"],
            "__label__red 0.5 __label__blue\n": ["bad.txt:1", "no score"],
            "labels 0 1\n0 0.5\n": ["bad.txt:2", "-b 1"],
        }.items():
            self.write("bad.txt", text)
            self.refused(3, fragments, "tune", "bad.txt", "labels.csv", "--metric", "f1")

    def test_a_rule_is_kept_and_applied(self):
        self.write("new.csv", as_table(scored_rows(100, 6), 0))
        for metric in ("macro-f1", "micro-f1", "samples-f1"):
            self.mmo("tune", "scores.csv", "labels.csv", "--metric", metric, "--apply", "new.csv", "--out", "direct.txt", "--force")
            self.mmo("tune", "scores.csv", "labels.csv", "--metric", metric, "--out", "rule.json", "--force")
            self.assertEqual(self.mmo("predict", "rule.json", "new.csv").stdout, self.read("direct.txt"), metric)
        rows = [json.loads(line) for line in self.mmo("predict", "rule.json", "new.csv", "--as", "jsonl", "--scores").stdout.splitlines()]
        self.assertEqual(len(rows), 100)
        self.mmo("predict", "rule.json", "scores.csv", "--out", "made.txt")
        value = self.mmo_json("evaluate", "--predictions", "made.txt", "labels.csv", "--metric", "samples-f1")["metrics"]["samples-f1"]
        self.assertAlmostEqual(value, self.mmo_json("tune", "scores.csv", "labels.csv", "--metric", "samples-f1")["fitted"], 12)

    def test_no_row_gets_more_labels_than_asked_for(self):
        for metric in ("macro-f1", "samples-f1"):
            self.mmo("tune", "scores.csv", "labels.csv", "--metric", metric, "--at-most", "1", "--out", "rule.json", "--force")
            found = self.mmo("predict", "rule.json", "scores.csv").stdout.splitlines()
            self.assertEqual(max(len(line.split("\t")) if line else 0 for line in found), 1)

    def test_a_rule_reads_lists_of_some_labels(self):
        self.mmo("tune", "scores.csv", "labels.csv", "--metric", "macro-f1", "--out", "rule.json")
        self.write("list.txt", "green:0.9\n\nblue:0.8 red:0.7\n")
        self.write("table.csv", "red,green,blue\n0,0.9,0\n0,0,0\n0.7,0,0.8\n")
        self.assertEqual(self.mmo("predict", "rule.json", "list.txt").stdout, self.mmo("predict", "rule.json", "table.csv").stdout)

    def test_scores_of_other_labels_and_broken_rules_are_refused(self):
        self.mmo("tune", "scores.csv", "labels.csv", "--metric", "macro-f1", "--out", "rule.json")
        self.write("other.csv", "red,green,black\n0.1,0.2,0.3\n0.1,0.2,0.3\n")
        self.refused(3, ["other.csv", "'black'"], "predict", "rule.json", "other.csv")
        self.write("list.txt", "black:0.9\n")
        self.refused(3, ["list.txt", "'black'"], "predict", "rule.json", "list.txt")
        self.refused(2, "rule for scores", "predict", "rule.json", "scores.csv", "--top-k", "2")
        text = self.read("rule.json")
        for broken in (text.replace('"macro-f1"', "3"), text[:-20], text.replace('"mmo_rule": 1', '"mmo_rule": 9'), text.replace('"green"', '"gren"', 1)):
            self.write("broken.json", broken)
            self.refused(4, ["broken.json", "mmo tune"], "predict", "broken.json", "scores.csv")


if __name__ == "__main__":
    unittest.main()
