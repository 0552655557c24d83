"""Every command, every output format, standard input and configuration files."""

import csv
import gzip
import io
import json
import unittest

from support import (LABELS, ProgramTest, as_arff, as_csv, as_fasttext, as_svmlight, as_xml, toy_documents, toy_rows)

try:
    import numpy
except ImportError:
    numpy = None
try:
    import onnxruntime
except ImportError:
    onnxruntime = None

# The toy labels lie in one of ten cells, so F1 near .85 can be had; chance is near .4.
LEARNT = 0.7


class Train(ProgramTest):
    def train(self, data, *flags):
        return self.mmo_json("train", data, "--metric", "micro-f1", "--model", "m.mmo", "--effort", "quick", *flags)

    def value(self, data, *flags):
        return self.mmo_json("evaluate", "m.mmo", data, *flags)["metrics"]["micro-f1"]

    def test_every_format_is_learnt(self):
        train, test = toy_rows(400), toy_rows(60, seed=9)
        for name, writer, flags in [("a.csv", as_csv, ["--labels", "last:3"]), ("b.svm", as_svmlight, []),
                                    ("c.arff", as_arff, ["--labels", "labels.xml"])]:
            with self.subTest(name):
                self.write("labels.xml", as_xml())
                self.write(name, writer(train))
                self.write("test-" + name, writer(test))
                self.train(name, "--force", *flags)
                self.assertGreater(self.value("test-" + name, *flags), LEARNT)

    def test_the_run_is_printed_and_kept_in_the_model(self):
        self.toy()
        run = self.train("train.csv", "--labels", "last:3")
        card = self.mmo_json("inspect", "m.mmo")
        self.assertEqual(run["model"], "m.mmo")
        self.assertEqual(card["history"]["load"]["data"], "train.csv")
        self.assertEqual(card["metric"], "micro-f1")
        text = self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "macro-f1", "--model", "n.mmo").stdout
        self.assertIn("macro-f1", text)
        self.assertIn("n.mmo", text)

    def test_a_time_limit_that_is_over_at_once_still_leaves_a_model(self):
        self.toy()
        run = self.train("train.csv", "--labels", "last:3", "--time-limit", "0.000001s")
        self.assertTrue(any("time limit" in warning for warning in run["warnings"]))
        self.assertEqual(len(self.mmo("predict", "m.mmo", "train.csv", "--labels", "last:3").stdout.splitlines()), 120)

    def test_the_same_seed_gives_the_same_file_on_any_number_of_threads(self):
        self.toy()
        for threads in ("1", "3"):
            self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", f"{threads}.mmo",
                     "--threads", threads, "--seed", "7")
        self.assertEqual((self.folder / "1.mmo").read_bytes(), (self.folder / "3.mmo").read_bytes())

    def test_choices_are_made_on_validation_rows(self):
        self.toy()
        self.write("weights.txt", "1\n2\n" * 60)  # train.csv's: a validation row counts once
        self.train("train.csv", "--labels", ",".join(LABELS), "--valid", "test.csv", "--weights", "weights.txt")
        history = self.mmo_json("inspect", "m.mmo")["history"]
        self.assertEqual((history["load"]["valid"], history["load"]["weights"]), ("test.csv", "weights.txt"))
        self.assertIn("validation", history["out_of_fold"]["on"])
        # The choice is fitted to these rows, so its value there is that of the kept record.
        self.assertGreater(history["out_of_fold"]["value"], LEARNT)
        self.assertIn("chosen on the validation file", self.mmo("inspect", "m.mmo").stdout)

    def predicted_counts(self, *flags):
        self.train("train.csv", "--labels", "last:3", "--force", *flags)
        rows = self.mmo("predict", "m.mmo", "test.csv").stdout.splitlines()
        return [sum(name in row.split("\t") for row in rows) for name in LABELS]

    def test_weights_of_rows(self):
        self.toy()
        plain = self.predicted_counts()
        self.write("ones.txt", "1\n" * 120)
        self.assertEqual(self.predicted_counts("--weights", "ones.txt"), plain)
        # Ten times the weight on rows with every label, next to none on the others: all of it is predicted more.
        all_labels = [10 if sum(y) == 3 else 0.1 for _, y in toy_rows()]
        self.write("heavy.txt", "".join(f"{w}\n" for w in all_labels))
        heavy = self.predicted_counts("--weights", "heavy.txt")
        self.assertTrue(all(h > p for h, p in zip(heavy, plain)), (heavy, plain))
        self.write("short.txt", "1\n2\n")
        self.refused(3, ["short.txt", "2", "120"], "train", "train.csv", "--labels", "last:3", "--metric", "f1",
                     "--model", "n.mmo", "--weights", "short.txt")

    def test_weights_of_classes_and_labels(self):
        self.toy()
        plain = self.predicted_counts()
        self.write("classes.json", json.dumps({"*": {"positive": 8, "negative": 1}}))
        eager = self.predicted_counts("--class-weights", "classes.json")
        self.assertTrue(all(e > p for e, p in zip(eager, plain)), (eager, plain))
        self.assertEqual(self.mmo_json("inspect", "m.mmo")["metric"], "micro-f1, class-weighted")
        self.write("labels.json", json.dumps({"red": 1, "green": 0, "blue": 0}))
        self.train("train.csv", "--labels", "last:3", "--force", "--label-weights", "labels.json")
        values = self.mmo_json("evaluate", "m.mmo", "test.csv", "--label-weights", "labels.json")
        red = values["per_label"][0]
        self.assertAlmostEqual(values["metrics"]["micro-f1"], red["f1"], 12)

    def test_a_ratio_of_counts_is_what_is_trained_for(self):
        self.toy()
        metric = "macro:(3*TP)/(3*TP+FP+2*FN)"
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", metric, "--model", "m.mmo", "--effort", "quick")
        result = self.mmo_json("evaluate", "m.mmo", "test.csv")
        self.assertEqual(result["target"], metric)
        by_hand = [3 * r["tp"] / (3 * r["tp"] + r["fp"] + 2 * r["fn"]) for r in result["per_label"]]
        self.assertAlmostEqual(result["metrics"][metric], sum(by_hand) / 3, 12)

    def test_a_trivially_maximised_metric_is_warned_about(self):
        self.toy()
        run = self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "micro-recall", "--model", "m.mmo")
        self.assertIn("warning", run.stderr)
        self.assertIn("predict everything", run.stderr)

    def test_config_files_fill_in_and_flags_win(self):
        self.toy()
        self.write("run.toml", 'metric = "macro-f1"\nlabels = "last:3"\ndata = "train.csv"\neffort = "quick"\nseed = 3\n'
                               '[set]\nmin-labels = 1\n[train]\nmodel = "toml.mmo"\n[predict]\ntop-k = 1\n')
        self.mmo("train", "--config", "run.toml")
        self.assertEqual(self.mmo_json("inspect", "toml.mmo")["metric"], "macro-f1")
        self.write("run.json", json.dumps({"metric": "macro-f1", "labels": LABELS, "train": {"model": "no.mmo"}}))
        self.mmo("train", "train.csv", "--config", "run.json", "--metric", "samples-f1", "--model=json.mmo")
        self.assertEqual(self.mmo_json("inspect", "json.mmo")["metric"], "samples-f1")
        self.write("typo.json", json.dumps({"metrics": "macro-f1"}))
        self.refused(2, ["typo.json", "'metrics'", "metric"], "train", "train.csv", "--config", "typo.json")

    def test_standard_input_and_compression(self):
        self.write("train.svm.gz", gzip.compress(as_svmlight(toy_rows(400)).encode()))
        self.train("train.svm.gz")
        test = as_svmlight(toy_rows(60, seed=9))
        self.assertGreater(self.mmo_json("evaluate", "m.mmo", "-", stdin=test)["metrics"]["micro-f1"], LEARNT)
        out = self.mmo("predict", "m.mmo", "-", stdin=test).stdout
        self.assertEqual(len(out.splitlines()), 60)

    def test_features_counted_from_zero_stay_aligned(self):
        self.write("train.svm", as_svmlight(toy_rows(), base=0))
        self.train("train.svm")
        # A stream can't be read twice, and its base is remembered all the same.
        self.mmo("train", "-", "--metric", "f1", "--model", "s.mmo", stdin=as_svmlight(toy_rows(), base=0))
        rows = [([0.0] + x[1:], y) for x, y in toy_rows(60, seed=9)]
        with_zero = as_svmlight(rows, base=0)
        without_zero = with_zero.replace("0:0.0 ", "").replace(" 0:0.0", "")
        for model in ("m.mmo", "s.mmo"):
            with self.subTest(model):
                predictions = [self.mmo("predict", model, "-", stdin=text).stdout for text in (with_zero, without_zero)]
                self.assertEqual(predictions[0], predictions[1])


