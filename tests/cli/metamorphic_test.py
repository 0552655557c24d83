"""What must not change what is predicted: the order and company of rows, the file's format, the number of threads, the
unit of a column; and metrics that scikit-learn computes too (MMO_CASES=10000: of so many random cases)."""

import itertools
import json
import os
import random
import unittest
import warnings

from support import FEATURES, LABELS, ProgramTest, as_arff, as_csv, as_xml, toy_rows

CASES = int(os.environ.get("MMO_CASES", "1000"))
TRAIN = ("--metric", "macro-f1", "--folds", "3", "--quiet")
NAMES = ("--labels", ",".join(LABELS))


class SamePredictions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train, self.test = toy_rows(150), toy_rows(60, seed=9)

    def scores(self, train, test, *flags, names=NAMES):
        """Probabilities of test rows by a model of train, as text."""
        self.mmo("train", train, *names, *TRAIN, *flags, "--model", "m.mmo", "--force")
        return self.mmo("predict", "m.mmo", test, "--as", "indicator", "--scores").stdout

    def toy_scores(self, *flags):
        self.toy()
        self.write("train.csv", as_csv(self.train))
        self.write("test.csv", as_csv(self.test))
        return self.scores("train.csv", "test.csv", *flags)

    def test_threads(self):
        one = self.toy_scores("--threads", "1")
        model = (self.folder / "m.mmo").read_bytes()
        self.assertEqual(self.toy_scores("--threads", "5"), one)
        self.assertEqual((self.folder / "m.mmo").read_bytes(), model)

    def test_formats(self):
        expected = self.toy_scores()
        self.write("train.arff", as_arff(self.train))
        self.write("train.xml", as_xml())
        self.write("test.arff", as_arff(self.test))
        self.write("test.xml", as_xml())
        self.assertEqual(self.scores("train.arff", "test.arff", names=()), expected)
        for ending in ("tsv", "csv.gz", "csv.zst", "npz"):
            with self.subTest(ending):
                for part in ("train", "test"):
                    self.mmo("convert", f"{part}.csv", f"{part}.{ending}", *NAMES, "--force")
                names = () if ending == "npz" else NAMES
                self.assertEqual(self.scores(f"train.{ending}", f"test.{ending}", names=names), expected)

    def test_units_that_are_powers_of_two(self):
        """Every map, kernel and boosted tree takes them out, to the last bit. (A forest draws by the content of its rows.)"""
        learners = ("--set", "learners=linear,kernel,boosted")
        expected = self.toy_scores(*learners)
        units = [2.0 ** (5 * k - 12) for k in range(FEATURES)]
        for name, rows in (("train", self.train), ("test", self.test)):
            self.write(f"{name}.csv", as_csv([([v * u for v, u in zip(x, units)], y) for x, y in rows]))
        self.assertEqual(self.scores("train.csv", "test.csv", *learners), expected)

    def test_company_and_order_of_rows(self):
        heading, *lines = self.toy_scores().splitlines()
        order = list(range(len(self.test)))
        random.Random(5).shuffle(order)
        self.write("shuffled.csv", as_csv([self.test[i] for i in order]))
        found = self.mmo("predict", "m.mmo", "shuffled.csv", "--as", "indicator", "--scores").stdout
        self.assertEqual(found.splitlines(), [heading] + [lines[i] for i in order])
        for i in (0, 17):
            self.write("single.csv", as_csv([self.test[i]]))
            alone = self.mmo("predict", "m.mmo", "single.csv", "--as", "indicator", "--scores").stdout
            self.assertEqual(alone.splitlines(), [heading, lines[i]])


class ScikitLearn(ProgramTest):
    METRICS = {"f1": ("fbeta_score", {"beta": 1}), "f2": ("fbeta_score", {"beta": 2}), "jaccard": ("jaccard_score", {}),
               "precision": ("precision_score", {}), "recall": ("recall_score", {})}
    AVERAGES = ("micro", "macro", "samples", "weighted")

    def test_random_cases(self):
        import numpy as np
        import sklearn.metrics

        rng = np.random.default_rng(0)
        kinds = list(itertools.product(self.AVERAGES, self.METRICS))
        names = ",".join(f"{average}-{name}" for average, name in kinds)
        cases = 0
        while cases < CASES:
            rows, labels = int(rng.integers(1, 30)), int(rng.integers(2, 9))
            shares = rng.random(labels) * rng.choice([0.1, 0.5, 1])
            truth, predicted = (np.asarray(rng.random((rows, labels)) < shares, dtype=int) for _ in range(2))
            heading = ",".join(f"l{j}" for j in range(labels))
            for name, matrix, more in (("truth", truth, True), ("predicted", predicted, False)):
                lines = [heading + (",x" if more else "")] + [",".join(map(str, row)) + (",1" if more else "") for row in matrix]
                self.write(f"{name}.csv", "\n".join(lines) + "\n")
            for zero in (0, 1):
                found = self.mmo_json("evaluate", "--predictions", "predicted.csv", "truth.csv", "--labels", heading, "--as", "indicator",
                                      "--metric", names, "--zero-division", zero)["metrics"]
                for average, name in kinds:
                    function, more = self.METRICS[name]
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        expected = getattr(sklearn.metrics, function)(truth, predicted, average=average, zero_division=zero, **more)
                    value = found[f"{average}-{name}"]
                    value = value["value"] if isinstance(value, dict) else value
                    self.assertAlmostEqual(value, expected, 12, json.dumps([average, name, zero, truth.tolist(), predicted.tolist()]))
                    cases += 1
        print(f"{cases} values as scikit-learn's")


if __name__ == "__main__":
    unittest.main()
