"""What every command prints with --json is what docs/schemas says."""

import json
import unittest

from support import SOURCE, ProgramTest, as_csv, toy_rows

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = SOURCE / "docs/schemas"
QUICK = ("--effort", "quick")


@unittest.skipIf(jsonschema is None, "jsonschema is not installed")
class SchemaTest(ProgramTest):
    def check(self, name, value):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(value)
        self.checked.add(name)

    def run_and_check(self, name, *arguments):
        self.check(name, self.mmo_json(*arguments))

    def check_models(self):
        for method in ("auto", "br", "mmo", "forest"):
            self.run_and_check("train", "train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--method", method,
                               "--model", f"{method}.mmo", *QUICK)
            self.run_and_check("inspect-model", "inspect", f"{method}.mmo")
            self.run_and_check("inspect-label", "inspect", f"{method}.mmo", "--label", "red")
        self.run_and_check("inspect-model", "inspect", "br.mmo", "--top", "2")
        self.run_and_check("inspect-importance", "inspect", "br.mmo", "--importance", "test.csv")
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "samples-f1", "--model", "rows.mmo", *QUICK)
        self.run_and_check("inspect-label", "inspect", "rows.mmo", "--label", "red")
        self.run_and_check("export", "export", "br.mmo", "br.onnx")

    def check_values(self):
        self.run_and_check("evaluate", "evaluate", "br.mmo", "test.csv", "--bootstrap", "20", "--at", "1,2")
        self.run_and_check("evaluate", "evaluate", "br.mmo", "test.csv", "--at", "1", "--propensities-from", "train.csv",
                           "--zero-division", "nan", "--known-labels-only")
        head, *rows = self.read("test.csv").splitlines()
        self.write("unseen.csv", "\n".join([head + ",black", *(row + ",1" for row in rows)]) + "\n")
        self.run_and_check("evaluate", "evaluate", "br.mmo", "unseen.csv", "--labels", "last:4")
        self.mmo("predict", "br.mmo", "test.csv", "--as", "indicator", "--scores", "--out", "scores.csv")
        for metric in ("macro-f1", "samples-f1"):
            self.run_and_check("tune", "tune", "scores.csv", "test.csv", "--labels", "last:3", "--metric", metric, "--out", "rule.json", "--force")
            self.check("rule", json.loads(self.read("rule.json")))
        self.write("keyed.csv", "\n".join([head + ",key", *(f"{row},{k}" for k, row in enumerate(rows))]) + "\n")
        for flags in ((), ("--scores", "--id", "key")):
            for line in self.mmo("predict", "br.mmo", "keyed.csv", "--json", *flags).stdout.splitlines():
                self.check("predict", json.loads(line))
        answers = self.mmo("predict", "br.mmo", "-", "--stream", "--json", stdin=head + "\n1,2\n").stdout
        self.check("predict", json.loads(answers))

    def test_every_output_is_as_its_schema_says(self):
        self.checked = set()
        self.write("train.csv", as_csv(toy_rows()))
        self.write("test.csv", as_csv(toy_rows(60, seed=9)))
        self.check_models()
        self.check_values()
        data = ("train.csv", "--labels", "last:3")
        self.run_and_check("inspect-data", "inspect", *data)
        self.run_and_check("split", "split", *data)
        self.run_and_check("convert", "convert", "train.csv", "out.svm", "--labels", "last:3")
        self.run_and_check("bounds", "bounds", *data, "--metric", "micro-f1")
        self.run_and_check("compare", "compare", *data, "--metrics", "micro-f1,macro-f1", "--methods", "br,linear", "--runs", "2", *QUICK)
        self.run_and_check("methods", "methods")
        self.run_and_check("demo", "demo", "--out", "demo", *QUICK)
        self.assertEqual(self.checked, {path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.json")})


if __name__ == "__main__":
    unittest.main()
