"""The commands of experiments: λ searches, side conditions, compare, bounds and paper."""

import json
import pathlib
import unittest

from support import SHARED_DATA, ProgramTest


class Search(ProgramTest):
    def train(self, *flags, **options):
        return self.mmo_json("train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "m.mmo", "--force",
                             *flags, **options)

    def test_every_search_is_recorded(self):
        self.toy()
        self.assertEqual(self.train("--search", "auto")["method"], "auto")
        steps = {}
        for search in ["scan", "bisect", "dinkelbach"]:
            run = self.train("--search", search)
            self.assertEqual(run["method"], "mmo")
            self.assertEqual(run["settings"]["lambda"], search)
            steps[search] = len(run["lambda"]["steps"])
        self.assertEqual(steps["scan"], 51)  # 1, 0.98, … 0
        self.assertLessEqual(steps["bisect"], 11)  # 2^-10 < 0.001
        self.assertLessEqual(steps["dinkelbach"], 4)
        self.assertEqual(self.train("--search", "ema")["method"], "ema")
        self.assertEqual(self.train("--search", "scan", "--method", "paper-scan")["method"], "paper-scan")

    def test_wrong_searches_are_refused(self):
        self.toy()
        flags = ["train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "m.mmo"]
        self.refused(2, ["'grid'", "dinkelbach"], *flags, "--search", "grid")
        self.refused(2, "--method br", *flags, "--search", "ema", "--method", "br")


class SubjectTo(ProgramTest):
    FLAGS = ["train", "train.csv", "--labels", "last:3", "--model", "m.mmo", "--method", "linear"]

    def test_the_condition_holds_and_is_recorded(self):
        self.toy()
        run = self.mmo_json(*self.FLAGS, "--metric", "recall", "--subject-to", "precision>=0.85")
        self.assertEqual(run["subject_to"]["constraint"], "precision>=0.85")
        self.assertGreaterEqual(run["subject_to"]["value"], 0.85)
        self.assertGreater(run["out_of_fold"]["value"], 0.5)
        self.assertNotIn("trivial", " ".join(run["warnings"]))
        text = self.mmo("inspect", "m.mmo").stdout + self.mmo(*self.FLAGS, "--metric", "recall", "--subject-to",
                                                              "precision>=0.85", "--force").stdout
        self.assertIn("precision>=0.85", text)

    def test_a_tighter_condition_costs_recall(self):
        self.toy()
        recall = [self.mmo_json(*self.FLAGS, "--metric", "recall", "--subject-to", f"precision>={p}", "--force")["out_of_fold"]
                  ["value"] for p in (0.6, 0.9)]
        self.assertGreater(recall[0], recall[1])

    def test_what_cannot_be_met_names_the_best(self):
        self.toy()
        self.refused(2, ["micro-f1>=0.999", "0.", "lower the bound"], *self.FLAGS, "--metric", "recall", "--subject-to",
                     "micro-f1>=0.999")
        self.refused(2, "METRIC>=NUMBER", *self.FLAGS, "--metric", "recall", "--subject-to", "precision")


class Compare(ProgramTest):
    FLAGS = ["--labels", "last:3", "--methods", "koyejo,br,br[l2=0.1]", "--metrics", "micro-f1,macro-f1", "--runs", "2"]

    def test_every_format(self):
        self.toy()
        out = self.mmo_json("compare", "train.csv", "test.csv", *self.FLAGS)
        self.assertEqual(len(out["results"]), 6)
        self.assertEqual(len(out["results"][0]["values"]), 2)
        for flag, mark in [("--markdown", "| --- |"), ("--latex", "\\begin{tabular}"), ("--quiet", "mean ± sd")]:
            text = self.mmo("compare", "train.csv", "test.csv", *self.FLAGS, flag).stdout
            self.assertIn(mark, text)
            self.assertIn(f"{out['results'][0]['mean']:.4f}", text)
            self.assertIn("differ only by their folds", text)

    def test_without_a_test_file_every_run_draws_one(self):
        self.toy()
        out = self.mmo_json("compare", "train.csv", *self.FLAGS)
        self.assertNotEqual(*out["results"][0]["values"])

    def test_ablations_start_with_linear(self):
        self.toy()
        out = self.mmo_json("compare", "train.csv", "test.csv", "--labels", "last:3", "--metrics", "micro-f1", "--runs", "1",
                            "--set-of-ablations")
        self.assertEqual(out["results"][0]["method"], "linear")
        self.assertIn("linear[stack=off]", [r["method"] for r in out["results"]])

    def test_bad_requests(self):
        self.toy()
        self.refused(2, "unknown method 'best'", "compare", "train.csv", "--labels", "last:3", "--methods", "best")
        self.refused(2, "'br' is there twice", "compare", "train.csv", "--labels", "last:3", "--methods", "br,auto,br")
        self.refused(2, "one of --json", "compare", "train.csv", "--labels", "last:3", "--markdown", "--latex")


class Bounds(ProgramTest):
    def test_text_and_json(self):
        self.toy()
        out = self.mmo_json("bounds", "train.csv", "--labels", "last:3", "--metric", "micro-f1")
        self.assertFalse(out["informative"])
        self.assertEqual(out["net"], 120)
        text = self.mmo("bounds", "train.csv", "--labels", "last:3", "--metric", "micro-f1").stdout
        self.assertIn("says nothing here", text)


class Paper(ProgramTest):
    def test_report_of_given_results(self):
        self.write("r.json", json.dumps({"version": "1", "runs": 2, "cells": {"primary": {"scene": {"micro-f1": {"linear": {
            "values": [0.7, 0.8]}}}}}}))
        text = self.mmo("paper", "--report", "r.json").stdout
        self.assertIn("better than its MMO in 1 of 1 cells", text)
        self.assertIn("**0.7500 ± 0.0707**", text)

    def test_other_files_are_not_overwritten(self):
        self.write("notes.json", "{}")
        self.refused(3, "notes.json", "paper", "data", "--out", "notes.json")

    def test_missing_data(self):
        self.refused(5, "scene", "paper", "nowhere", "--out", "r.json")

    @unittest.skipUnless((SHARED_DATA / "mulan").exists(), "no shared data")
    def test_real_data_a_run_goes_on(self):
        flags = ["paper", SHARED_DATA / "mulan", "--runs", "1", "--methods", "br", "--out", "r.json", "--json"]
        first = json.loads(self.mmo(*flags).stdout)
        self.assertEqual(len(first["cells"]["primary"]), 4)
        before = pathlib.Path(self.folder / "r.json").stat().st_mtime_ns
        self.assertEqual(json.loads(self.mmo(*flags).stdout), first)
        self.assertEqual(pathlib.Path(self.folder / "r.json").stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
