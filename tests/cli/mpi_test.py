"""mmo train on several processes: the model file of one process byte for byte, and no process waits for a lost one."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from support import BINARY, SHARED_DATA, ProgramTest, as_csv, as_fasttext, as_svmlight, toy_documents, toy_rows

MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
WITH_MPI = pathlib.Path(BINARY).with_name("mmo-mpi").exists()
SECONDS_TO_END = 20  # of all processes after a fault, on a busy machine


class MpiTest(ProgramTest):
    def command(self, *arguments):
        return [BINARY, *map(str, arguments), "--threads", "1"]

    def together(self, processes, *arguments, code=0):
        run = subprocess.run([*MPIRUN, str(processes), *self.command(*arguments)], cwd=self.folder, env=ENVIRONMENT,
                             capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def different(self, first, second, code):
        """Two processes that are given different arguments: the one error, with its process."""
        start = time.monotonic()
        run = subprocess.run([*MPIRUN, "1", *self.command(*first), ":", "-np", "1", *self.command(*second)],
                             cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertLess(time.monotonic() - start, SECONDS_TO_END)
        errors = [line for line in run.stderr.splitlines() if line.startswith("mmo: error: ")]
        self.assertEqual(len(errors), 1, run.stderr)
        self.assertFalse((self.folder / "m.mmo").exists())
        return errors[0]


@unittest.skipUnless(shutil.which("mpirun") and WITH_MPI, "no mpirun, or mmo was built without MPI")
class Training(MpiTest):
    def assert_same(self, *arguments, processes=(2, 3, 4)):
        self.mmo("train", *arguments, "--model", "one.mmo", "--force", "--threads", "1")
        for count in processes:
            with self.subTest(processes=count, arguments=arguments):
                self.together(count, "train", *arguments, "--model", "several.mmo", "--force")
                self.assertEqual((self.folder / "one.mmo").read_bytes(), (self.folder / "several.mmo").read_bytes())

    def test_dense_tables_with_all_learners(self):
        self.write("toy.csv", as_csv(toy_rows(150)))
        self.assert_same("toy.csv", "--labels", "last:3", "--metric", "macro-f1", "--set", "learners=linear,kernel,forest,boosted")

    def test_sparse_features_and_more_processes_than_blocks(self):
        self.write("toy.svm", as_svmlight(toy_rows(150)))
        self.assert_same("toy.svm", "--metric", "micro-f1")

    def test_text_with_a_validation_file(self):
        documents = toy_documents(160)
        self.write("news.txt", as_fasttext(documents[:120]))
        self.write("valid.txt", as_fasttext(documents[120:]))
        self.assert_same("news.txt", "--metric", "samples-f1", "--valid", "valid.txt", processes=(2,))

    def test_lambda_search(self):
        self.write("toy.csv", as_csv(toy_rows(150)))
        for method in ("mmo", "ema"):
            self.assert_same("toy.csv", "--labels", "last:3", "--metric", "macro-f1", "--method", method, processes=(2,))

    def test_several_blocks_of_columns(self):
        rows = [(x, y * 20) for x, y in toy_rows(120)]  # 60 labels, 300 columns
        self.write("toy.svm", as_svmlight(rows))
        self.assert_same("toy.svm", "--metric", "macro-f1")

    def test_time_limit_is_one_for_all(self):
        self.write("toy.csv", as_csv(toy_rows(150)))
        self.together(3, "train", "toy.csv", "--labels", "last:3", "--metric", "macro-f1", "--model", "m.mmo",
                      "--time-limit", "0.01s")
        self.assertTrue((self.folder / "m.mmo").exists())

    def test_the_first_process_prints(self):
        self.write("toy.csv", as_csv(toy_rows(150)))
        arguments = ("train", "toy.csv", "--labels", "last:3", "--metric", "micro-f1", "--model", "m.mmo", "--json")
        result = json.loads(self.together(3, *arguments).stdout)
        self.assertGreater(result["bytes_received"], 0)

    def test_real_data_sets(self):
        for name in ("emotions", "scene", "birds", "yeast"):
            folder = SHARED_DATA / "mulan" / name
            if not folder.is_dir():
                self.skipTest(f"no {folder}")
            self.assert_same(str(folder / f"{name}-train.arff"), "--labels", str(folder / f"{name}.xml"),
                             "--metric", "micro-f1", processes=(2, 4))


@unittest.skipUnless(shutil.which("mpirun") and WITH_MPI, "no mpirun, or mmo was built without MPI")
class Faults(MpiTest):
    ARGUMENTS = ("--labels", "last:3", "--metric", "macro-f1", "--model", "m.mmo")

    def setUp(self):
        super().setUp()
        self.write("toy.csv", as_csv(toy_rows(120)))

    def test_a_common_error_is_told_once(self):
        run = self.together(3, "train", "absent.csv", *self.ARGUMENTS, code=5)
        self.assertEqual(run.stderr.count("mmo: error:"), 1, run.stderr)
        self.assertNotIn("process", run.stderr.splitlines()[0])

    def test_a_process_that_can_not_read_its_file(self):
        error = self.different(("train", "toy.csv", *self.ARGUMENTS), ("train", "absent.csv", *self.ARGUMENTS), 5)
        self.assertIn("process 1: ", error)
        self.assertIn("absent.csv", error)

    def test_processes_with_other_data(self):
        self.write("other.csv", as_csv(toy_rows(119)))
        error = self.different(("train", "toy.csv", *self.ARGUMENTS), ("train", "other.csv", *self.ARGUMENTS), 2)
        self.assertIn("process 1 has another data", error)
        self.assertIn("119 rows", error)

    def test_processes_with_other_values(self):
        text = self.read("toy.csv")
        self.write("other.csv", text[:-20] + text[-20:].replace("1", "0", 1))
        if self.read("other.csv") != text:
            error = self.different(("train", "toy.csv", *self.ARGUMENTS), ("train", "other.csv", *self.ARGUMENTS), 2)
            self.assertIn("process 1 has another data", error)

    def test_processes_with_other_flags(self):
        error = self.different(("train", "toy.csv", *self.ARGUMENTS),
                               ("train", "toy.csv", *self.ARGUMENTS, "--seed", "5"), 2)
        self.assertIn("process 1 has another task", error)

    def test_flags_that_one_process_does_not_know(self):
        error = self.different(("train", "toy.csv", *self.ARGUMENTS), ("train", "toy.csv", *self.ARGUMENTS, "--sed"), 2)
        self.assertIn("--sed", error)

    def test_standard_input_and_other_commands_are_refused(self):
        self.assertIn("standard input", self.together(2, "train", "-", *self.ARGUMENTS, code=2).stderr)
        self.assertIn("one process", self.together(2, "inspect", "toy.csv", code=2).stderr)

    def long_run(self):
        """A run that takes minutes, after its processes have begun to solve."""
        rows = [(x * 20, y * 20) for x, y in toy_rows(20_000)]
        self.write("long.svm", as_svmlight(rows))
        process = subprocess.Popen(
            [*MPIRUN, "2", *self.command("train", "long.svm", "--metric", "macro-f1", "--model", "m.mmo", "--method",
                                         "mmo", "--search", "scan", "--set", "lambda-step=0.001")],
            cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        time.sleep(3)
        self.assertIsNone(process.poll(), "the run was over too soon")
        return process

    def ranks(self, process):
        return [int(pid) for pid in
                pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]

    def assert_ended(self, process, ranks, since):
        self.assertNotEqual(process.wait(SECONDS_TO_END), 0)
        self.assertLess(time.monotonic() - since, SECONDS_TO_END)
        for pid in ranks:
            self.assertFalse(pathlib.Path(f"/proc/{pid}/cwd").exists(), "a process was left behind")
        self.assertEqual([name for name in self.files() if name.startswith("m.mmo")], [])

    def test_a_killed_process_ends_all(self):
        process = self.long_run()
        ranks, since = self.ranks(process), time.monotonic()
        os.kill(ranks[-1], signal.SIGKILL)
        self.assert_ended(process, ranks, since)
        self.assertIn("rank 1", process.stderr.read())

    def test_ctrl_c_ends_all(self):
        process = self.long_run()
        ranks, since = self.ranks(process), time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assert_ended(process, ranks, since)


@unittest.skipIf(WITH_MPI, "mmo was built with MPI")
class WithoutMpi(ProgramTest):
    def test_several_processes_are_refused(self):
        environment = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2"}
        self.assertIn("libopenmpi-dev", self.mmo("methods", code=2, env=environment).stderr)


if __name__ == "__main__":
    unittest.main()
