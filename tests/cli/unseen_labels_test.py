"""Labels of a test file that training never saw: their positives are missed, and the values are scikit-learn's on
the full set of labels."""

import json
import unittest

from support import LABELS, ProgramTest, as_csv, as_svmlight, toy_documents, toy_rows

try:
    import numpy
    from sklearn import metrics as sklearn_metrics
except ImportError:
    numpy = None


class UnseenLabels(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("train.svm", as_svmlight(toy_rows()))
        # Labels 10 and 7 appear in the test file only, in six rows.
        self.rows = [(x, y + [int(i in (3, 8)), int(i in (3, 5, 9, 20, 33))])
                     for i, (x, y) in enumerate(toy_rows(60, seed=9))]
        self.names = ["0", "1", "2", "10", "7"]
        self.write("test.svm", "".join(self.line(x, y) for x, y in self.rows))
        self.mmo("train", "train.svm", "--metric", "macro-f1", "--model", "m.mmo", "--effort", "quick", "--quiet")

    def line(self, x, y):
        labels = ",".join(name for name, present in zip(self.names, y) if present)
        return " ".join([labels] + [f"{k + 1}:{v}" for k, v in enumerate(x)]).strip() + "\n"

    def test_they_count_as_missed_with_a_warning(self):
        run = self.mmo("evaluate", "m.mmo", "test.svm")
        self.assertIn("2 labels that the model was not trained on ('10', '7'), in 6 rows, count as missed", run.stderr)
        self.assertIn("--known-labels-only", run.stderr)
        self.assertIn("60 rows, 5 labels; 2 of them unseen in training, which macro averages include", run.stdout)
        values = self.mmo_json("evaluate", "m.mmo", "test.svm")
        self.assertEqual((values["labels"], values["unseen_labels"], values["unseen_rows"]), (5, ["10", "7"], 6))
        last = values["per_label"][-1]
        self.assertEqual((last["label"], last["support"], last["fn"], last["tp"]), ("7", 5, 5, 0))

    def test_known_labels_only_leaves_them_out(self):
        run = self.mmo("evaluate", "m.mmo", "test.svm", "--known-labels-only", "--json")
        self.assertEqual(run.stderr, "")
        self.write("known.svm", as_svmlight([(x, y[:3]) for x, y in self.rows]))
        known = self.mmo_json("evaluate", "m.mmo", "known.svm")
        self.assertEqual(json.loads(run.stdout)["metrics"], known["metrics"])

    @unittest.skipIf(numpy is None, "scikit-learn is not installed")
    def test_values_are_those_of_scikit_learn_on_all_labels(self):
        out = self.mmo("predict", "m.mmo", "test.svm", "--as", "indicator").stdout
        predicted = numpy.array([line.split(",") for line in out.splitlines()[1:]], dtype=int)
        predicted = numpy.hstack([predicted, numpy.zeros((60, 2), dtype=int)])
        truth = numpy.array([y for _, y in self.rows])
        values = self.mmo_json("evaluate", "m.mmo", "test.svm")["metrics"]
        for average in ("micro", "macro", "samples", "weighted"):
            for name in ("f1", "jaccard", "precision", "recall"):
                expected = getattr(sklearn_metrics, f"{name}_score")(truth, predicted, average=average, zero_division=0)
                self.assertAlmostEqual(values[f"{average}-{name}"], expected, 12, f"{average}-{name}")
        self.assertAlmostEqual(values["hamming-accuracy"], 1 - sklearn_metrics.hamming_loss(truth, predicted), 12)
        self.assertAlmostEqual(values["subset-accuracy"], sklearn_metrics.accuracy_score(truth, predicted), 12)

    def test_a_metric_with_a_ratio_per_label_is_that_of_the_known_labels(self):
        self.write("classes.json", json.dumps({"0": {"positive": 3, "negative": 1}}))
        self.mmo("train", "train.svm", "--metric", "macro-f1", "--class-weights", "classes.json", "--model", "w.mmo",
                 "--effort", "quick", "--quiet")
        values = self.mmo_json("evaluate", "w.mmo", "test.svm")["metrics"]
        name = "macro-f1, class-weighted, over the model's 3 labels"
        self.assertIn(name, values)
        self.write("known.svm", as_svmlight([(x, y[:3]) for x, y in self.rows]))
        self.assertEqual(values[name], self.mmo_json("evaluate", "w.mmo", "known.svm")["metrics"]["macro-f1, class-weighted"])

    def test_a_file_of_other_labels_altogether_is_refused(self):
        self.write("other.svm", "".join(f"{i % 3 + 40} 1:1 2:{i} 6:1\n" for i in range(9)))
        self.refused(3, ["other.svm", "not one of the model's labels"], "evaluate", "m.mmo", "other.svm")

    def test_compare_counts_them_too(self):
        run = self.mmo("compare", "train.svm", "test.svm", "--methods", "br", "--metrics", "macro-f1", "--runs", "1",
                       "--effort", "quick", "--json")
        self.assertIn("'7'", run.stderr)

    def test_every_format_keeps_them(self):
        names = LABELS + ["pink"]
        rows = [(x, y + [int(i < 4)]) for i, (x, y) in enumerate(toy_rows(60, seed=9))]
        self.write("train.csv", as_csv(toy_rows()))
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "macro-f1", "--model", "csv.mmo", "--effort",
                 "quick", "--quiet")
        self.write("test.csv", as_csv(rows).replace(",blue", ",blue,pink", 1))
        self.mmo("convert", "test.csv", "test.arff", "--labels", "last:4")
        self.mmo("convert", "test.csv", "test.npz", "--labels", "last:4")
        for name, flags in (("test.csv", ["--labels", "last:4"]), ("test.arff", []), ("test.npz", [])):
            with self.subTest(name):
                values = self.mmo_json("evaluate", "csv.mmo", name, *flags)
                self.assertEqual([row["label"] for row in values["per_label"]], names)
                self.assertEqual(values["unseen_rows"], 4)
        self.write("text.txt", "".join(" ".join(f"__label__{t}" for t in topics) + " " + text + "\n"
                                       for text, topics in toy_documents() if topics))
        self.mmo("train", "text.txt", "--metric", "f1", "--model", "text.mmo", "--effort", "quick", "--quiet")
        self.write("new.txt", "__label__food __label__art bread and wine\n__label__sport goal match\n")
        self.assertEqual(self.mmo_json("evaluate", "text.mmo", "new.txt")["unseen_labels"], ["art"])


if __name__ == "__main__":
    unittest.main()
