"""`mmo inspect --as card`: Markdown that people read, headed by metadata that the Hugging Face Hub reads."""

import re
import unittest

from support import ProgramTest


class HubCardTest(ProgramTest):
    def test_metadata_and_values(self):
        self.toy_model()
        text = self.mmo("inspect", "model.mmo", "--as", "card").stdout
        _, head, body = text.split("---\n", 2)
        for line in ("library_name: mmo", "pipeline_tag: tabular-classification", "- multi-label-classification", '- name: "model"',
                     '    - type: "micro-f1"'):
            self.assertIn(line + "\n", head)
        held_out = self.mmo_json("inspect", "model.mmo")["history"]["out_of_fold"]["value"]
        self.assertAlmostEqual(float(re.search(r"value: (\S+)", head)[1]), held_out)
        self.assertIn("# model\n", body)
        self.assertIn(f"| held out | {held_out:.4f} (training rows, out of fold) |", body)
        self.assertIn("| trained on | 120 rows, 3 labels |", body)
        self.assertIn("red, green, blue", body)

    def test_names_are_not_taken_for_markdown(self):
        head, *rows = self.read_toy()
        self.write("odd.csv", "\n".join([head.replace("red", "<b>|_x_"), *rows]) + "\n")
        self.mmo("train", "odd.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "odd.mmo", "--effort", "quick")
        self.assertIn(r"\<b\>\|\_x\_, green", self.mmo("inspect", "odd.mmo", "--as", "card").stdout)

    def read_toy(self):
        self.toy()
        return self.read("train.csv").splitlines()

    def test_only_models_have_one(self):
        self.toy()
        self.refused(2, "is no model", "inspect", "train.csv", "--as", "card")
        self.refused(2, "text or card", "inspect", "train.csv", "--as", "html")


if __name__ == "__main__":
    unittest.main()
