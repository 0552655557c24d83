"""The built program carries the protections of cmake/hardening.cmake: read from the binary, not from the flags."""

import os
import subprocess
import unittest

BINARY = os.environ["MMO_BINARY"]


def readelf(option):
    return subprocess.run(["readelf", "--wide", option, BINARY], capture_output=True, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    def test_the_program_is_loaded_anywhere(self):
        self.assertRegex(readelf("--file-header"), r"Type: +DYN")
        self.assertRegex(readelf("--dynamic"), r"FLAGS_1.*\bPIE\b")

    def test_addresses_of_functions_are_read_only_once_it_runs(self):
        self.assertIn("GNU_RELRO", readelf("--segments"))
        self.assertRegex(readelf("--dynamic"), r"FLAGS_1.*\bNOW\b")
        self.assertNotIn("TEXTREL", readelf("--dynamic"))

    def test_no_memory_is_both_writable_and_executable(self):
        segments = readelf("--segments")
        self.assertIn("GNU_STACK", segments)
        self.assertNotIn("RWE", segments)

    def test_libraries_are_looked_for_in_the_system_only(self):
        self.assertNotRegex(readelf("--dynamic"), r"R(UN)?PATH")


if __name__ == "__main__":
    unittest.main()
