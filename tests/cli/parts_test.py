"""One set in several files, and the binary form that is read without parsing: the same models, the same errors."""

import unittest

from support import ProgramTest, as_svmlight, toy_rows


class Parts(ProgramTest):
    def setUp(self):
        super().setUp()
        rows = toy_rows(120)
        self.write("all.svm", as_svmlight(rows))
        self.write("parts/1.svm", as_svmlight(rows[:50]))
        self.write("parts/2.svm", as_svmlight(rows[50:]))

    def probabilities(self, data, *arguments):
        self.mmo("train", data, "--metric", "micro-f1", "--effort", "quick", "--model", "m.mmo", "--force", *arguments)
        return self.mmo("predict", "m.mmo", "all.svm", "--scores", "--as", "jsonl").stdout

    def test_a_folder_and_a_pattern_train_as_the_whole(self):
        whole = self.probabilities("all.svm")
        self.assertEqual(self.probabilities("parts"), whole)
        self.assertEqual(self.probabilities("parts/*.svm"), whole)
        self.assertEqual(self.mmo("predict", "m.mmo", "parts", "--scores", "--as", "jsonl").stdout, whole)
        self.assertIn("micro-f1", self.mmo("evaluate", "m.mmo", "parts").stdout)

    def test_the_binary_form_trains_as_the_text(self):
        self.mmo("convert", "parts", "all.bin", "--to", "binary")
        self.assertEqual(self.probabilities("all.bin"), self.probabilities("all.svm"))

    def test_a_binary_file_that_is_cut_short_is_named(self):
        self.mmo("convert", "all.svm", "all.npz")
        whole = (self.folder / "all.npz").read_bytes()
        for size in range(4, len(whole), 397):
            self.write("cut.npz", whole[:size])
            error = self.mmo("inspect", "cut.npz", code=3).stderr
            self.assertIn("cut.npz", error)


if __name__ == "__main__":
    unittest.main()
