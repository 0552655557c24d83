"""`mmo predict`: ids beside predictions, and rows that are answered one by one."""

import json
import subprocess
import time
import unittest

from support import BINARY, ProgramTest, as_csv, as_svmlight, toy_documents, toy_rows


def with_ids(csv):
    head, *rows = csv.splitlines()
    return "\n".join([head + ",key"] + [f"{row},row {k}" for k, row in enumerate(rows)]) + "\n"


class IdTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy_model()
        self.write("keyed.csv", with_ids(as_csv(toy_rows(60, seed=9))))

    def test_every_form_carries_the_ids(self):
        def predict(form):
            return self.mmo("predict", "model.mmo", "keyed.csv", "--id", "key", "--as", form).stdout.splitlines()

        plain = self.mmo("predict", "model.mmo", "test.csv").stdout.splitlines()
        self.assertEqual(predict("names"), ["\t".join([f"row {k}"] + ([line] if line else [])) for k, line in enumerate(plain)])
        self.assertEqual(predict("indicator")[0], "key,red,green,blue")
        self.assertTrue(predict("indicator")[8].startswith("row 7,"))
        self.assertEqual(json.loads(predict("jsonl")[7])["id"], "row 7")
        self.assertTrue(predict("svmlight")[7].endswith(" # row 7"))

    def test_predictions_with_ids_are_read_back(self):
        expected = self.mmo_json("evaluate", "model.mmo", "test.csv")["metrics"]
        for form in ("names", "indicator", "jsonl", "svmlight"):
            self.mmo("predict", "model.mmo", "keyed.csv", "--id", "key", "--as", form, "--out", "made.txt", "--force")
            found = self.mmo_json("evaluate", "--predictions", "made.txt", "keyed.csv", "--labels", "red,green,blue", "--id", "key")["metrics"]
            self.assertEqual(found["micro-f1"], expected["micro-f1"], form)

    def test_predictions_of_other_rows_are_refused(self):
        lines = self.mmo("predict", "model.mmo", "keyed.csv", "--id", "key").stdout.splitlines()
        self.write("made.txt", "\n".join([lines[1], lines[0], *lines[2:]]) + "\n")
        self.refused(3, ["made.txt:1", "'row 1'", "'row 0'"], "evaluate", "--predictions", "made.txt", "keyed.csv",
                     "--labels", "red,green,blue", "--id", "key")

    def test_a_file_without_columns_has_no_id(self):
        self.write("test.svm", as_svmlight(toy_rows(20)))
        self.refused(2, ["--id key", "svmlight"], "predict", "model.mmo", "test.svm", "--id", "key")
        self.refused(3, "no column is called 'nokey'", "predict", "model.mmo", "keyed.csv", "--id", "nokey")


class StreamTest(ProgramTest):
    def start(self, *arguments):
        run = subprocess.Popen([BINARY, "predict", *arguments, "-", "--stream"], cwd=self.folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.stdin.close)
        return run

    @staticmethod
    def ask(run, line):
        run.stdin.write(line + "\n")
        run.stdin.flush()
        return run.stdout.readline().rstrip("\n")

    def test_each_row_is_answered_before_the_next_is_sent(self):
        self.toy_model()
        expected = self.mmo("predict", "model.mmo", "test.csv", "--as", "jsonl", "--scores").stdout.splitlines()
        head, *rows = self.read("test.csv").splitlines()
        run = self.start("model.mmo", "--as", "jsonl", "--scores")
        run.stdin.write(head + "\n")
        started = time.monotonic()
        self.assertEqual([self.ask(run, row) for row in rows], expected)
        print(f"\n[stream] {(time.monotonic() - started) / len(rows) * 1e3:.2f} ms per row")
        run.stdin.close()
        self.assertEqual(run.wait(), 0)

    def test_json_lines_svmlight_and_text(self):
        self.toy_model()
        rows = toy_rows(20, seed=9)
        self.write("few.csv", as_csv(rows))
        expected = self.mmo("predict", "model.mmo", "few.csv").stdout.splitlines()
        run = self.start("model.mmo")
        self.assertEqual([self.ask(run, json.dumps({f"f{k}": v for k, v in enumerate(x)})) for x, _ in rows], expected)
        self.write("train.svm", as_svmlight(toy_rows()))
        self.mmo("train", "train.svm", "--metric", "micro-f1", "--model", "svm.mmo", "--effort", "quick")
        self.write("few.svm", as_svmlight(rows))
        expected = self.mmo("predict", "svm.mmo", "few.svm").stdout.splitlines()
        run = self.start("svm.mmo")
        self.assertEqual([self.ask(run, line) for line in self.read("few.svm").splitlines()], expected)

    def test_text_is_a_document_per_line(self):
        documents = toy_documents()
        self.write("news.ft", "".join(" ".join([f"__label__{t}" for t in ts] + [text]) + "\n" for text, ts in documents))
        self.mmo("train", "news.ft", "--metric", "micro-f1", "--model", "news.mmo", "--effort", "quick")
        self.write("new.txt", "".join(text + "\n" for text, _ in documents[:20]))
        expected = self.mmo("predict", "news.mmo", "new.txt").stdout.splitlines()
        run = self.start("news.mmo")
        self.assertEqual([self.ask(run, text) for text, _ in documents[:20]], expected)

    def test_a_quoted_cell_may_hold_a_line_end(self):
        self.toy_model()
        run = self.start("model.mmo", "--id", "note")
        run.stdin.write("note," + self.read("test.csv").splitlines()[0] + "\n")
        row = self.read("test.csv").splitlines()[1]
        run.stdin.write('"two\n')
        self.assertTrue(self.ask(run, 'lines",' + row).startswith("two\\nlines"))

    def test_a_bad_row_ends_the_stream_or_is_answered_as_json(self):
        self.toy_model()
        head, first, second, *_ = self.read("test.csv").splitlines()
        text = "\n".join([head, first, "1,2", second]) + "\n"
        run = self.mmo("predict", "model.mmo", "-", "--stream", stdin=text, code=3)
        self.assertEqual(len(run.stdout.splitlines()), 1)
        self.assertIn("standard input:3: 2 cells in this row", run.stderr)
        run = self.mmo("predict", "model.mmo", "-", "--stream", "--json", stdin=text)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(len(answers), 3)
        self.assertIn("standard input:3", answers[1]["error"])
        self.assertIn("labels", answers[2])


if __name__ == "__main__":
    unittest.main()
