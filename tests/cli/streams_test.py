"""Standard streams that are closed, devices, pipes and links as outputs, and Ctrl-C while nothing comes."""

import fcntl
import os
import signal
import stat
import subprocess
import threading
import time
import unittest

from support import BINARY, ProgramTest, as_csv, toy_rows

CONVERT = ["convert", "train.csv", "out.svm", "--labels", "last:3", "--force"]


class ClosedStreams(ProgramTest):
    def run_closed(self, closed, *arguments):
        def close():
            for descriptor in closed:
                os.close(descriptor)

        return subprocess.run([BINARY, *arguments], cwd=self.folder, preexec_fn=close, timeout=60).returncode

    def test_nothing_lands_in_an_output(self):
        self.toy_model()
        commands = [(CONVERT, ["out.svm"]), (["export", "model.mmo", "m.onnx", "--force"], ["m.onnx"]),
                    (["predict", "model.mmo", "test.csv", "--out", "p", "--force"], ["p"]),
                    (["split", "train.csv", "--labels", "last:3", "--force"], ["train-train.csv", "train-test.csv"])]
        for arguments, outputs in commands:
            self.mmo(*arguments)
            whole = [(self.folder / name).read_bytes() for name in outputs]
            for closed in ([0], [1], [2], [0, 1], [0, 1, 2]):
                with self.subTest(command=arguments[0], closed=closed):
                    for name in outputs:
                        (self.folder / name).unlink()
                    # A report that can't be printed is an error, but not one of the file's.
                    self.assertIn(self.run_closed(closed, *arguments), (0, 5))
                    self.assertEqual([(self.folder / name).read_bytes() for name in outputs], whole)

    def test_results_that_go_nowhere_are_an_error(self):
        self.toy_model()
        self.assertEqual(self.run_closed([1], "predict", "model.mmo", "test.csv"), 5)
        self.assertEqual(self.run_closed([1], "evaluate", "model.mmo", "test.csv"), 5)
        self.assertEqual(self.run_closed([0], "inspect", "-"), 5)


class Targets(ProgramTest):
    """The rules of every writer, tried with convert and split."""

    def setUp(self):
        super().setUp()
        self.toy()
        self.mmo(*CONVERT)
        self.whole = (self.folder / "out.svm").read_bytes()
        self.flags = ["--labels", "last:3", "--to", "svmlight", "--force"]

    def test_a_device_stays_one(self):
        if os.geteuid() != 0:
            self.skipTest("making a device needs root")
        device = self.folder / "null"
        try:
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            device.write_bytes(b"x")
        except OSError:
            self.skipTest("no devices in this folder")
        for arguments in (["convert", "train.csv", "null", *self.flags], ["convert", "train.csv", "null", "--labels", "last:3", "--to", "arff"]):
            self.mmo(*arguments)
            self.assertTrue(stat.S_ISCHR(device.stat().st_mode))
        self.assertNotIn("null.xml", self.files())

    def test_a_pipe_is_written_to(self):
        os.mkfifo(self.folder / "pipe")
        found = []
        reader = threading.Thread(target=lambda: found.append((self.folder / "pipe").read_bytes()))
        reader.start()
        self.mmo("convert", "train.csv", "pipe", *self.flags)
        reader.join(10)
        self.assertEqual(found, [self.whole])
        self.assertTrue(stat.S_ISFIFO((self.folder / "pipe").stat().st_mode))

    def test_links_are_followed(self):
        self.write("real.svm", "old")
        for name, target in (("link", "real.svm"), ("dangling", "new.svm")):
            (self.folder / name).symlink_to(target)
            self.mmo("convert", "train.csv", name, *self.flags)
            self.assertTrue((self.folder / name).is_symlink())
            self.assertEqual((self.folder / target).read_bytes(), self.whole)

    def test_modes_are_kept(self):
        self.write("secret-train.csv", "old")
        (self.folder / "secret-train.csv").chmod(0o600)
        self.mmo("split", "train.csv", "--labels", "last:3", "--out", "secret.csv", "--force")
        self.assertEqual((self.folder / "secret-train.csv").stat().st_mode & 0o777, 0o600)

    def test_read_only_files_are_refused(self):
        self.write("kept.svm", "old")
        (self.folder / "kept.svm").chmod(0o444)
        self.refused(5, ["kept.svm", "read-only"], "convert", "train.csv", "kept.svm", *self.flags)
        self.assertEqual(self.read("kept.svm"), "old")

    def test_a_file_in_dev_shm_is_a_file(self):
        folder = "/dev/shm"
        if not os.path.isdir(folder):
            self.skipTest("no /dev/shm")
        path = f"{folder}/mmo-test-{os.getpid()}.svm"
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        with open(path, "w") as file:
            file.write("old " * 10_000)
        self.mmo("convert", "train.csv", path, *self.flags[:-1], code=5)
        self.mmo("convert", "train.csv", path, *self.flags)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), self.whole)


