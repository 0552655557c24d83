"""Bad input: one message that names file, place and value and says what to do, a non-zero exit, nothing left
behind; and ugly but usable data are handled, with a warning."""

import gzip
import io
import struct
import unittest
import zipfile

from support import ProgramTest, as_arff, as_csv, as_svmlight, as_xml, toy_rows


def replace_line(text, number, line):
    lines = text.splitlines()
    lines[number - 1] = line
    return "\n".join(lines) + "\n"


class BadData(ProgramTest):
    def train_refused(self, fragments, name, content, *flags):
        self.write(name, content)
        self.refused(3, fragments, "train", name, "--metric", "micro-f1", "--model", "m.mmo", *flags)

    def test_svmlight(self):
        good = as_svmlight(toy_rows(20))
        for line, fragments in {"0 1:0.5 1:0.7": ["x.svm:5", "1"], "0 3:0.5 2:0.7": ["x.svm:5", "2"],
                                "0 -1:0.5": ["x.svm:5", "-1"], "0 99999999999:1": ["x.svm:5", "99999999999"],
                                "0 1:abc": ["x.svm:5", "abc"], "0 1:inf": ["x.svm:5", "inf"], "0 1:": ["x.svm:5"],
                                "0 1:0.5 7": ["x.svm:5", "7"]}.items():
            with self.subTest(line):
                self.train_refused(fragments, "x.svm", replace_line(good, 5, line))

    def test_csv(self):
        good = as_csv(toy_rows(20))
        for line, fragments in {"1,2,3": ["x.csv:5", "3", "9"], "1,2,inf,4,5,6,0,1,0": ["x.csv", "inf"], "1,2,3,4,5,6,0,1,2": ["x.csv:5", "'2'"],
                                '1,2,"3,4,5,6,0,1,0': ["x.csv:5"]}.items():
            with self.subTest(line):
                self.train_refused(fragments, "x.csv", replace_line(good, 5, line), "--labels", "last:3")
        self.train_refused(["x.csv", "'pink'"], "x.csv", good, "--labels", "red,pink")
        self.train_refused(["x.csv"], "x.csv", good, "--labels", "last:12")
        self.train_refused(["x.csv"], "x.csv", good.splitlines()[0] + "\n", "--labels", "last:3")
        self.train_refused(["x.csv"], "x.csv", good.replace("green", "red", 1), "--labels", "last:3")

    def test_arff_and_its_label_header(self):
        good = as_arff(toy_rows(20))
        self.write("x.xml", as_xml())
        first = good.splitlines().index("@data") + 2
        for line, fragments in {"1,2,3": [f"x.arff:{first}"], "1,2,x,4,5,6,0,1,0": [f"x.arff:{first}", "'x'"],
                                "1,2,3,4,5,6,0,1,7": [f"x.arff:{first}", "7"]}.items():
            with self.subTest(line):
                self.train_refused(fragments, "x.arff", replace_line(good, first, line))
        self.train_refused(["x.arff"], "x.arff", good[:good.index("@data")])
        self.train_refused(["x.arff"], "x.arff", good.replace("@attribute f2 numeric", "@attribute f2 nmeric"))
        self.write("more.xml", as_xml().replace("</labels>", '<label name="pink"></label></labels>'))
        self.train_refused(["pink"], "x.arff", good, "--labels", "more.xml")
        self.write("twice.xml", as_xml().replace("</labels>", '<label name="red"></label></labels>'))
        self.train_refused(["red"], "x.arff", good, "--labels", "twice.xml")
        self.write("broken.xml", as_xml()[:60])
        self.train_refused(["broken.xml"], "x.arff", good, "--labels", "broken.xml")

    def test_compressed_and_binary_files_cut_short(self):
        packed = gzip.compress(as_svmlight(toy_rows(200)).encode())
        self.train_refused(["x.svm.gz"], "x.svm.gz", packed[: len(packed) // 2])
        self.train_refused(["y.svm.gz"], "y.svm.gz", packed[:40] + b"\0\0\0\0" + packed[44:])
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as out:
            out.writestr("x.npy", b"\x93NUMPY\x01\x00")
        self.train_refused(["z.npz"], "z.npz", archive.getvalue())
        self.train_refused(["w.npz"], "w.npz", archive.getvalue()[:30])

    def test_missing_features_name_the_way_out(self):
        for name, writer, flags in [("x.csv", as_csv, ["--labels", "last:3"]), ("x.svm", as_svmlight, [])]:
            rows = toy_rows(60)
            text = writer(rows)
            value = str(rows[3][0][2])
            text = text.replace(value, "nan" if name == "x.svm" else "", 1)
            with self.subTest(name):
                self.train_refused([name, "--set missing=impute"], name, text, *flags, "--set", "missing=error")
                self.mmo("train", name, "--metric", "f1", "--model", name + ".mmo", *flags)
                self.mmo("predict", name + ".mmo", name)

    def test_too_little_to_learn(self):
        self.train_refused(["x.csv", "row"], "x.csv", as_csv(toy_rows(1)), "--labels", "last:3")
        self.train_refused(["y.csv"], "y.csv", as_csv([(x, [0, 0, 0]) for x, _ in toy_rows(20)]), "--labels", "last:3")
        self.train_refused(["empty.csv"], "empty.csv", "", "--labels", "last:3")
        self.train_refused(["no.svm"], "no.svm", "1:1 2:2\n1:2 2:3\n")

    def test_constant_and_absent_labels_are_handled_with_a_warning(self):
        rows = [(x, [y[0], 1, 0]) for x, y in toy_rows(80)]
        self.write("x.csv", as_csv(rows))
        run = self.mmo("train", "x.csv", "--labels", "last:3", "--metric", "macro-f1", "--model", "m.mmo", "--effort", "quick")
        self.assertIn("warning", run.stderr)
        self.assertIn("blue", run.stderr)
        predicted = self.mmo("predict", "m.mmo", "x.csv").stdout
        self.assertNotIn("blue", predicted)
        self.assertTrue(all("green" in line for line in predicted.splitlines()))


class WrongFlags(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy()

    def test_each_is_refused_with_what_to_do(self):
        base = ["train", "train.csv", "--labels", "last:3", "--model", "m.mmo"]
        for fragments, flags in [(["'micro-f7x'", "micro-f1"], ["--metric", "micro-f7x"]),
                                 (["TP"], ["--metric", "micro:(TP)/(TP-FP)"]),
                                 (["'best'", "auto"], ["--metric", "f1", "--method", "best"]),
                                 (["slow", "quick"], ["--metric", "f1", "--effort", "slow"]),
                                 (["tua", "tau"], ["--metric", "f1", "--set", "tua=1"]),
                                 (["key=value"], ["--metric", "f1", "--set", "tau"]),
                                 (["--memory", "leave it out"], ["--metric", "f1", "--memory", "0"]),
                                 (["--time-limit", "leave it out"], ["--metric", "f1", "--time-limit", "0s"]),
                                 (["lots", "4G"], ["--metric", "f1", "--memory", "lots"]),
                                 (["soon", "10m"], ["--metric", "f1", "--time-limit", "soon"]),
                                 (["--metric"], []),
                                 (["--metrc"], ["--metrc", "f1", "--metric", "f1"]),
                                 (["2", "nan"], ["--metric", "f1", "--zero-division", "2"]),
                                 (["word", "csv"], ["--metric", "f1", "--format", "word"]),
                                 (["--seed", "-1"], ["--metric", "f1", "--seed", "-1"]),
                                 (["min-labels", "whole"], ["--metric", "f1", "--set", "min-labels=1.5"]),
                                 (["lambda", "--search"], ["--metric", "f1", "--search", "scan", "--set", "lambda=0.5"]),
                                 (["rule"], ["--metric", "recall", "--subject-to", "precision>=0.5", "--set", "rule=zero"]),
                                 (["MB"], ["--metric", "f1", "--memory", "1K"])]:
            with self.subTest(flags):
                self.refused(2, fragments, *base, *flags)
        self.refused(2, "trian", "trian", "train.csv")
        self.refused(2, "'tcsh'", "completion", "tcsh")
        self.refused(2, "DATA is required", "train", "--metric", "f1", "--model", "m.mmo")
        self.refused(2, ["table", "--to"], "convert", "train.csv", "table", "--labels", "last:3")

    def test_label_columns_of_a_format_without_columns(self):
        self.write("x.svm", as_svmlight(toy_rows(20)))
        self.refused(2, ["x.svm", "--labels", "svmlight"], "train", "x.svm", "--labels", "last:3", "--metric", "f1",
                     "--model", "m.mmo")

    def test_fewer_groups_than_folds(self):
        lines = as_csv(toy_rows()).splitlines()
        for groups, said in [(4, "4 folds instead of 5: there are no more groups"), (1, "one group")]:
            rows = [f"{line},g{i % groups}" for i, line in enumerate(lines[1:])]
            self.write("g.csv", "\n".join([lines[0] + ",group"] + rows) + "\n")
            done = self.mmo("train", "g.csv", "--labels", "red,green,blue", "--groups", "group", "--metric", "f1",
                            "--model", "m.mmo", "--force", code=0 if groups > 1 else 3)
            self.assertIn(said, done.stderr)

    def test_rows_of_weight_0_are_as_if_they_were_not_there(self):
        lines = as_csv(toy_rows()).splitlines()
        kept = [f"{line},1" for i, line in enumerate(lines[1:]) if i % 4]
        all_rows = [f"{line},{int(i % 4 > 0)}" for i, line in enumerate(lines[1:])]
        found = []
        for rows in (kept, all_rows):
            self.write("w.csv", "\n".join([lines[0] + ",w"] + rows) + "\n")
            self.mmo("train", "w.csv", "--labels", "red,green,blue", "--weights", "w", "--metric", "f1", "--model", "m.mmo",
                    "--force")
            found.append(self.mmo("predict", "m.mmo", "train.csv", "--as", "indicator", "--scores").stdout)
        self.assertEqual(*found)

    def test_a_column_without_a_label_in_any_row(self):
        self.write("some.csv", "x,y,tags\n1,2,a;b\n2,3,\n3,4,b\n4,5,a\n")
        self.write("none.csv", "x,y,tags\n1,2,\n2,3,\n")
        self.refused(3, ["none.csv", "no row has a label"], "train", "none.csv", "--labels", "tags", "--metric", "f1",
                     "--model", "m.mmo")
        self.mmo("train", "some.csv", "--labels", "tags", "--metric", "f1", "--model", "m.mmo")
        self.mmo("evaluate", "m.mmo", "none.csv")

    def test_weights_that_leave_nothing(self):
        base = ["train", "train.csv", "--labels", "last:3", "--metric", "f1", "--model", "m.mmo"]
        self.write("labels.json", '{"red": 0, "green": 0, "blue": 0}')
        self.refused(3, ["labels.json", "0"], *base, "--label-weights", "labels.json")
        self.write("classes.json", '{"red": {"positive": 0, "negative": 0}}')
        self.refused(3, ["classes.json", "'red'"], *base, "--class-weights", "classes.json")

    def test_missing_files(self):
        self.refused(5, "nothing.csv", "train", "nothing.csv", "--metric", "f1", "--model", "m.mmo")
        self.refused(5, "nothing.mmo", "predict", "nothing.mmo", "train.csv")
        self.refused(5, "nothing.toml", "train", "train.csv", "--config", "nothing.toml")


class WrongModels(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy_model()
        self.model = (self.folder / "model.mmo").read_bytes()

    def test_every_truncation_is_refused(self):
        header = 8 + struct.unpack("<Q", self.model[:8])[0]
        for size in [0, 4, 8, 9, header // 2, header - 1, header, header + 1, (header + len(self.model)) // 2, len(self.model) - 1]:
            with self.subTest(size):
                self.write("cut.mmo", self.model[:size])
                self.refused(4, "cut.mmo", "predict", "cut.mmo", "test.csv")

    def test_altered_headers_are_refused(self):
        for old, new in [(b'"F32"', b'"F99"'), (b'"data_offsets":[0,', b'"data_offsets":[9,'), (b'"shape"', b'"shapo"')]:
            with self.subTest(old):
                self.assertIn(old, self.model)
                self.write("odd.mmo", self.model.replace(old, new))
                self.refused(4, "odd.mmo", "predict", "odd.mmo", "test.csv")
        self.write("huge.mmo", b"\xff" * 8 + self.model[8:])
        self.refused(4, "huge.mmo", "predict", "huge.mmo", "test.csv")
        self.refused(4, "test.csv", "predict", "test.csv", "test.csv")

    def test_model_and_data_in_each_others_place(self):
        for command in ("predict", "evaluate"):
            self.refused(2, ["model.mmo is a model", "the model comes first"], command, "train.csv", "model.mmo")

    def test_data_of_another_set(self):
        self.write("other.csv", "a,b,red,green,blue\n1,2,0,1,0\n2,1,1,0,0\n")
        self.refused(3, ["other.csv", "6 feature columns", "'f0'"], "predict", "model.mmo", "other.csv")

    def test_scores_are_no_predictions(self):
        self.mmo("predict", "model.mmo", "train.csv", "--as", "indicator", "--scores", "--out", "p.csv")
        self.refused(3, ["p.csv:2", "mmo tune"], "evaluate", "--predictions", "p.csv", "train.csv", "--labels", "last:3")

    def test_data_that_do_not_fit(self):
        fewer = "\n".join(line.split(",", 1)[1] for line in self.read("test.csv").splitlines()) + "\n"
        run = self.mmo("predict", "model.mmo", self.write("fewer.csv", fewer), code=3)
        self.assertIn("fewer.csv", run.stderr)
        other = self.read("test.csv").replace("f2", "g2", 1)
        run = self.mmo("predict", "model.mmo", self.write("other.csv", other), code=3)
        self.assertIn("'f2'", run.stderr)
        self.write("more.svm", "0 1:1 40:1\n")
        run = self.mmo("predict", "model.mmo", "more.svm", code=3)
        self.assertIn("40", run.stderr)


if __name__ == "__main__":
    unittest.main()
