"""mmo.torch: equal to the core, and a good citizen of torch."""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmo
from mmo import _core, metrics

torch = pytest.importorskip("torch")

from mmo.torch import (  # noqa: E402
    AsymmetricLoss,
    LambdaFrom,
    MetricThreshold,
    MMOLoss,
    SigmoidF1Loss,
    log_odds,
    trainer_loss,
    trainer_metrics,
)

FLOAT = {"rtol": 2e-5, "atol": 2e-6}  # 32-bit sums of some hundred cells
METRICS = ["micro-f1", "micro-jaccard", "micro-f2", "hamming-accuracy", "micro:(3*TP)/(3*TP+FP+2*FN)"]


def batch(rows: int = 12, labels: int = 7, seed: int = 0, soft: bool = False) -> tuple[Any, Any]:
    made = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(rows, labels, generator=made)
    targets = torch.rand(rows, labels, generator=made)
    return logits, targets if soft else (targets < 0.3).float()


def general(loss: MMOLoss) -> MMOLoss:
    """The same loss without the core's fused step."""
    made = copy.deepcopy(loss)
    made._step = None
    return made


def value_and_gradient(loss: Any, logits: Any, targets: Any, *more: Any) -> tuple[Any, Any]:
    z = logits.clone().requires_grad_()
    value = loss(z, targets, *more)
    value.sum().backward()
    return value.detach(), z.grad


def core(metric: str, lam: Any, logits: Any, targets: Any, tau: float, joint: bool) -> tuple[Any, Any]:
    labels = logits.shape[1]
    costs = mmo.Metric(metric).costs(labels, np.atleast_1d(lam).tolist())
    rows, gradient, _ = _core.surrogate(logits.double().numpy(), targets.double().numpy(), costs, tau, joint)
    return rows.sum() / logits.numel(), gradient / logits.numel()


