"""More labels than scores of every row have room for: label trees from the command line."""

import json
import random
import unittest

from support import ProgramTest

LABELS = 3500


def rows(count, seed):
    """Label j shows word j mod 700 and word 700 + j div 700; svmlight with a header of rows, features and labels."""
    chance = random.Random(seed)
    lines = [f"{count} 710 {LABELS}"]
    for _ in range(count):
        own = sorted({min(int(chance.paretovariate(0.7)), LABELS) - 1 for _ in range(3)})
        words = {j % 700 for j in own} | {700 + j // 700 for j in own} | {chance.randrange(700)}
        lines.append(",".join(map(str, own)) + "".join(f" {k}:1" for k in sorted(words)))
    return "\n".join(lines) + "\n"


class ManyLabels(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("train.svm", rows(400, 1))
        self.write("test.svm", rows(100, 2))

    def train(self, *flags):
        return self.mmo("train", "train.svm", "--metric", "micro-f1", "--model", "m.mmo", "--effort", "quick", "--force",
                        "--set", "labels=tree", *flags)

    def test_the_choices_say_so_and_the_model_is_used_like_any_other(self):
        self.assertRegex(self.train().stdout, r"label trees +3, lists of 100 labels")
        values = self.mmo_json("evaluate", "m.mmo", "test.svm", "--at", "1,3")
        self.assertGreater(values["metrics"]["micro-f1"], 0.4)
        self.assertGreater(values["at"][0]["precision"], 0.6)
        lines = self.mmo("predict", "m.mmo", "test.svm", "--top-k", "4", "--as", "jsonl", "--scores").stdout.splitlines()
        best = [json.loads(line) for line in lines]
        self.assertEqual({len(row["labels"]) for row in best}, {4})
        self.assertTrue(all(0 < row["scores"][name] < 1 for row in best for name in row["labels"]))
        self.assertRegex(self.mmo("inspect", "m.mmo").stdout, r"label trees +3")

    def test_a_file_does_not_depend_on_the_threads(self):
        self.train("--threads", "1")
        one = (self.folder / "m.mmo").read_bytes()
        self.train("--threads", "3")
        self.assertEqual((self.folder / "m.mmo").read_bytes(), one)

    def test_no_row_gets_more_labels_than_allowed(self):
        self.train("--set", "max-labels=2")
        lines = self.mmo("predict", "m.mmo", "test.svm", "--as", "jsonl").stdout.splitlines()
        self.assertLessEqual(max(len(json.loads(line)["labels"]) for line in lines), 2)

    def test_what_needs_all_scores_is_refused(self):
        self.train()
        for flags in (["--set", "labels=tree", "--set", "stack=on"], ["--set", "labels=tree", "--method", "br"],
                      ["--set", "labels=tree", "--subject-to", "precision>=0.9"]):
            self.refused(2, "labels=tree", "train", "train.svm", "--metric", "micro-f1", "--model", "x.mmo", *flags)
        self.refused(4, "labels=all", "export", "m.mmo", "m.onnx")


if __name__ == "__main__":
    unittest.main()
