"""Help fits a screen, and completion scripts are valid."""

import shutil
import subprocess
import unittest

from support import ProgramTest

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


if __name__ == "__main__":
    unittest.main()