@pytest.mark.parametrize("metric", [*METRICS, "macro-f1", "micro:(TP-FP)/(TP+FN)"])
@pytest.mark.parametrize("tau", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("coupling", ["independent", "joint"])
@pytest.mark.parametrize("soft", [False, True])
def test_equal_to_the_core(metric: str, tau: float, coupling: str, soft: bool) -> None:
    logits, targets = batch(soft=soft)
    loss = MMOLoss(metric, num_labels=7, tau=tau, coupling=coupling)
    loss.lambdas.copy_(torch.linspace(0.2, 0.7, len(loss.lambdas)))
    loss.eval()
    expected, slope = core(metric, loss.lambdas.numpy(), logits, targets, tau, coupling == "joint")
    for form in [loss, general(loss)]:
        value, gradient = value_and_gradient(form, logits, targets)
        np.testing.assert_allclose(value, expected, **FLOAT)
        np.testing.assert_allclose(gradient, slope, **FLOAT)
    wide, _ = value_and_gradient(loss, logits.double(), targets.double())
    assert wide.dtype == torch.float64
    np.testing.assert_allclose(wide, expected, rtol=1e-6)  # λ is kept in 32 bits


def test_bce_is_a_special_case() -> None:
    logits, targets = batch()
    loss = MMOLoss("micro-f1").eval()
    loss.lambdas.fill_(1.0)
    value, gradient = value_and_gradient(loss, logits, targets)
    expected, slope = value_and_gradient(torch.nn.BCEWithLogitsLoss(), logits, targets)
    np.testing.assert_allclose(value, expected, **FLOAT)
    np.testing.assert_allclose(gradient, slope, **FLOAT)


@pytest.mark.parametrize("metric", [*METRICS, "macro-f1", "weighted-jaccard"])
def test_lambda_follows_the_counts(metric: str) -> None:
    loss = MMOLoss(metric, num_labels=7)
    other = general(loss)
    kept = np.zeros((loss.counts.shape[1], 4))
    for seed in range(4):
        logits, targets = batch(seed=seed)
        loss(logits, targets)
        other(logits, targets)
        table = metrics.counts(targets.numpy(), logits.numpy() >= 0)
        kept = 0.99 * kept + (table if loss.follower.by_label else table.sum(0, keepdims=True))
    np.testing.assert_allclose(loss.counts, kept.T, rtol=1e-5)
    parsed = mmo.Metric(metric)
    shrunk = (0.03 if loss.follower.by_label else 0) * kept.sum(1)
    expected = kept @ parsed.numerator[0] / (kept @ parsed.denominator[0] + shrunk)
    np.testing.assert_allclose(loss.lambdas, expected, rtol=1e-5)
    np.testing.assert_allclose(other.counts, loss.counts, rtol=1e-5)
    np.testing.assert_allclose(other.lambdas, loss.lambdas, rtol=1e-5)


@pytest.mark.parametrize("metric", ["samples-f1", "samples-jaccard"])
def test_lambda_of_rows_is_the_mean_of_their_ratios(metric: str) -> None:
    """Rows of 0/0 say nothing; the core, torch's operators and scikit-learn's definition agree."""
    loss = MMOLoss(metric, num_labels=7, ignore_value=float("nan"))
    other = general(loss)
    kept = np.zeros(2)
    for seed in range(4):
        logits, targets = batch(seed=seed)
        logits[:3], targets[:3] = -1.0, 0.0
        targets[5, 2] = np.nan
        loss(logits, targets)
        other(logits, targets)
        known = mmo.Metric(metric, float("nan"))
        ratio = metrics.score(targets.numpy()[3:], logits.numpy()[3:] >= 0, known, missing_label=np.nan)
        kept = 0.99 * kept + [9 * ratio, 9]
    np.testing.assert_allclose(loss.counts[:, 0], kept, rtol=1e-5)
    np.testing.assert_allclose(loss.lambdas, kept[0] / kept[1], rtol=1e-5)
    np.testing.assert_allclose(other.state, loss.state, rtol=1e-5)


@pytest.mark.parametrize("metric", ["micro-f1", "samples-f1", "macro-f1"])
def test_the_papers_moving_average(metric: str) -> None:
    loss = MMOLoss(metric, num_labels=7, lambda_from="batch")
    lam = loss.lambdas.double().numpy().copy()
    for seed in range(3):
        logits, targets = batch(seed=seed)
        logits[:2], targets[:2] = -1.0, 0.0  # 0/0 = 0, as in the paper
        loss(logits, targets)
        y, p = targets.numpy(), logits.numpy() >= 0
        fresh = metrics.f1_score(y, p, average=None if metric == "macro-f1" else metric.split("-", maxsplit=1)[0])
        lam = 0.7 * lam + 0.3 * fresh
    np.testing.assert_allclose(loss.lambdas, lam, rtol=1e-5)


def test_lambda_from() -> None:
    logits, targets = batch()
    loss = MMOLoss(lambda_from=LambdaFrom(start=0.9)).eval()
    assert loss.lambdas.item() == pytest.approx(0.9)
    low = MMOLoss("macro-f1", num_labels=7, lambda_from=LambdaFrom(shrinkage=1.0))
    high = MMOLoss("macro-f1", num_labels=7, lambda_from=LambdaFrom(shrinkage=0.0))
    low(logits, targets)
    high(logits, targets)
    assert (low.lambdas <= high.lambdas).all()
    with pytest.raises(ValueError, match="counts or batch"):
        MMOLoss(lambda_from="validation")


def test_lambda_moves_only_in_training() -> None:
    logits, targets = batch()
    for loss in [MMOLoss().eval(), general(MMOLoss()).eval()]:
        before = loss.lambdas.clone()
        loss(logits, targets)
        assert torch.equal(loss.lambdas, before)
        assert loss.counts.sum() == 0
        loss.train()(logits, targets)
        assert loss.counts.sum() == logits.numel()


@pytest.mark.parametrize("tau", [0.0, 0.5])
@pytest.mark.parametrize("coupling", ["independent", "joint"])
def test_unknown_cells(tau: float, coupling: str) -> None:
    logits, targets = batch()
    known = torch.rand(targets.shape, generator=torch.Generator().manual_seed(5)) > 0.3
    holes = torch.where(known, targets, torch.tensor(float("nan")))
    hundred = torch.where(known, targets, torch.tensor(-100.0))
    results = []
    for ignore, y, mask in [(float("nan"), holes, None), (-100, hundred, None), (None, targets, known)]:
        loss = MMOLoss(tau=tau, coupling=coupling, ignore_value=ignore)
        more = () if mask is None else (mask,)
        value, gradient = value_and_gradient(loss, logits, y, *more)
        assert (gradient[~known] == 0).all()
        results.append((value, gradient, loss.counts))
    costs = mmo.Metric("micro-f1").costs(7, loss.lambdas.double().tolist())
    rows, slope, _ = _core.surrogate(logits.double().numpy(), holes.double().numpy(), costs, tau, coupling == "joint")
    for value, gradient, counts in results:
        np.testing.assert_allclose(value, rows.sum() / known.sum(), **FLOAT)
        np.testing.assert_allclose(gradient, slope / known.sum().item(), **FLOAT)
        assert counts.sum() == known.sum()
    empty = MMOLoss(ignore_value=-100)(logits, torch.full_like(targets, -100))
    assert empty == 0


def test_reductions() -> None:
    logits, targets = batch()
    cells = MMOLoss(reduction="none")(logits, targets)
    assert cells.shape == logits.shape
    np.testing.assert_allclose(MMOLoss(reduction="sum")(logits, targets), cells.sum(), rtol=1e-5)
    np.testing.assert_allclose(MMOLoss()(logits, targets), cells.mean(), rtol=1e-5)
    deep = MMOLoss()(logits.reshape(3, 4, 7), targets.reshape(3, 4, 7))  # leading dimensions are rows
    np.testing.assert_allclose(deep, cells.mean(), rtol=1e-5)


def test_extreme_logits_stay_finite() -> None:
    logits = torch.tensor([[1e4, -1e4, 0.0, 80.0]])
    for targets in [torch.zeros(1, 4), torch.ones(1, 4)]:
        for tau in [0.0, 0.5]:
            for form in [MMOLoss(tau=tau), general(MMOLoss(tau=tau))]:
                value, gradient = value_and_gradient(form, logits, targets)
                assert torch.isfinite(value)
                assert torch.isfinite(gradient).all()


def test_second_derivatives() -> None:
    logits, targets = batch(3, 4)
    z = logits.requires_grad_()
    with pytest.raises(RuntimeError, match="64-bit"):
        torch.autograd.grad(MMOLoss()(z, targets), z, create_graph=True)
    wide = logits.detach().double().requires_grad_()
    (slope,) = torch.autograd.grad(MMOLoss()(wide, targets), wide, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), wide)
    assert (curvature > 0).all()


