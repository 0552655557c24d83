"""tools/mutants.py: what is mutated, and what is left alone."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
sys.dont_write_bytecode = True
import mutants  # noqa: E402

SOURCE = """#include <a-1.h>
// 3 + 4
double f(std::vector<int> x, double y) {  // x < 5
  if (x.empty() || y >= 0.5) fail("1 + 1");
  const float z = 1e-12F;
  return std::min(y - 2, 0.0) * x[10];
}
"""


class Mutants(unittest.TestCase):
    def test_operators_numbers_and_calls(self):
        found = [(m.line, m.correct.strip(), m.wrong.strip()) for m in mutants.mutants_of(SOURCE)]
        self.assertEqual(sorted(found), [(4, "0.5", "0.625"), (4, ">=", ">"), (4, "||", "&&"), (6, "*", "/"), (6, "-", "+"),
                                         (6, "0.0", "1.0"), (6, "10", "11"), (6, "2", "3"), (6, "std::min(", "std::max(")])

    def test_each_changes_one_place(self):
        for mutant in mutants.mutants_of(SOURCE):
            changed = mutants.apply(SOURCE, mutant)
            lines = [(a, b) for a, b in zip(SOURCE.splitlines(), changed.splitlines()) if a != b]
            self.assertEqual(len(lines), 1)

    def test_drawn_from_a_seed(self):
        files = {"a.cpp": SOURCE, "b.cpp": SOURCE}
        self.assertEqual(mutants.draw(files, 3), mutants.draw(files, 3))
        self.assertNotEqual(mutants.draw(files, 3), mutants.draw(files, 4))
        self.assertEqual(len(mutants.draw(files, 3)), 18)


if __name__ == "__main__":
    unittest.main()