class Text(ProgramTest):
    def test_raw_text_in_labels_out(self):
        documents = toy_documents()
        self.write("train.txt", as_fasttext(documents))
        self.write("test.txt", as_fasttext(toy_documents(50, seed=5)))
        self.mmo("train", "train.txt", "--metric", "samples-f1", "--model", "m.mmo", "--set", "text.ngrams=1-2",
                 "--set", "text.min-df=1")
        self.assertGreater(self.mmo_json("evaluate", "m.mmo", "test.txt")["metrics"]["samples-f1"], LEARNT)
        self.write("plain.txt", "goal, match and team\nbank, stock, the price\n")
        self.assertEqual(self.mmo("predict", "m.mmo", "plain.txt").stdout, "sport\nmoney\n")
        self.assertEqual(self.mmo("predict", "m.mmo", "-", stdin="bread and wine with soup\n").stdout, "food\n")
        heaviest = self.mmo_json("inspect", "m.mmo", "--top", "3")["top_features"]["food"]
        self.assertTrue({f["feature"] for f in heaviest} & set("bread wine cheese soup cook".split()))

    def test_a_text_column_of_a_csv(self):
        rows = [["body", "topics"]] + [[text, ";".join(topics)] for text, topics in toy_documents()]
        out = io.StringIO()
        csv.writer(out).writerows(rows)
        self.write("train.csv", out.getvalue())
        self.mmo("train", "train.csv", "--text-column", "body", "--labels", "topics", "--metric", "micro-f1", "--model",
                 "m.mmo", "--effort", "quick")
        self.write("new.csv", "body,author\n\"goal, team\",me\nbread wine soup,you\n")
        self.assertEqual(self.mmo("predict", "m.mmo", "new.csv").stdout, "sport\nfood\n")

    def test_unknown_text_settings_list_the_known(self):
        self.write("train.txt", as_fasttext(toy_documents()))
        self.refused(2, ["text.grams", "text.ngrams"], "train", "train.txt", "--metric", "f1", "--model", "m.mmo", "--set",
                     "text.grams=2")


