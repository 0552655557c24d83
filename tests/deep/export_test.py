"""mmo deep export: onnxruntime's scores and decisions are those of mmo deep predict, for every encoder."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import unittest

import numpy
import onnx
import onnxruntime
import torch
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(os.environ["MMO_SOURCE"]) / "tests/cli"))
from program_test import tiny_encoder, write_encoder  # noqa: E402
from support import SHARED_DATA, ProgramTest, as_fasttext, toy_documents  # noqa: E402

PROBE = os.environ["MMO_DEEP_PROBE"]
COCO = SHARED_DATA / "coco-mini"
# Probabilities, printed with six digits, after float32 sums in another order through up to fifty layers.
TOLERANCE = 2e-5


class Export(ProgramTest):
    def deep(self, *arguments):
        return self.mmo("deep", *arguments, "--threads", "1")

    def predicted(self, model, data, *flags):
        """probabilities and decisions, rows x labels"""
        tables = []
        for scores in (["--scores"], []):
            lines = self.deep("predict", model, data, "--as", "indicator", *scores, *flags).stdout.splitlines()
            tables.append(numpy.array([list(map(float, row)) for row in csv.reader(lines[1:])]))
        return tables

    def exported(self, model):
        """Checked by onnx's own checker; opened in onnxruntime."""
        self.deep("export", model, "--out", "model.onnx", "--force")
        path = self.folder / "model.onnx"
        onnx.checker.check_model(onnx.load(path), full_check=True)
        return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def agree(self, session, inputs, probabilities, decisions):
        scores, labels = session.run(["scores", "labels"], inputs)
        numpy.testing.assert_allclose(1 / (1 + numpy.exp(-scores.astype("f8"))), probabilities, atol=TOLERANCE, rtol=0)
        numpy.testing.assert_array_equal(labels, decisions)

    def tokens(self, texts):
        self.write("texts", "".join(text + "\0" for text in texts).encode())
        done = subprocess.run([PROBE, "tokens", self.folder / "bert/vocab.txt", self.folder / "texts", "128"],
                              check=True, capture_output=True, text=True)
        return [list(map(int, line.split())) for line in done.stdout.splitlines()]

    @staticmethod
    def padded(tokens, extra):
        """ids and mask, as wide as the longest row and `extra` more"""
        width = max(map(len, tokens)) + extra
        return {"input_ids": numpy.array([row + [0] * (width - len(row)) for row in tokens], "i8"),
                "attention_mask": numpy.array([[1] * len(row) + [0] * (width - len(row)) for row in tokens], "i8")}

    def agree_on_text(self, model):
        texts = [text for text, _ in toy_documents(40, seed=6)] + ["bread", ""]
        self.write("more.csv", "text\n" + "".join(f'"{text}"\n' for text in texts))
        probabilities, decisions = self.predicted(model, "more.csv", "--text-column", "text")
        self.assertTrue(0 < decisions.mean() < 1, "one-sided decisions would show nothing")
        session = self.exported(model)
        tokens = self.tokens(texts)
        for rows, extra in ((slice(0, 42), 0), (slice(0, 42), 9), (slice(3, 10), 1), (slice(5, 6), 0), (slice(40, 41), 30)):
            self.agree(session, self.padded(tokens[rows], extra), probabilities[rows], decisions[rows])
        about = session.get_modelmeta().custom_metadata_map
        self.assertEqual(json.loads(about["mmo"])["labels"], sorted(json.loads(about["mmo"])["labels"]))
        self.assertEqual(about["vocabulary"], self.read("bert/vocab.txt"))
        self.assertEqual(about["tokens"], "128")

    def text_with(self, tensors, config, words):
        write_encoder(self.folder / "bert", tensors, config, words)
        self.write("news.txt", as_fasttext(toy_documents(200)))

    def test_bert(self):
        self.text_with(*tiny_encoder())
        for pooling, head in (("mean", []), ("first", ["--hidden", "7"])):
            self.deep("train", "news.txt", "--backbone", "bert", "--pooling", pooling, "--lr", "1e-3", "--head-lr", "0.02",
                      "--epochs", "3", *head, "--model", f"{pooling}.mmod")
            self.agree_on_text(f"{pooling}.mmod")

    def test_distilbert(self):
        from transformers import DistilBertConfig, DistilBertModel
        words = tiny_encoder()[2]
        config = DistilBertConfig(vocab_size=len(words), dim=16, n_layers=2, n_heads=4, hidden_dim=32,
                                  max_position_embeddings=128, initializer_range=0.3)
        torch.manual_seed(0)
        tensors = {name: value.numpy() for name, value in DistilBertModel(config).state_dict().items()}
        self.text_with(tensors, config.to_dict(), words)
        self.deep("train", "news.txt", "--backbone", "bert", "--frozen", "--head-lr", "0.02", "--model", "m.mmod")
        self.agree_on_text("m.mmod")

    def test_features(self):
        self.toy()
        for head in ([], ["--hidden", "5"]):
            self.deep("train", "train.csv", "--labels", "last:3", "--head-lr", "0.02", *head, "--model", "toy.mmod", "--force")
            probabilities, decisions = self.predicted("toy.mmod", "test.csv", "--labels", "last:3")
            session = self.exported("toy.mmod")
            features = numpy.loadtxt(self.folder / "test.csv", "f4", delimiter=",", skiprows=1)[:, :6]
            for rows in (slice(None), slice(0, 1), slice(4, 9)):
                self.agree(session, {"features": features[rows]}, probabilities[rows], decisions[rows])

    def some_pictures(self, part):
        """PART.json with the annotations of twelve pictures, and their paths"""
        listed = json.loads((COCO / f"annotations/instances_{part}.json").read_text())
        listed["images"] = listed["images"][:12]
        kept = {image["id"] for image in listed["images"]}
        listed["annotations"] = [a for a in listed["annotations"] if a["image_id"] in kept]
        self.write(f"{part}.json", json.dumps(listed))
        return [COCO / part / image["file_name"] for image in listed["images"]]

    @unittest.skipUnless(COCO.is_dir(), "no coco-mini in ../shared/data")
    def test_real_data_pictures(self):
        from parity_test import EfficientNetLite0
        from transformers import ResNetConfig, ResNetModel
        torch.manual_seed(0)
        networks = {"resnet50": ResNetModel(ResNetConfig()), "efficientnet-lite0": EfficientNetLite0()}
        self.some_pictures("train2017")
        paths = self.some_pictures("val2017")  # a threshold lies at a training row's score: rounding would decide that row
        subprocess.run([PROBE, "pictures", self.folder / "pictures", *paths], check=True, capture_output=True)
        images = load_file(self.folder / "pictures")["images"]
        for name, network in networks.items():
            tensors = {key: value.numpy() for key, value in network.state_dict().items() if value.dtype == torch.float32}
            save_file(tensors, self.folder / "weights.safetensors")
            self.deep("train", "train2017.json", "--images", COCO / "train2017", "--network", name, "--backbone",
                      "weights.safetensors", "--frozen", "--epochs", "3", "--model", "m.mmod", "--force")
            probabilities, decisions = self.predicted("m.mmod", "val2017.json", "--images", COCO / "val2017")
            session = self.exported("m.mmod")
            for rows in (slice(None), slice(2, 3)):
                self.agree(session, {"images": images[rows]}, probabilities[rows], decisions[rows])

    def test_bad_input(self):
        self.toy()
        self.mmo("train", "train.csv", "--labels", "last:3", "--metric", "micro-f1", "--effort", "quick", "--model", "linear.mmo", "--quiet")
        self.refused(4, "linear.mmo", "deep", "export", "linear.mmo", "--out", "x.onnx")
        self.deep("train", "train.csv", "--labels", "last:3", "--model", "toy.mmod", "--epochs", "2")
        self.write("x.onnx", "mine")
        self.refused(5, "--force", "deep", "export", "toy.mmod", "--out", "x.onnx")


if __name__ == "__main__":
    unittest.main()