def test_gradcheck() -> None:
    logits, targets = batch(3, 4, soft=True)
    for more in [{}, {"tau": 0.7}, {"coupling": "joint"}, {"tau": 0.7, "coupling": "joint"}]:
        loss = MMOLoss(**more).eval()
        assert torch.autograd.gradcheck(lambda z, f=loss: f(z, targets.double()), logits.double().requires_grad_())


# Small batches are generated code, large ones the core's step as an operator.
@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1"])
@pytest.mark.parametrize(("tau", "coupling"), [(0.0, "independent"), (0.0, "joint"), (0.5, "independent")])
@pytest.mark.parametrize("rows", [12, 10_000])
def test_compiles_as_one_graph(metric: str, tau: float, coupling: str, rows: int) -> None:
    torch._dynamo.reset()
    loss = MMOLoss(metric, num_labels=7, tau=tau, coupling=coupling)
    compiled = torch.compile(copy.deepcopy(loss), fullgraph=True)
    slow = general(loss)
    for seed in range(3):
        logits, targets = batch(rows, seed=seed)
        value, gradient = value_and_gradient(compiled, logits, targets)
        expected, slope = value_and_gradient(slow, logits, targets)
        np.testing.assert_allclose(value, expected, **FLOAT)
        np.testing.assert_allclose(gradient, slope, **FLOAT)
        np.testing.assert_allclose(compiled.state, slow.state, rtol=1e-5)
    assert compiled.counts.sum() > 0
    compiled.eval()
    before = compiled.state.clone()
    np.testing.assert_allclose(compiled(logits, targets), slow.eval()(logits, targets), **FLOAT)
    assert torch.equal(compiled.state, before)