class PredictAndEvaluate(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy_model()

    def test_all_forms_say_the_same_and_can_be_evaluated(self):
        model = self.mmo_json("evaluate", "model.mmo", "test.csv")
        for form in ("names", "indicator", "jsonl", "svmlight"):
            with self.subTest(form):
                self.mmo("predict", "model.mmo", "test.csv", "--as", form, "--out", form)
                for how in ([], ["--as", form]):
                    read = self.mmo_json("evaluate", "--predictions", form, "test.csv", "--labels", "last:3", *how)
                    self.assertEqual(read["metrics"], model["metrics"])
        rows = [json.loads(line) for line in self.read("jsonl").splitlines()]
        names = [line.split("\t") if line else [] for line in self.read("names").splitlines()]
        self.assertEqual([row["labels"] for row in rows], names)
        indicator = list(csv.reader(io.StringIO(self.read("indicator"))))
        self.assertEqual(indicator[0], LABELS)
        self.assertEqual([[LABELS[j] for j in range(3) if row[j] == "1"] for row in indicator[1:]], names)

    def test_scores_and_top_k(self):
        rows = [json.loads(line) for line in
                self.mmo("predict", "model.mmo", "test.csv", "--as", "jsonl", "--scores", "--top-k", "2").stdout.splitlines()]
        self.assertTrue(all(len(row["labels"]) == 2 for row in rows))
        for row in rows:
            scores = [row["scores"][name] for name in row["labels"]]
            self.assertEqual(scores, sorted(scores, reverse=True))
            self.assertTrue(all(0 <= s <= 1 for s in scores))
        table = list(csv.reader(io.StringIO(self.mmo("predict", "model.mmo", "test.csv", "--as", "indicator", "--scores").stdout)))
        self.assertAlmostEqual(float(table[1][LABELS.index(rows[0]["labels"][0])]), rows[0]["scores"][rows[0]["labels"][0]])
        names = self.mmo("predict", "model.mmo", "test.csv", "--scores", "--out", "scored.txt")
        self.mmo("evaluate", "--predictions", "scored.txt", "test.csv", "--labels", "last:3")
        self.assertEqual(names.stdout, "")

    def test_a_file_without_labels_can_be_predicted_but_not_evaluated(self):
        plain = "\n".join(line.rsplit(",", 3)[0] for line in self.read("test.csv").splitlines()) + "\n"
        self.write("plain.csv", plain)
        self.assertEqual(self.mmo("predict", "model.mmo", "plain.csv").stdout, self.mmo("predict", "model.mmo", "test.csv").stdout)
        self.refused(3, "plain.csv", "evaluate", "model.mmo", "plain.csv")

    def test_metrics_named_and_bootstrapped(self):
        result = self.mmo_json("evaluate", "model.mmo", "test.csv", "--metric",
                               "micro-f1,macro:(TP)/(TP+FP+FN),macro-jaccard,subset-accuracy", "--bootstrap", "50")
        values = result["metrics"]
        self.assertEqual(values["macro:(TP)/(TP+FP+FN)"], values["macro-jaccard"])
        low, high = result["intervals"]["micro-f1"]
        self.assertTrue(low <= values["micro-f1"] <= high and low < high)
        self.assertIn("subset-accuracy", values)

    def test_json_has_the_documented_keys(self):
        result = self.mmo_json("evaluate", "model.mmo", "test.csv")
        for average in ("micro", "macro", "samples", "weighted"):
            for metric in ("f1", "jaccard", "precision", "recall"):
                self.assertIn(f"{average}-{metric}", result["metrics"])
        self.assertIn("hamming-accuracy", result["metrics"])
        self.assertIn("subset-accuracy", result["metrics"])
        self.assertEqual([row["label"] for row in result["per_label"]], LABELS)
        self.assertEqual(result["rows"], 60)

    def test_the_text_shows_the_target_and_the_worst_labels(self):
        text = self.mmo("evaluate", "model.mmo", "test.csv").stdout
        self.assertIn("micro-f1  <- trained for", text)
        self.assertIn("worst labels", text)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_metrics_agree_with_scikit_learn(self):
        from sklearn.metrics import f1_score, jaccard_score

        table = list(csv.reader(io.StringIO(self.mmo("predict", "model.mmo", "test.csv", "--as", "indicator").stdout)))
        predicted = numpy.array(table[1:], dtype=int)
        truth = numpy.array([y for _, y in toy_rows(60, seed=9)])
        values = self.mmo_json("evaluate", "model.mmo", "test.csv")["metrics"]
        for average in ("micro", "macro", "samples", "weighted"):
            self.assertAlmostEqual(values[f"{average}-f1"], f1_score(truth, predicted, average=average, zero_division=0), 12)
            self.assertAlmostEqual(values[f"{average}-jaccard"], jaccard_score(truth, predicted, average=average, zero_division=0), 12)

    def test_wrong_predictions_are_refused(self):
        flags = ["test.csv", "--labels", "last:3"]
        self.refused(3, ["short.txt", "1 predictions for 60 rows"], "evaluate", "--predictions",
                     self.write("short.txt", "red\n"), *flags)
        self.refused(3, ["odd.txt:2", "'pink'"], "evaluate", "--predictions", self.write("odd.txt", "red\npink\n" + "\n" * 58), *flags)
        self.refused(3, ["bad.jsonl:1"], "evaluate", "--predictions", self.write("bad.jsonl", "{\"labels\": 3}\n" * 60), *flags)
        self.refused(3, ["far.svm:1", "'7'"], "evaluate", "--predictions", self.write("far.svm", "7\n" * 60), "--as", "svmlight", *flags)
        self.refused(2, "MODEL and DATA", "evaluate", "test.csv")


class LabelsAlone(ProgramTest):
    """Labels that are no data set: matrices, numbers for names, a column of lists that only the model remembers."""

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_labels_and_predictions(self):
        truth = numpy.array([y for _, y in toy_rows(60, seed=9)])
        predicted = numpy.array([y for _, y in toy_rows(60, seed=5)])
        numpy.save(self.folder / "y.npy", truth)
        numpy.save(self.folder / "p.npy", predicted.astype("f4"))
        self.write("p.csv", "0,1,2\n" + "".join(",".join(map(str, y)) + "\n" for y in predicted))
        from sklearn.metrics import f1_score

        for predictions in ("p.npy", "p.csv"):
            with self.subTest(predictions):
                values = self.mmo_json("evaluate", "--predictions", predictions, "y.npy")["metrics"]
                self.assertAlmostEqual(values["macro-f1"], f1_score(truth, predicted, average="macro", zero_division=0), 12)
        numpy.save(self.folder / "scores.npy", predicted - 0.5)
        self.refused(3, ["scores.npy", "0 and 1"], "evaluate", "--predictions", "scores.npy", "y.npy")
        self.refused(3, ["scores.npy", "0 and 1"], "evaluate", "--predictions", "p.npy", "scores.npy")
        numpy.save(self.folder / "short.npy", predicted[:9])
        self.refused(3, ["short.npy", "9 predictions for 60 rows"], "evaluate", "--predictions", "short.npy", "y.npy")

    def test_tune_reads_what_predict_wrote_where_labels_are_numbers(self):
        self.write("train.svm", as_svmlight(toy_rows(300)))
        self.mmo("train", "train.svm", "--metric", "f1", "--model", "m.mmo", "--effort", "quick", "--quiet")
        self.mmo("predict", "m.mmo", "train.svm", "--as", "indicator", "--scores", "--out", "scores.csv")
        self.assertEqual(self.read("scores.csv").splitlines()[0], "0,1,2")
        tuned = self.mmo_json("tune", "scores.csv", "train.svm", "--metric", "macro-f1")
        self.assertEqual(list(tuned["thresholds"]), ["0", "1", "2"])
        self.assertGreater(tuned["cross_fitted"], LEARNT)
        # Rows without label 2: it has scores and no positives, which svmlight can't say.
        few = [(x, y[:2] + [0]) for x, y in toy_rows(300)]
        self.write("few.svm", as_svmlight(few))
        self.assertIn("2", self.mmo_json("tune", "scores.csv", "few.svm", "--metric", "micro-f1")["thresholds"])

    def test_evaluate_remembers_the_column_of_label_lists(self):
        def listed(rows):
            lines = [",".join(map(str, x)) + "," + ";".join(n for n, p in zip(LABELS, y) if p) for x, y in rows]
            return "f0,f1,f2,f3,f4,f5,tags\n" + "\n".join(lines) + "\n"

        self.write("train.csv", listed(toy_rows(300)))
        self.write("test.csv", listed(toy_rows(60, seed=9)))
        self.mmo("train", "train.csv", "--labels", "tags", "--metric", "f1", "--model", "m.mmo", "--effort", "quick",
                 "--quiet")
        named = self.mmo_json("evaluate", "m.mmo", "test.csv", "--labels", "tags")
        self.assertEqual(self.mmo_json("evaluate", "m.mmo", "test.csv"), named)
        self.assertEqual(len(self.mmo("predict", "m.mmo", "test.csv").stdout.splitlines()), 60)


class SideCondition(ProgramTest):
    def test_says_what_to_expect_of_new_rows(self):
        self.write("train.csv", as_csv(toy_rows(400)))
        run = self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "f1", "--subject-to", "precision>=0.85",
                       "--model", "m.mmo", "--effort", "quick")
        text = " ".join(run.stdout.split())  # the line is a long one
        self.assertRegex(text, r"subject to precision>=0.85: 0\.\d+ where it was fitted \(margin 0\.\d+\); "
                               r"expect 0\.\d+ on new rows \(95 % interval 0\.\d+ – 0\.\d+\)")
        held_out = self.mmo_json("inspect", "m.mmo")["history"]["subject_to"]["held_out"]
        self.assertLess(held_out["interval"][0], held_out["value"])

    def test_a_goal_that_leaves_next_to_nothing_is_warned_about(self):
        self.write("train.csv", as_csv(toy_rows(400)))
        run = self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "f1", "--subject-to", "recall<=0.02",
                       "--model", "m.mmo", "--effort", "quick")
        self.assertRegex(run.stderr, r"warning: recall<=0.02 leaves micro-f1 at 0\.0\d+, where 0\.\d+ can be had")


