"""The measuring instruments themselves: hand-made thresholds, the resumable runner, ratios, exponents, the count of
wins, and the objective that mmo's plain fit claims to reach.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "benchmarks/peers"))
sys.dont_write_bytecode = True

import data  # noqa: E402
import growth_report  # noqa: E402
import micro_report  # noqa: E402
import quality_report  # noqa: E402
import run  # noqa: E402
import tasks  # noqa: E402
import thresholds  # noqa: E402
import time_report  # noqa: E402
from measure import METRICS, metric_values  # noqa: E402
from store import Store, ratios, spread  # noqa: E402


def noisy_scores(rows=200, labels=5):
    random = np.random.default_rng(3)
    y = random.random((rows, labels)) < np.linspace(0.05, 0.4, labels)
    return y, (random.normal(size=y.shape) + 1.5 * y - 1).astype(np.float32)


def stored(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in lines))
        return Store(path)


class Thresholds(unittest.TestCase):
    def test_values_agree_with_scikit_learn(self):
        y, scores = noisy_scores()
        judged = metric_values(y, scores > 0)
        for metric in METRICS:
            self.assertAlmostEqual(thresholds._value(metric, y, scores > 0), judged[metric], places=12)

    def test_global_thresholds_beat_zero_for_their_metric(self):
        y, scores = noisy_scores()
        for metric, threshold in thresholds.global_thresholds(scores, y, METRICS).items():
            self.assertGreater(metric_values(y, scores > threshold)[metric], metric_values(y, scores > 0)[metric])

    def test_label_thresholds_are_the_best_cut(self):
        y, scores = noisy_scores()
        chosen = thresholds.label_thresholds(scores, y)
        for j in range(y.shape[1]):
            best = max(f1_score(y[:, j], scores[:, j] >= cut) for cut in scores[:, j])
            self.assertAlmostEqual(f1_score(y[:, j], scores[:, j] > chosen[j]), best, places=12)

    def test_a_label_without_positives_is_never_predicted(self):
        y, scores = noisy_scores()
        y[:, 2] = False
        self.assertEqual(thresholds.label_thresholds(scores, y)[2], math.inf)


class PreparedData(unittest.TestCase):
    def test_both_layouts_come_back(self):
        y = sp.csr_matrix(np.array([[0, 1], [0, 0], [1, 1]], dtype=np.uint8))
        dense = np.array([[1, 0.5], [0, 2], [3, 0]], dtype=np.float32)
        for x in (dense, sp.csr_matrix(dense)):
            with tempfile.TemporaryDirectory() as folder:
                data.save(pathlib.Path(folder), "train", x, y)
                x_back, y_back = data.load(pathlib.Path(folder), "train")
                text = (pathlib.Path(folder) / "train.svm").read_text()
            self.assertEqual(sp.issparse(x_back), sp.issparse(x))
            self.assertTrue(np.array_equal(x_back.toarray() if sp.issparse(x_back) else x_back, dense))
            self.assertTrue(np.array_equal(y_back.toarray(), y.toarray()))
            self.assertEqual(text, "1 1:1 2:0.5\n 2:2\n0,1 1:3\n")


class Runner(unittest.TestCase):
    """run.py with a stand-in for the peers' Python that fails for one variant."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "data/emotions").mkdir(parents=True)
        (self.folder / "data/emotions/ready").touch()
        (self.folder / "venv/bin").mkdir(parents=True)
        peers = {name: {"version": "1"} for name, _, _ in tasks.PEERS} | {"xcolumns": {"error": "pip: no such package"}}
        (self.folder / "venv/peers.json").write_text(json.dumps({"peers": peers}))
        self.fake = self.folder / "venv/bin/python"
        self.fake.write_text(
            '#!/bin/sh\necho "$*" >> "$(dirname "$0")/calls"\n'
            'case "$*" in *"PLT"*) echo "it broke" >&2; exit 3;; esac\n'
            'echo \'{"seconds": {"fit": 1.0, "load": 0.1}, "objective": 5.0, "tolerance": 0.01, "metrics": {}}\'\n'
        )
        self.fake.chmod(0o755)

    def run_it(self, *flags):
        subprocess.run(
            [
                sys.executable,
                "-B",
                SOURCE / "benchmarks/peers/run.py",
                "--results",
                self.folder / "results.jsonl",
                "--data",
                self.folder / "data",
                "--python",
                self.fake,
                "--mmo",
                self.fake,
                "--worker",
                self.fake,
                "--sets",
                "emotions",
                *flags,
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        return [json.loads(line) for line in (self.folder / "results.jsonl").read_text().splitlines()]

    def test_repeats_are_interleaved_and_not_repeated_when_resumed(self):
        records = self.run_it("--time", "--repeats", "3")
        keys = [tuple(record["key"]) for record in records]
        first = len(set(keys))
        self.assertEqual(len(set(keys[:first])), first)  # every task once before any task again
        once = {"PLT", tasks.TARGET}  # fails; only sets a target
        self.assertEqual({keys.count(key) for key in keys if key[2] not in once}, {3})
        self.assertEqual({keys.count(key) for key in keys if key[2] in once}, {1})
        self.assertEqual(self.run_it("--time", "--repeats", "3"), records)
        repeated = {key for key in keys if key[2] not in once}
        self.assertEqual(len(self.run_it("--time", "--repeats", "4")), len(records) + len(repeated))

    def test_failures_are_recorded_with_their_reason(self):
        errors = {record["key"][2]: record["error"] for record in self.run_it("--quality") if "error" in record}
        self.assertEqual(errors, {"PLT": "it broke", "on LIBLINEAR -s 0": "pip: no such package"})

    def test_plain_fit_gets_the_objective_of_liblinear_and_the_tolerance_for_it(self):
        self.run_it("--time", "--repeats", "2")
        calls = (self.folder / "venv/bin/calls").read_text().splitlines()
        self.assertEqual(calls.count(f"tolerance {self.folder}/data/emotions 5.0"), 1)
        self.assertEqual(calls.count(f"time plain {self.folder}/data/emotions 1 0.01 5.0"), 2)

    def test_another_build_of_mmo_is_measured_anew(self):
        before = len(self.run_it("--time", "--repeats", "1"))
        self.fake.write_text(self.fake.read_text() + "# another build\n")
        after = self.run_it("--time", "--repeats", "1")[before:]
        self.assertEqual({record["key"][1] for record in after}, {"mmo"})

    def test_long_fits_are_repeated_less(self):
        task = tasks.Task("time", "liblinear", "liblinear", "-s 0", "emotions")
        for seconds, wanted in ((1, 5), (119, 5), (121, 3), (301, 1)):
            self.assertEqual(run.repeats_wanted(task, [{"seconds": {"fit": seconds}}], 5), wanted)

    def test_what_only_sets_the_target_is_measured_once(self):
        task = tasks.Task("time", "liblinear", "liblinear", tasks.TARGET, "emotions")
        self.assertEqual(run.repeats_wanted(task, [{"seconds": {"fit": 1}}], 5), 1)


class Report(unittest.TestCase):
    def test_ratios_are_taken_repeat_by_repeat(self):
        self.assertEqual(ratios([2, 40], [1, 10]), [2, 4])
        self.assertEqual(spread([2.0, 4.0, 3.0]), "3 (2 … 4, 3)")

    def test_the_exponent_of_a_power_law(self):
        self.assertAlmostEqual(growth_report.slope([(x, 3 * x**1.5) for x in (1, 10, 100)]), 1.5, places=12)

    def test_wins_are_counted_against_the_best_decision(self):
        def record(peer, variant, values):
            return {
                "key": ["quality", peer, variant, "scene", 1],
                "build": "b",
                "seconds": {},
                "metrics": {decision: dict.fromkeys(METRICS, value) for decision, value in values.items()},
            }

        lines = [record("mmo", f"{metric} standard", {"plain": 0.6}) for metric in METRICS]
        lines.append(record("napkinxc", "BR", {"plain": 0.5, "global threshold for micro-f1": 0.7}))
        text = quality_report.section(stored(lines))
        self.assertIn("**0 of 6 cells**", text)  # 0.7 is the best decision of every cell …
        self.assertIn("not tuned at all, in 5", text)  # … but was meant for micro-f1 alone
        self.assertIn("napkinxc BR, global threshold for micro-f1", text)
        self.assertIn("so far 1 of 15 peers' variants", text)

    def test_a_missed_bar_says_what_it_would_take(self):
        def record(peer, variant, seconds, **more):
            return {"key": ["time", peer, variant, "generated-500", 1], "build": "b", "seconds": seconds, **more}

        stages = {"L2 path, logistic": 0.04, "final fit": 0.01}
        search = {"stages": stages, "column_iterations": 1000, "nonzeros": 10000}
        lines = [
            record("liblinear", "-s 0", {"fit": 0.02}),
            record("mmo", "micro-f1 quick", {"fit": 0.01, "search": 0.05}, **search),
            record("mmo", "micro-f1 standard", {"fit": 0.01, "search": 0.02}, **search),
        ]
        text = time_report.search(stored(lines))
        # 1000·3·4·10000 bytes, 1000·4·10000 operations
        self.assertIn("in the bar's 0.01 s, 12 GB/s and 4 GFLOP/s", text)
        self.assertNotIn("generated-500, standard", text)  # 1.5 times: within its bar
        text = time_report.search(stored(lines), limits=(20, 5))
        self.assertIn("they take 0.014 s; the other stages took 0.01 s", text)  # 0.12/20 + 0.04/5

    def test_a_missed_bar_of_memory_says_what_the_weights_take(self):
        def records(peak):
            return [
                {
                    "key": ["time", peer, variant, "generated-500", 1],
                    "build": "b",
                    "seconds": {},
                    "start_kb": 1000,
                    "peak_kb": kb,
                }
                for peer, variant, kb in (("mmo", "plain", peak), ("napkinxc", "BR", 1400))
            ]

        # 2,000 features, 20 labels, 16 columns at once
        self.assertIn(
            "0.50 MB beside 0.40. mmo's weights of all labels are 0.16 MB", time_report.memory(stored(records(1500)))
        )
        self.assertNotIn("beside", time_report.memory(stored(records(1400))).split("| set |")[1])


class MicroReport(unittest.TestCase):
    def test_limits_are_the_best_of_the_repeats(self):
        runs = [
            {"run_name": "core_peak/iterations:1", "cached copy GB/s": speed, "copy GB/s": 9.0}
            for speed in (30.0, 40.0)
        ]
        runs.append({"run_name": "product/forward/features:500/nonzeros:20", "GFLOP/s": 25.0})
        self.assertEqual(micro_report.limits({"benchmarks": runs}), (40.0, 25.0))
        self.assertEqual(micro_report.limits({"benchmarks": []}), (None, None))

    def test_losses_are_compared_with_their_spread(self):
        def run(index, name, aggregate, ratio):
            return {
                "run_name": f"loss_and_gradient/{name}/labels:10",
                "aggregate_name": aggregate,
                "over BCE": ratio,
                "cpu_time": 2.5,
                "time_unit": "ms",
                "repetitions": 5,
                "family_index": index,
                "per_family_instance_index": 0,
            }

        repeats = {"lowest": 1.05, "median": 1.08, "highest": 1.2}
        runs = [run(1, "joint", aggregate, ratio) for aggregate, ratio in repeats.items()]
        text = micro_report.section({"benchmarks": runs})
        self.assertIn("| joint | 10 | 1.08 (1.05 … 1.20) |", text)


@unittest.skipUnless(os.path.exists(os.environ.get("MMO_WORKER", "")), "mmo_worker is not built (MMO_BENCHMARKS=OFF)")
class PlainFit(unittest.TestCase):
    # scikit-learn stops at a gradient of 1e-8 here; mmo's finest tolerance is 1e-6 of the value, in float32.
    TOLERANCE = 1e-5

    @staticmethod
    def worker(*arguments):
        command = [os.environ["MMO_WORKER"], *arguments]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def test_it_reaches_the_minimum_of_the_stated_objective(self):
        random = np.random.default_rng(5)
        x = random.normal(size=(300, 20)).astype(np.float32)
        y = (x[:, :4] + 0.5 * random.normal(size=(300, 4)) > 0.7).astype(np.uint8)
        least = 0.0
        for j in range(4):
            fit = LogisticRegression(C=1.0, tol=1e-8, max_iter=10000).fit(x, y[:, j])
            margin = (2.0 * y[:, j] - 1) * fit.decision_function(x)
            least += 0.5 * float(np.sum(fit.coef_**2)) + float(np.sum(np.logaddexp(0, -margin)))
        for features in (x, sp.csr_matrix(x)):
            with tempfile.TemporaryDirectory() as folder:
                for part in ("train", "test"):
                    data.save(pathlib.Path(folder), part, features, sp.csr_matrix(y))
                found = self.worker("tolerance", folder, repr(least))
                record = self.worker("time", "plain", folder, "1", repr(found["tolerance"]), repr(least))
            self.assertLess(abs(record["objective"] / least - 1), self.TOLERANCE)
            self.assertTrue({"fit", "predict"} <= record["seconds"].keys())


if __name__ == "__main__":
    unittest.main()
