"""The recipes of docs/python.md, run as they stand there with the libraries they are for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from mmo.torch import MetricThreshold, MMOLoss, log_odds, trainer_loss, trainer_metrics  # noqa: E402

ROWS, FEATURES, LABELS = 400, 12, 5
GUIDE = Path(__file__).parents[2] / "docs" / "python.md"


def recipe(word: str) -> str:
    """The code block of the guide that has this word."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return next(block for block in blocks if word in block)


def rows() -> tuple[Any, Any]:
    made = torch.Generator().manual_seed(0)
    x = torch.randn(ROWS, FEATURES, generator=made)
    truth = torch.randn(FEATURES, LABELS, generator=made)
    return x, (x @ truth + torch.randn(ROWS, LABELS, generator=made) > 2).float()


def network(y: Any) -> Any:
    torch.manual_seed(0)
    layer = torch.nn.Linear(FEATURES, LABELS)
    layer.bias.data.copy_(log_odds(y))
    return layer


def test_lightning(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning")
    names = {"LightningModule": lightning.LightningModule, "torch": torch}
    names |= {"MMOLoss": MMOLoss, "MetricThreshold": MetricThreshold}
    exec(recipe("LightningModule"), names)

    class Trained(names["Tagger"]):  # type: ignore[name-defined, misc]
        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), lr=0.03)

    x, y = rows()
    cells = [{"x": x[i], "y": y[i]} for i in range(ROWS)]
    train = torch.utils.data.DataLoader(cells[:300], batch_size=25, shuffle=True)
    valid = torch.utils.data.DataLoader(cells[300:], batch_size=25)
    model = Trained(network(y[:300]), LABELS)
    trainer = lightning.Trainer(
        max_epochs=8, accelerator="cpu", logger=False, enable_progress_bar=False, default_root_dir=tmp_path
    )
    trainer.fit(model, train, valid)
    assert trainer.callback_metrics["macro-f1"] > 0.7
    assert not model.seen  # one epoch's rows, then forgotten
    path = tmp_path / "model.ckpt"
    trainer.save_checkpoint(path)
    saved = torch.load(path, weights_only=False)["state_dict"]
    assert torch.equal(saved["loss.state"], model.loss.state)  # λ goes with the checkpoint
    assert (saved["loss.state"][4] > 0).all()


@pytest.mark.parametrize("accumulation", [1, 3])
def test_trainer(tmp_path: Path, accumulation: int) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    x, y = rows()

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = network(y[:300])

        def forward(self, x: Any, labels: Any = None) -> dict[str, Any]:
            return {"logits": self.layer(x)}

    cells = [{"x": x[i], "labels": y[i]} for i in range(ROWS)]
    names = {"Trainer": transformers.Trainer}
    names |= {"model": Model(), "MMOLoss": MMOLoss, "trainer_loss": trainer_loss, "trainer_metrics": trainer_metrics}
    names["arguments"] = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        num_train_epochs=8,
        per_device_train_batch_size=24 // accumulation,
        gradient_accumulation_steps=accumulation,
        learning_rate=0.03,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        save_strategy="no",
        seed=0,
    )
    names |= {"train": cells[:300], "valid": cells[300:]}
    exec(recipe("trainer_loss(loss)").replace("...)", "train_dataset=train, eval_dataset=valid)"), names)
    before = names["loss"].state.clone()
    assert names["trainer"].evaluate()["eval_micro-f1"] > 0.7
    assert torch.equal(names["loss"].state, before)  # λ rests while evaluating
    assert 0.5 < names["loss"].lambdas.item() < 1


def test_accumulated_gradients_are_those_of_the_whole_batch() -> None:
    """Parts' sums over the number of known labels of all parts: the mean over the batch, at the λ of the parts."""
    x, y = rows()
    y[::7, 2] = -100
    loss = MMOLoss("micro-f1", ignore_value=-100).eval()
    compute = trainer_loss(loss)
    whole, parts = network(y[:300].clamp(min=0)), network(y[:300].clamp(min=0))
    compute({"logits": whole(x)}, y).backward()
    known = (y != -100).sum()
    for part in torch.arange(ROWS).chunk(4):
        compute({"logits": parts(x[part])}, y[part], num_items_in_batch=known).backward()
    torch.testing.assert_close(parts.weight.grad, whole.weight.grad)