class DataCommands(ProgramTest):
    def test_convert_there_and_back(self):
        self.toy()
        for name in ("a.arff", "b.npz", "c.tsv.gz", "d.svm", "e.txt"):
            with self.subTest(name):
                self.mmo("convert", "train.csv", name, "--labels", "last:3")
                flags = ["--labels", "last:3"] if ".tsv" in name else []
                card = self.mmo_json("inspect", name, *flags)
                self.assertEqual((card["rows"], card["features"]["count"], card["labels"]), (120, 6, 3))
        out = self.mmo("convert", "train.csv", "-", "--labels", "last:3", "--to", "svmlight", "--to-base", "0").stdout
        self.assertEqual(len(out.splitlines()), 120)
        self.assertIn(" 0:", out.splitlines()[0])

    def test_inspect_shows_a_data_card(self):
        self.toy()
        text = self.mmo("inspect", "train.csv", "--labels", "last:3").stdout
        self.assertIn("120", text)
        self.assertIn("labels per row", text)

    def test_split_keeps_every_row_once(self):
        self.toy()
        self.mmo("split", "train.csv", "--labels", "last:3", "--test-share", "0.25")
        train, test = self.read("train-train.csv").splitlines(), self.read("train-test.csv").splitlines()
        self.assertEqual((len(train), len(test)), (91, 31))
        files = self.mmo_json("split", "train.csv", "--labels", "last:3", "--folds", "3", "--out", "fold.svm")["files"]
        self.assertEqual(len(files), 6)
        tests = [line for i in (1, 2, 3) for line in self.read(f"fold-fold{i}-test.svm").splitlines()]
        self.assertEqual(len(tests), 120)
        self.assertEqual(len(set(tests)), 120)
        again = self.mmo("split", "train.csv", "--labels", "last:3", "--test-share", "0.25", code=5)
        self.assertIn("--force", again.stderr)

    def test_split_of_arff_writes_the_label_headers_too(self):
        self.write("toy.arff", as_arff(toy_rows()))
        self.write("toy.xml", as_xml())
        self.mmo("split", "toy.arff")
        self.assertIn("toy-train.xml", self.files())
        self.assertEqual(self.mmo_json("inspect", "toy-test.arff")["labels"], 3)


