"""Flags as they are written: repeated, misspelt, in a configuration file that several commands share."""

import unittest

from support import ProgramTest


class Settings(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy()

    def test_data_may_follow_a_setting(self):
        self.mmo("train", "--metric", "f1", "--labels", "last:3", "--model", "m.mmo", "--effort", "quick", "--set",
                 "stack=off", "train.csv")
        self.assertEqual(self.mmo_json("inspect", "m.mmo")["history"]["load"]["data"], "train.csv")

    def test_settings_add_up(self):
        self.mmo("train", "--set", "stack=off", "train.csv", "--set", "rule=curves", "--metric", "f1", "--labels",
                 "last:3", "--model", "m.mmo", "--effort", "quick")
        self.assertEqual(self.mmo_json("inspect", "m.mmo")["history"]["settings"], {"rule": "curves", "stack": "off"})


class ConfigFile(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy()
        self.write("run.toml", 'metric = "macro-f1"\nlabels = "last:3"\neffort = "quick"\nfolds = 4\n'
                               '[train]\nmodel = "m.mmo"\n[predict]\nas = "jsonl"\n[set]\nrule = "curves"\n')

    def test_one_that_ends_in_settings_leaves_data_alone(self):
        self.mmo("train", "--config", "run.toml", "train.csv")
        self.assertEqual(self.mmo_json("inspect", "m.mmo")["history"]["settings"], {"rule": "curves"})

    def test_what_it_says_for_all_is_for_commands_that_have_it(self):
        self.mmo("train", "train.csv", "--config", "run.toml")
        predicted = self.mmo("predict", "m.mmo", "test.csv", "--config", "run.toml").stdout.splitlines()
        self.assertEqual(len(predicted), 60)
        self.assertTrue(all(line.startswith('{"labels"') for line in predicted))
        values = self.mmo_json("evaluate", "m.mmo", "test.csv", "--config", "run.toml")["metrics"]
        self.assertEqual(list(values), ["macro-f1"])

    def test_keys_that_no_command_has_are_refused_with_the_nearest(self):
        self.write("typo.toml", 'metrik = "macro-f1"\n')
        self.refused(2, ["typo.toml", "'metrik'", "did you mean metric?"], "train", "train.csv", "--config", "typo.toml")
        self.write("own.toml", '[predict]\nmetric = "f1"\n')  # its own section, so it is meant
        self.refused(2, ["own.toml", "metric"], "predict", "m.mmo", "test.csv", "--config", "own.toml")

    def test_a_bad_value_names_the_file(self):
        self.write("bad.toml", 'folds = 1\nmetric = "f1"\n')
        self.refused(2, ["bad.toml", "--folds", "1 is not a whole number from 2"], "train", "train.csv", "--model",
                     "m.mmo", "--config", "bad.toml")


class Misspelt(ProgramTest):
    def test_unknown_flags_in_their_order_with_what_was_meant(self):
        self.toy()
        error = self.refused(2, ["--metrc (did you mean --metric?)", "--lables (did you mean --labels?)"], "train",
                             "train.csv", "--metrc", "f1", "--lables", "last:3", "--model", "m.mmo", "--metric", "f1")
        self.assertLess(error.index("--metrc"), error.index("--lables"))
        self.refused(2, "--metrc (did you mean --metric?)", "train", "train.csv", "--metrc", "f1", "--model", "m.mmo")

    def test_unknown_commands(self):
        self.refused(2, ["'trian'", "did you mean train?"], "trian", "train.csv")

    def test_whole_numbers_are_decimal_and_in_range(self):
        self.toy()
        train = ["train", "train.csv", "--labels", "last:3", "--metric", "f1", "--model", "m.mmo"]
        for flags in (["--seed", "18446744073709551616"], ["--seed", "1e3"], ["--seed", "-1"], ["--seed", "0x10"],
                      ["--folds", "1"], ["--folds", "5.5"], ["--min-positives", "99999999999999999999"],
                      ["--threads", "4097"]):
            with self.subTest(flags):
                self.refused(2, [flags[0], flags[1], "whole number"], *train, *flags)
        self.mmo(*train, "--effort", "quick", "--seed", "18446744073709551615")
        self.assertEqual(self.mmo_json("inspect", "m.mmo")["history"]["seed"], 2**64 - 1)
        self.mmo(*train, "--effort", "quick", "--force", "--seed", "010")
        self.assertEqual(self.mmo_json("inspect", "m.mmo")["history"]["seed"], 10)


if __name__ == "__main__":
    unittest.main()