@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1"])
def test_compiled_steps_take_more_dimensions(metric: str) -> None:
    torch._dynamo.reset()
    loss = MMOLoss(metric, num_labels=7)
    logits, targets = batch(24)
    deep = torch.compile(copy.deepcopy(loss), fullgraph=True)
    value, gradient = value_and_gradient(deep, logits.view(4, 6, 7), targets.view(4, 6, 7))
    expected, slope = value_and_gradient(loss, logits, targets)
    np.testing.assert_allclose(value, expected, **FLOAT)
    np.testing.assert_allclose(gradient.view(24, 7), slope, **FLOAT)
    np.testing.assert_allclose(deep.state, loss.state, rtol=1e-5)


def test_nan_targets_are_refused_unless_they_mean_unknown() -> None:
    logits, targets = batch()
    targets[3, 2] = np.nan
    with pytest.raises(ValueError, match="ignore_value"):
        MMOLoss()(logits, targets)
    assert torch.isfinite(MMOLoss(ignore_value=float("nan"))(logits, targets))


def test_the_steps_number_type_is_that_of_the_logits() -> None:
    logits, targets = batch()
    torch.set_default_dtype(torch.float64)
    try:
        assert MMOLoss(lambda_from=LambdaFrom(decay=np.float32(0.99)))(logits, targets).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_autocast_computes_in_32_bits() -> None:
    logits, targets = batch(64, 80)
    loss = MMOLoss()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        layer = torch.nn.Linear(80, 80)
        half = layer(logits)
        assert half.dtype == torch.bfloat16
        value = loss(half, targets)
    assert value.dtype == torch.float32
    assert value == MMOLoss()(half.float(), targets)
    torch.testing.assert_close(value, general(MMOLoss())(half, targets.bool()))
    value.backward()
    assert torch.isfinite(layer.weight.grad).all()


def test_state(tmp_path: Path) -> None:
    logits, targets = batch()
    loss = MMOLoss("macro-f1", num_labels=7)
    loss(logits, targets)
    assert set(loss.state_dict()) == {"state"}
    buffer = io.BytesIO()
    torch.save(loss.state_dict(), buffer)
    buffer.seek(0)
    fresh = MMOLoss("macro-f1", num_labels=7)
    fresh.load_state_dict(torch.load(buffer, weights_only=True))
    for other in [fresh, copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))]:
        assert torch.equal(other.lambdas, loss.lambdas)
        assert other(logits, targets) == copy.deepcopy(loss)(logits, targets)
        assert other._step is not None
    assert "macro-f1" in repr(loss)


def test_metric_of_each_label() -> None:
    mixed = metrics.ratio([[2, 0, 0, 0], [1, 0, 0, 0]], [[2, 1, 1, 0], [1, 0, 1, 1]], name="two")
    logits, targets = batch(20, 2)
    loss = MMOLoss(mixed)
    value, _ = value_and_gradient(loss, logits, targets)
    costs = mixed.costs(2, loss.lambdas.double().tolist())
    rows, _, _ = _core.surrogate(logits.double().numpy(), targets.double().numpy(), costs, 0.0, False)
    np.testing.assert_allclose(value, rows.sum() / 40, **FLOAT)
    assert loss.lambdas.item() == pytest.approx(metrics.score(targets.numpy(), logits.numpy() >= 0, mixed))