class Tune(ProgramTest):
    """Scores of another system: the toy features that the labels depend on, of differing scales and offsets."""

    def setUp(self):
        super().setUp()
        self.rows = toy_rows(300)
        self.write("labels.csv", ",".join(LABELS) + "\n" + "".join(",".join(map(str, y)) + "\n" for _, y in self.rows))
        self.write("data.csv", as_csv(self.rows))
        self.write("scores.csv", self.scores(self.rows))

    def scores(self, rows):
        return ",".join(LABELS) + "\n" + "".join(",".join(str(v - 1) for v in x[:3]) + "\n" for x, _ in rows)

    def test_a_rule_is_found_that_beats_the_fixed_threshold(self):
        for metric in ("micro-f1", "macro-f1", "samples-f1", "macro:(3*TP)/(3*TP+FP+2*FN)"):
            with self.subTest(metric):
                tuned = self.mmo_json("tune", "scores.csv", "labels.csv", "--metric", metric)
                self.assertGreater(tuned["cross_fitted"], tuned["untuned"] + 0.1)

    def test_labels_may_come_from_any_data_set(self):
        a = self.mmo_json("tune", "scores.csv", "labels.csv", "--metric", "macro-f1")
        b = self.mmo_json("tune", "scores.csv", "data.csv", "--labels", "last:3", "--metric", "macro-f1")
        self.assertEqual(a["thresholds"], b["thresholds"])

    def test_thresholds_are_in_the_scale_of_the_scores(self):
        tuned = self.mmo_json("tune", "scores.csv", "labels.csv", "--metric", "macro-f1", "--min-labels", "0")
        self.assertEqual(list(tuned["thresholds"]), LABELS)
        fresh = toy_rows(80, seed=4)
        self.write("new.csv", self.scores(fresh))
        self.mmo("tune", "scores.csv", "labels.csv", "--metric", "macro-f1", "--min-labels", "0", "--apply", "new.csv", "--out", "out.txt")
        by_hand = ["\t".join(name for j, name in enumerate(LABELS) if x[j] - 1 >= tuned["thresholds"][name]) for x, _ in fresh]
        self.assertEqual(self.read("out.txt").splitlines(), by_hand)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_matrices(self):
        scores = numpy.array([x[:3] for x, _ in self.rows]) - 1
        numpy.save(self.folder / "s.npy", scores)
        numpy.save(self.folder / "f.npy", numpy.asfortranarray(scores.astype("f4")))
        numpy.save(self.folder / "p.npy", 1 / (1 + numpy.exp(-scores)))
        numpy.save(self.folder / "y.npy", numpy.array([y for _, y in self.rows], dtype="i1"))
        values = {name: self.mmo_json("tune", name, "y.npy", "--metric", "macro-f1") for name in ("s.npy", "f.npy", "p.npy")}
        named = self.mmo_json("tune", "scores.csv", "labels.csv", "--metric", "macro-f1")
        for name, tuned in values.items():
            self.assertAlmostEqual(tuned["cross_fitted"], named["cross_fitted"], 6, name)
        self.assertTrue(all(0 < t < 1 for t in values["p.npy"]["thresholds"].values()))
        numpy.save(self.folder / "nan.npy", numpy.full((300, 3), numpy.nan))
        self.refused(3, ["nan.npy", "row 1"], "tune", "nan.npy", "y.npy", "--metric", "f1")
        numpy.save(self.folder / "flat.npy", scores[:, 0])
        self.refused(3, ["flat.npy", "1 dimensions"], "tune", "flat.npy", "y.npy", "--metric", "f1")

    def test_what_does_not_fit_is_refused(self):
        self.write("two.csv", "\n".join(line.rsplit(",", 1)[0] for line in self.read("labels.csv").splitlines()) + "\n")
        self.refused(3, ["two.csv", "'blue'"], "tune", "scores.csv", "two.csv", "--metric", "f1")
        self.write("short.csv", "\n".join(self.read("labels.csv").splitlines()[:50]) + "\n")
        self.refused(3, ["short.csv", "49 rows"], "tune", "scores.csv", "short.csv", "--metric", "f1")
        self.write("wrong.csv", ",".join(LABELS) + "\n" + "".join(",".join(str(-v) for v in x[:3]) + "\n" for x, _ in self.rows))
        self.refused(3, ["wrong.csv", "absent labels"], "tune", "wrong.csv", "labels.csv", "--metric", "f1")


