"""Reports as JSON and as a page, from the program's side; the page itself is tested in tests/web."""

import json
import subprocess
import unittest

from support import BINARY, ProgramTest, as_csv, toy_rows

LABELS = ("--labels", "last:3")


class Report(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy_model()

    def report(self, *arguments):
        self.mmo(*arguments, "--report", "r.json", "--force", "--quiet")
        return json.loads(self.read("r.json"))

    def test_holds_what_evaluate_says(self):
        metrics = self.mmo_json("evaluate", "model.mmo", "test.csv", *LABELS)
        report = self.report("evaluate", "model.mmo", "test.csv", *LABELS)
        self.assertEqual((report["format"], report["schema"]), ("mmo-report", 1))
        self.assertEqual(report["headline"]["value"], metrics["metrics"]["micro-f1"])
        self.assertEqual({m["name"]: m["value"] for m in report["metrics"]}, metrics["metrics"])
        for column in ("tp", "fp", "fn", "tn"):
            self.assertEqual(report["labels"][column], [label[column] for label in metrics["per_label"]])
        self.assertEqual(len(report["headline"]["baselines"]), 3)
        self.assertIn("mmo evaluate model.mmo test.csv", report["command"])
        for curve in report["labels"]["curves"]:
            self.assertEqual(curve[0::3], sorted(curve[0::3], reverse=True))
            self.assertTrue(all(step >= 0 for k, step in enumerate(curve) if k % 3 > 0))

    def test_is_the_same_for_every_number_of_threads(self):
        one = self.report("evaluate", "model.mmo", "test.csv", *LABELS, "--threads", "1")
        many = self.report("evaluate", "model.mmo", "test.csv", *LABELS, "--threads", "3")
        one.pop("command"), many.pop("command")
        self.assertEqual(one, many)

    def test_holds_no_row_unless_asked(self):
        self.write("secret.csv", "text,topic\n" + "".join(f"secretword{i} apple pear,{'a' if i % 2 else 'b'}\n" for i in range(60)))
        text = ("--text-column", "text", "--labels", "topic")
        self.mmo("train", "secret.csv", *text, "--metric", "micro-f1", "--model", "text.mmo", "--effort", "quick", "--quiet", "--set", "text.min-df=2")
        self.mmo("evaluate", "text.mmo", "secret.csv", *text, "--report", "plain.json")
        self.assertNotIn("secretword", self.read("plain.json"))
        self.mmo("evaluate", "text.mmo", "secret.csv", *text, "--report", "shown.json", "--examples", "4")
        shown = json.loads(self.read("shown.json"))["rows"]
        self.assertEqual(len(shown["examples"]), min(4, len(shown["worst"])))
        for example in shown["examples"]:
            self.assertIn(f"secretword{example['row'] - 1} ", example["content"])

    def test_of_a_training_shows_held_out_rows(self):
        self.mmo("train", "train.csv", *LABELS, "--metric", "macro-f1", "--model", "t.mmo", "--report", "t.json", "--quiet")
        report = json.loads(self.read("t.json"))
        held = self.mmo_json("inspect", "t.mmo")["history"]["out_of_fold"]
        self.assertEqual(report["headline"]["value"], held["value"])
        self.assertEqual(report["rows"]["count"], held["rows"])
        self.assertIn("search", report)
        self.assertTrue(any("fitted on these very scores" in w for w in report["warnings"]))

    def test_of_a_validation_file(self):
        self.mmo("train", "train.csv", *LABELS, "--metric", "micro-f1", "--valid", "test.csv", "--model", "v.mmo", "--report", "v.json", "--quiet")
        report = json.loads(self.read("v.json"))
        self.assertEqual(report["rows"]["count"], 60)
        self.assertEqual(report["source"], "test.csv")
        self.assertEqual(report["headline"]["value"], self.mmo_json("inspect", "v.mmo")["history"]["out_of_fold"]["value"])

    def test_of_predictions_says_what_is_missing(self):
        self.mmo("predict", "model.mmo", "test.csv", "--out", "p.txt")
        report = self.report("evaluate", "--predictions", "p.txt", "test.csv", *LABELS)
        self.assertNotIn("curves", report["labels"])
        self.assertTrue(any("Scores were not recorded" in text for text in report["missing"]))

    def test_of_a_comparison(self):
        self.mmo("compare", "train.csv", "test.csv", *LABELS, "--methods", "br,auto[stack=off]", "--metrics", "micro-f1,macro-f1",
                 "--runs", "2", "--effort", "quick", "--quiet", "--report", "c.json", code=2)  # two runs are no single JSON
        self.mmo("compare", "train.csv", "test.csv", *LABELS, "--methods", "br", "--metrics", "micro-f1", "--runs", "2", "--effort", "quick",
                 "--quiet", "--report", "c.json")
        report = json.loads(self.read("c.json"))
        self.assertEqual(report["name"], "br")
        self.assertEqual(report["headline"]["value"], report["comparison"]["results"][0]["values"][0])

    def test_files_that_are_no_report(self):
        report = self.report("evaluate", "model.mmo", "test.csv", *LABELS)
        whole = json.dumps(report)

        def changed(**entries):
            return json.dumps({**report, **entries})

        labels = report["labels"]
        cases = {
            "cut.json": (whole[: len(whole) // 2], "cut short"),
            "other.json": ('{"accuracy": 0.9}', "not a report of mmo"),
            "list.json": ("[1, 2]", "not a report of mmo"),
            "newer.json": (changed(schema=99, version="9.0.0"), "newer mmo (9.0.0, schema 99)"),
            "odd.json": (changed(schema="one"), "schema"),
            "nameless.json": (changed(metric=3), "which metric"),
            "short.json": (changed(labels={**labels, "tp": labels["tp"][:-1]}), "'tp' does not have one entry for each of 3 labels"),
            "words.json": (changed(labels={**labels, "fp": ["<b>", 1, 2]}), "'fp' holds"),
            "empty.json": ("", "cut short"),
        }
        for name, (content, message) in cases.items():
            with self.subTest(name):
                self.write(name, content)
                self.refused(3, [name, message], "report", name, "--out", "out.json")
        self.refused(5, "none.json", "report", "none.json", "--out", "out.json")

    def test_what_train_prints_is_a_report_of_choices(self):
        self.write("run.json", self.mmo("train", "train.csv", *LABELS, "--metric", "micro-f1", "--model", "j.mmo", "--json").stdout)
        self.mmo("report", "run.json", "--out", "run-report.json")
        report = json.loads(self.read("run-report.json"))
        self.assertIn("feature_map", report["search"])
        self.assertTrue(report["missing"])

    def test_data_that_do_not_fit_the_model(self):
        self.write("other.csv", self.read("test.csv").replace(",blue", ",pink"))
        self.mmo("report", "model.mmo", "other.csv", *LABELS, "--out", "out.json")
        report = json.loads(self.read("out.json"))
        self.assertIn("'pink'", " ".join(report["warnings"]))

    def test_terminal_charts_fit_the_screen(self):
        text = self.mmo("evaluate", "model.mmo", "test.csv", "--plot").stdout
        self.assertIn("F1 by number of positive rows", text)
        self.assertIn("one threshold for all labels", text)
        for flags in (["model.mmo"], ["train.csv", *LABELS]):
            text += self.mmo("inspect", *flags, "--plot").stdout
        charts = [line for line in text.splitlines() if any("\u2580" <= c <= "\u259f" or "\u2800" <= c <= "\u28ff" for c in line)]
        self.assertGreater(len(charts), 15)
        self.assertLessEqual(max(map(len, charts)), 80)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("inf", text)

    def test_few_rows_and_one_label(self):
        self.write("few.csv", as_csv(toy_rows(3, seed=4)))
        report = self.report("evaluate", "model.mmo", "few.csv", *LABELS)
        self.assertEqual(len(report["headline"]["baselines"]), 1)
        self.assertTrue(any("Fewer than 20 rows" in text for text in report["missing"]))
        self.write("one.csv", "x,y\n" + "".join(f"{i % 7},{int(i % 7 > 3)}\n" for i in range(40)))
        self.mmo("train", "one.csv", "--labels", "last:1", "--metric", "micro-f1", "--model", "one.mmo", "--effort", "quick", "--quiet")
        self.assertEqual(len(self.report("evaluate", "one.mmo", "one.csv")["labels"]["names"]), 1)

    def test_refused_before_the_work(self):
        self.write("here.json", "")
        self.refused(5, "here.json exists", "evaluate", "model.mmo", "test.csv", "--report", "here.json")
        self.refused(5, "nowhere", "train", "train.csv", *LABELS, "--metric", "micro-f1", "--model", "n.mmo", "--report", "nowhere/r.json")
        self.refused(2, "one data file", "report", "model.mmo", "test.csv", "train.csv", "--out", "r.json")
        self.write("a.json", json.dumps(self.report("evaluate", "model.mmo", "test.csv")))
        self.refused(2, ".html", "report", "a.json", "a.json", "--out", "two.json")

    def test_the_page(self):
        probe = subprocess.run([BINARY, "report", "model.mmo", "--out", "probe.html"], cwd=self.folder, capture_output=True, text=True)
        if probe.returncode == 2:
            self.assertIn("Node.js", probe.stderr)
            self.skipTest("this build has no page")
        self.mmo("evaluate", "model.mmo", "test.csv", "--report", "r.html")
        page = self.read("r.html")
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"(src|href)=[\"']?(http|//)")
        self.assertLess(len(page), 120_000)


if __name__ == "__main__":
    unittest.main()