def test_baselines_equal_the_core() -> None:
    logits, targets = batch()
    z, y = logits.double().numpy(), targets.numpy().astype(np.uint8)
    for margin in [0.05, 0.0]:
        expected, slope = _core.asl(z, y, 1.0, 4.0, margin)
        value, gradient = value_and_gradient(AsymmetricLoss(margin=margin, reduction="sum"), logits, targets)
        np.testing.assert_allclose(value, expected, **FLOAT)
        np.testing.assert_allclose(gradient, slope, **FLOAT)
    for average in ["micro", "macro"]:
        expected, slope = _core.sigmoid_f1(z, y, 2.0, -0.5, average == "micro")
        value, gradient = value_and_gradient(SigmoidF1Loss(beta=2, eta=-0.5, average=average), logits, targets)
        np.testing.assert_allclose(value, expected, **FLOAT)
        np.testing.assert_allclose(gradient, slope, **FLOAT)
    half = SigmoidF1Loss()(logits, targets, torch.arange(7) < 3)
    np.testing.assert_allclose(
        half, (3 * SigmoidF1Loss()(logits[:, :3], targets[:, :3]) + 4) / 7, rtol=1e-5
    )  # nothing known of a label: F1 0


def test_errors() -> None:
    logits, targets = batch()
    with pytest.raises(ValueError, match="num_labels"):
        MMOLoss("macro-f1")
    with pytest.raises(ValueError, match="coupling"):
        MMOLoss(coupling="both")
    with pytest.raises(ValueError, match="micro-f1"):
        MMOLoss("f-one")
    with pytest.raises(ValueError, match="tau"):
        MMOLoss(tau=-1)
    with pytest.raises(ValueError, match="64 labels"):
        MMOLoss(tau=0.5, coupling="joint")(torch.zeros(2, 65), torch.zeros(2, 65))
    with pytest.raises(ValueError, match=r"\(12, 7\)"):
        MMOLoss()(logits, targets[:, :3])
    with pytest.raises(ValueError, match="7 labels"):
        MMOLoss("macro-f1", num_labels=3, tau=0.5)(logits, targets)
    with pytest.raises(ValueError, match="7 labels"):
        MMOLoss("macro-f1", num_labels=3)(logits, targets)
    with pytest.raises(ValueError, match="reduction"):
        MMOLoss(reduction="average")


WORKER = """
import sys, torch, torch.distributed as dist
from mmo.torch import LambdaFrom, MMOLoss
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
torch.manual_seed(0)
z, y = 2 * torch.randn(40, 5), (torch.rand(40, 5) < 0.3).float()
part = slice(20 * rank, 20 * rank + 20)
for metric, how in [("micro-f1", "counts"), ("macro-f1", "counts"), ("samples-f1", "counts"), ("samples-f1", "batch")]:
    loss = MMOLoss(metric, num_labels=5, lambda_from=how)
    if metric == "micro-f1":
        loss = torch.compile(loss, fullgraph=True, backend="eager")
    loss(z[part], y[part])
    alone = MMOLoss(metric, num_labels=5, lambda_from=LambdaFrom(how, sync=False))
    alone(z, y)
    # The same numbers as one process that sees all rows.
    torch.testing.assert_close(loss.lambdas, alone.lambdas)
    torch.testing.assert_close(loss.counts, alone.counts)
    apart = MMOLoss(metric, num_labels=5, lambda_from=LambdaFrom(how, sync=False))
    apart(z[part], y[part])
    assert not torch.equal(apart.lambdas, loss.lambdas)
dist.destroy_process_group()
print("same", rank)
"""