class Others(ProgramTest):
    def test_methods_lists_what_train_accepts(self):
        known = self.mmo_json("methods")
        names = [m["name"] for m in known["methods"]]
        for name in ("auto", "br", "koyejo", "macro-thres"):
            self.assertIn(name, names)
        self.assertIn("micro-f1", known["metrics"])
        text = self.mmo("methods").stdout
        for setting in known["settings"]:
            self.assertIn(setting["key"], text)

    def test_every_method_trains(self):
        self.toy()
        for method in self.mmo_json("methods")["methods"]:
            with self.subTest(method["name"]):
                name = method["name"] + ".mmo"
                self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "macro-f1", "--method", method["name"], "--model", name)
                self.assertGreater(self.mmo_json("evaluate", name, "test.csv")["metrics"]["macro-f1"], 0.5)

    @unittest.skipIf(onnxruntime is None, "onnxruntime is not installed")
    def test_export_writes_onnx(self):
        self.toy_model()
        self.mmo("export", "model.mmo", "model.onnx")
        rows = toy_rows(60, seed=9)
        session = onnxruntime.InferenceSession(self.folder / "model.onnx")
        outputs = session.run(None, {"features": numpy.array([x for x, _ in rows], dtype="f4")})
        names = self.mmo("predict", "model.mmo", "test.csv").stdout.splitlines()
        decided = next(o for o in outputs if set(numpy.unique(o).tolist()) <= {0, 1})
        self.assertEqual(["\t".join(n for n, d in zip(LABELS, row) if d) for row in decided], names)

    def test_inspect_shows_a_model_card(self):
        self.toy_model()
        card = self.mmo_json("inspect", "model.mmo", "--top", "2")
        self.assertEqual(card["labels"], 3)
        self.assertEqual([f["feature"] for f in card["top_features"]["red"]][0], "f0")
        text = self.mmo("inspect", "model.mmo").stdout
        self.assertIn("micro-f1", text)

    def test_inspect_of_one_label_shows_that_label_alone(self):
        self.toy_model()
        text = self.mmo("inspect", "model.mmo", "--label", "green").stdout
        self.assertRegex(text, r"\Alabel +green\npredicted +from a probability of 0\.\d{4}\nbias ")
        self.assertIn("f1 ", text.splitlines()[4])  # the feature that it depends on is the heaviest
        for other in ("red", "blue", "micro-f1", "held out"):
            self.assertNotRegex(text, rf"\b{other}\b")
        card = self.mmo_json("inspect", "model.mmo", "--label", "green", "--top", "1")
        self.assertEqual(sorted(card), ["bias", "label", "threshold", "top_features"])
        self.assertEqual([f["feature"] for f in card["top_features"]["green"]], ["f1"])
        self.refused(2, ["'gren'", "did you mean 'green'?"], "inspect", "model.mmo", "--label", "gren")

    def test_demo_trains_compares_and_can_be_repeated(self):
        first = self.mmo_json("demo", "--rows", "400", "--effort", "quick")
        self.assertIn("mmo-demo/model.mmo", self.files())
        self.assertIn("mmo-demo/run.json", self.files())
        self.assertEqual({r["method"] for r in first["results"]}, {"br", "koyejo", "macro-thres", "auto"})
        self.mmo("demo", "--rows", "400", "--effort", "quick", code=5)
        text = self.mmo("demo", "--rows", "400", "--effort", "quick", "--force").stdout
        self.assertIn("macro-f1", text)
        self.assertIn("mmo-demo/model.mmo", text)


if __name__ == "__main__":
    unittest.main()
