"""Help fits a screen, completion scripts are valid, and README's commands work as printed."""

import re
import shutil
import subprocess
import unittest

from support import SOURCE, ProgramTest, as_arff, as_xml, toy_rows

COMMANDS = ["train", "predict", "evaluate", "tune", "report", "inspect", "convert", "split", "export", "compare", "bounds", "paper", "deep", "methods",
            "demo", "completion"]
SCREEN_LINES, SCREEN_COLUMNS = 32, 110


class Help(ProgramTest):
    def test_every_command_fits_a_screen_and_has_examples(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.mmo(command, "--help").stdout
                self.assertLessEqual(len(text.splitlines()), SCREEN_LINES)
                self.assertLessEqual(max(map(len, text.splitlines())), SCREEN_COLUMNS)
                self.assertRegex(text, rf"Examples?:\n  .*mmo {command}|Examples?:\n  .*completion")

    def test_the_program_lists_commands_and_exit_codes(self):
        text = self.mmo("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  {command}", text)
        self.assertIn("Exit codes", text)
        self.assertEqual(self.mmo().stdout, text)
        self.assertRegex(self.mmo("--version").stdout, r"^mmo \d+\.\d+\.\d+\n$")

    def test_completion_knows_commands_flags_and_values(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.mmo("completion", shell).stdout
            for word in COMMANDS + ["micro-f1"]:
                self.assertIn(word, script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)
        script = self.mmo("completion", "bash").stdout
        ask = script + '\nCOMP_WORDS=(mmo train --eff); COMP_CWORD=2; _mmo; echo "${COMPREPLY[@]}"\n' \
                       'COMP_WORDS=(mmo train --effort q); COMP_CWORD=3; _mmo; echo "${COMPREPLY[@]}"\n'
        self.assertEqual(subprocess.run(["bash"], input=ask, text=True, capture_output=True).stdout, "--effort\nquick\n")


class Readme(ProgramTest):
    def test_examples_work_as_printed(self):
        """Each line of README's ```sh example blocks that starts with mmo, on data of the names used there."""
        for part, seed in (("train", 1), ("test", 9)):
            self.write(f"emotions-{part}.arff", as_arff(toy_rows(120, seed)))
        self.write("emotions.xml", as_xml())
        self.write("emotions-train.xml", as_xml())
        self.write("emotions-test.xml", as_xml())
        blocks = re.findall(r"```sh example\n(.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL)
        commands = [line.split("#")[0].strip() for block in blocks for line in block.splitlines() if line.startswith("mmo ")]
        self.assertGreater(len(commands), 3)
        for command in commands:
            with self.subTest(command):
                subprocess.run(command, shell=True, check=True, cwd=self.folder, capture_output=True, env=self.environment())

    def environment(self):
        import os
        from support import BINARY

        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        link = folder / "mmo"
        if not link.exists():
            link.symlink_to(BINARY)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


if __name__ == "__main__":
    unittest.main()
