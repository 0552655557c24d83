"""Training and evaluation on public data sets, where they are present. The floors are the values of one plain
logistic regression per label (LIBLINEAR -s 0, threshold 0): every default run must beat them."""

import unittest

from support import SHARED_DATA, ProgramTest

# micro-F1 of the plain fit on the official test part
FLOORS = {"emotions": 0.641, "scene": 0.638, "birds": 0.374, "yeast": 0.625, "delicious": 0.261}
REUTERS_FLOOR = 0.729
# cal500 has no official split; a constant prediction of its frequent labels reaches about .33
CAL500_FLOOR = 0.36


@unittest.skipUnless(SHARED_DATA.is_dir(), "the public data sets are not here")
class RealData(ProgramTest):
    def micro_f1(self, train, test, *flags):
        run = self.mmo_json("train", train, "--metric", "micro-f1", "--model", "m.mmo", *flags)
        value = self.mmo_json("evaluate", "m.mmo", test, *flags[:2])["metrics"]["micro-f1"]
        self.assertEqual(run["out_of_fold"]["metric"], "micro-f1")
        return value

    def test_real_data_mulan(self):
        for name, floor in FLOORS.items():
            with self.subTest(name):
                folder = SHARED_DATA / "mulan" / name
                value = self.micro_f1(folder / f"{name}-train.arff", folder / f"{name}-test.arff", "--labels", folder / f"{name}.xml",
                                      "--force", "--effort", "quick" if name == "delicious" else "standard")
                self.assertGreater(value, floor)

    def test_real_data_cal500_split_here(self):
        folder = SHARED_DATA / "mulan" / "cal500"
        self.mmo("split", folder / "cal500.arff", "--labels", folder / "cal500.xml", "--test-share", "0.2", "--out", "cal500.arff")
        self.assertGreater(self.micro_f1("cal500-train.arff", "cal500-test.arff"), CAL500_FLOOR)

    def test_real_data_reuters_from_raw_text(self):
        folder = SHARED_DATA / "reuters21578"
        self.mmo("train", folder, "--part", "train90", "--metric", "micro-f1", "--model", "m.mmo", "--effort", "quick")
        value = self.mmo_json("evaluate", "m.mmo", folder, "--part", "test90")["metrics"]["micro-f1"]
        self.assertGreater(value, REUTERS_FLOOR)
        topics = self.mmo("predict", "m.mmo", "-", stdin="Wheat and corn exports rose, the agriculture department said\n").stdout
        self.assertIn("grain", topics.split())


if __name__ == "__main__":
    unittest.main()