def test_counts_are_summed_over_processes(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(rank), str(tmp_path / "meet")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in (0, 1)
    ]
    for rank, worker in enumerate(workers):
        out, err = worker.communicate(timeout=120)
        assert out.strip() == f"same {rank}", err


def test_threshold_on_logits() -> None:
    made = torch.Generator().manual_seed(0)
    z = 2 * torch.randn(500, 4, generator=made) - 2
    y = (torch.rand(500, 4, generator=made) < torch.sigmoid(z)).float()
    for metric in ["micro-f1", "macro-f1", "samples-f1"]:
        rule = MetricThreshold(metric).fit(z[:250], y[:250])
        # On the rows that it was fitted on the best rule is at least as good as the plain one.
        tuned = metrics.score(y[:250].numpy(), rule.predict(z[:250]).numpy(), metric)
        assert tuned >= metrics.score(y[:250].numpy(), (z[:250] >= 0).numpy(), metric) - 1e-6
    by_label = MetricThreshold("macro-f1", min_labels=0).fit(z, y)
    assert by_label.thresholds_ is not None
    np.testing.assert_array_equal(z >= by_label.thresholds_, by_label.predict(z))
    # Logits that happen to lie in [0, 1] are still logits.
    assert MetricThreshold().fit(torch.sigmoid(z), y).predict(torch.sigmoid(z)).shape == z.shape
    holes = torch.where(y > 2, y, torch.tensor(float("nan")))
    holes[:400] = y[:400]
    MetricThreshold("micro-f1", ignore_value=float("nan")).fit(z.bfloat16(), holes)
    with pytest.raises(RuntimeError, match="fit"):
        MetricThreshold().predict(z)
    with pytest.raises(ValueError, match="finite"):
        rule.predict(torch.full((2, 4), float("nan")))
    with pytest.raises(ValueError, match="number of labels"):
        rule.predict(z[:, :2])


def test_trainer_functions() -> None:
    logits, targets = batch(16)
    targets[0, 0] = -100
    loss = MMOLoss(ignore_value=-100)
    compute = trainer_loss(loss)
    whole = compute({"logits": logits}, targets)
    assert whole == MMOLoss(ignore_value=-100)(logits, targets)
    # Accumulation: the sum over the parts, each divided by the known labels of all of them, is the whole.
    loss.eval()
    known = (targets != -100).sum()
    Output = namedtuple("Output", "logits")
    parts = [compute(Output(logits[k : k + 4]), targets[k : k + 4], num_items_in_batch=known) for k in range(0, 16, 4)]
    torch.testing.assert_close(sum(parts), loss(logits, targets))
    found = trainer_metrics()((logits.numpy(), targets.numpy()))
    expected = metrics.f1_score(targets.numpy(), logits.numpy() >= 0, missing_label=-100)
    assert found["micro-f1"] == expected


def test_log_odds_and_training() -> None:
    """Rare labels: the loss predicts them at threshold 0 where cross-entropy predicts next to nothing."""
    torch.manual_seed(0)
    x = torch.randn(2000, 10)
    weights = torch.randn(10, 6)
    y = (x @ weights + 2 * torch.randn(2000, 6) > 5).float()

    def train(loss: Any) -> float:
        torch.manual_seed(1)
        layer = torch.nn.Linear(10, 6)
        layer.bias.data.copy_(log_odds(y[:1000]))
        optimiser = torch.optim.Adam(layer.parameters(), lr=0.02)
        for step in range(300):
            rows = slice(50 * (step % 20), 50 * (step % 20) + 50)
            optimiser.zero_grad()
            loss(layer(x[:1000][rows]), y[:1000][rows]).backward()
            optimiser.step()
        return float((layer(x[1000:]) >= 0).float().mean() / y[1000:].mean())

    # F1's costs make a miss dearer than a false alarm, so that more is predicted: by the formula, not by luck.
    assert train(MMOLoss("micro-f1")) > 1.2 * train(torch.nn.BCEWithLogitsLoss())