class Sets(ProgramTest):
    def test_all_or_nothing(self):
        self.toy()
        self.write("data.xml", "precious")
        self.refused(5, "data.xml", "convert", "train.csv", "data.arff", "--labels", "last:3")
        self.write("train-fold2-test.csv", "precious")
        self.refused(5, "train-fold2-test.csv", "split", "train.csv", "--labels", "last:3", "--folds", "3")
        self.assertEqual(self.read("train-fold2-test.csv"), "precious")

    def test_what_killed_runs_left_is_removed(self):
        self.toy()
        self.write(".mmo-99999-0.tmp", "half a file")
        self.write(".mmo-notes", "of somebody else")
        self.write(".mmo-99999-1.tmp", "of a run that is not finished")
        with open(self.folder / ".mmo-99999-1.tmp") as running:
            fcntl.flock(running, fcntl.LOCK_EX)
            self.mmo(*CONVERT)
        self.assertEqual([name for name in self.files() if name.startswith(".mmo")], [".mmo-99999-1.tmp", ".mmo-notes"])

    def test_a_run_that_is_killed(self):
        self.toy()
        os.mkfifo(self.folder / "slow")
        program = subprocess.Popen([BINARY, "split", "slow", "--format", "csv", "--labels", "last:3", "--out", "x.csv"], cwd=self.folder)
        with open(self.folder / "slow", "w") as writer:
            writer.write(as_csv(toy_rows()))
            writer.flush()
            program.kill()
        program.wait()
        self.mmo(*CONVERT)
        self.assertEqual(self.files(), ["out.svm", "slow", "test.csv", "train.csv"])


class Blocked(ProgramTest):
    """The first Ctrl-C ends a program that waits for others."""

    def interrupted(self, *arguments, **options):
        program = subprocess.Popen([BINARY, *arguments], cwd=self.folder, stderr=subprocess.PIPE, **options)
        time.sleep(0.7)
        self.assertIsNone(program.poll(), "it did not wait")
        program.send_signal(signal.SIGINT)
        try:
            _, errors = program.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            program.kill()
            program.communicate()
            self.fail("Ctrl-C had no effect")
        self.assertEqual(program.returncode, 130, errors)

    def test_input(self):
        os.mkfifo(self.folder / "pipe")
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        self.interrupted("inspect", "-", stdin=reading)
        self.interrupted("inspect", "pipe", "--format", "csv")

    def test_output(self):
        self.toy_model()
        os.mkfifo(self.folder / "pipe")
        self.interrupted("predict", "model.mmo", "test.csv", "--out", "pipe")
        self.write("long.csv", as_csv(toy_rows(20_000)))
        reading, writing = os.pipe()  # nobody reads
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        self.interrupted("predict", "model.mmo", "long.csv", "--as", "jsonl", "--scores", stdout=writing)


class Compression(ProgramTest):
    def test_sizes_that_are_whole_blocks(self):
        """1 MiB is the reader's block."""
        line = b"1,2,3,4,5,6,0,0,1,0000\n"
        head = b"a,b,c,d,e,f,red,green,blue,pad\n"
        block = 1 << 20
        body = line * ((block - len(head)) // len(line))
        rest = block - len(head) - len(body)
        content = head + body[: -len(line)] + line[:-1] + b"0" * rest + b"\n"
        self.assertEqual(len(content), block)
        for times in (1, 2, 3):
            text = content + (content[len(head):] + b"\n" * len(head)) * (times - 1)
            self.write("x.csv", text)
            plain = self.mmo_json("inspect", "x.csv", "--labels", "red,green,blue")
            for packer in ("zstd", "gzip"):
                packed = subprocess.run([packer, "-c"], input=text, capture_output=True)
                if packed.returncode != 0:
                    continue
                self.write("x.csv", packed.stdout)
                self.assertEqual(self.mmo_json("inspect", "x.csv", "--labels", "red,green,blue"), plain, (packer, times))


if __name__ == "__main__":
    unittest.main()
