"""Boosters that train for the metric, against their plain logistic objective."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mmo import metrics
from mmo.boost import MMOObjective

ROUNDS = 20


class Data:
    """What both boosters hand to an objective."""

    def __init__(self, label: Any, weight: Any = None) -> None:
        self.label, self.weight = label, weight

    def get_label(self) -> Any:
        return self.label

    def get_weight(self) -> Any:
        return self.weight


def draw() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return 2 * rng.normal(size=(30, 4)), (rng.random((30, 4)) < 0.3).astype(float)


@pytest.mark.parametrize("metric", ["micro-f1", "macro-jaccard", "micro:(3*TP)/(3*TP+FP+2*FN)"])
@pytest.mark.parametrize("tau", [0.0, 0.5])
def test_gradient_and_curvature_are_differences(metric: str, tau: float) -> None:
    margins, y = draw()
    objective = MMOObjective(metric, tau=tau)
    gradient, curvature = objective(margins, Data(y))
    lam, step = objective.lambdas, 1e-3
    costs = objective.metric.costs(4, lam.tolist())
    from mmo import _core

    def total(z: Any) -> float:
        return float(_core.surrogate(z, y, costs, tau, False)[0].sum())

    for i, j in [(0, 0), (5, 2), (29, 3)]:
        up, down = margins.copy(), margins.copy()
        up[i, j] += step
        down[i, j] -= step
        # step² times derivatives of order 1, rounding over step²
        assert gradient[i, j] == pytest.approx((total(up) - total(down)) / (2 * step), abs=1e-6)
        if tau == 0:
            second = (total(up) - 2 * total(margins) + total(down)) / step**2
            assert curvature[i, j] == pytest.approx(second, abs=1e-5)
    assert (curvature > 0).all()


def test_lambda_is_the_metric_of_the_margins() -> None:
    margins, y = draw()
    micro = MMOObjective("micro-f1")
    micro(margins, Data(y))
    assert micro.lambdas[0] == pytest.approx(metrics.f1_score(y, margins >= 0))
    macro = MMOObjective("macro-f1", sparse.csr_matrix(y), shrinkage=0)
    macro(margins.ravel(order="F"), Data(None))  # LightGBM's flat form: label after label
    np.testing.assert_allclose(macro.lambdas, metrics.f1_score(y, margins >= 0, average=None))
    shrunk = MMOObjective("macro-f1", y)
    shrunk(margins, Data(None))
    counts = metrics.counts(y, margins >= 0)
    np.testing.assert_allclose(shrunk.lambdas, 2 * counts[:, 0] / (counts @ [2, 1, 1, 0] + 0.03 * len(y)))
    rows = MMOObjective("samples-f1")
    rows(margins, Data(y))
    assert rows.lambdas[0] == pytest.approx(metrics.f1_score(y, margins >= 0, average="samples", zero_division=np.nan))
    bounded = MMOObjective("micro-f1", most_lambda=0.1)
    bounded(margins, Data(y))
    assert bounded.lambdas[0] == 0.1
    holes = y.copy()
    holes[:5] = np.nan
    gradient, _ = MMOObjective("micro-f1", holes, missing_label=np.nan)(margins, Data(None))
    assert (gradient[:5] == 0).all()
    doubled, _ = micro(margins, Data(y, np.full(30, 2.0)))
    np.testing.assert_allclose(doubled, 2 * micro(margins, Data(y))[0])
    with pytest.raises(ValueError, match="labels"):
        micro.start()


@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1"])
def test_xgboost(yeast: Any, metric: str) -> None:
    xgboost = pytest.importorskip("xgboost")
    train, test = yeast
    settings = {"max_depth": 3, "eta": 0.2, "nthread": 1, "seed": 0}
    matrix, other = xgboost.DMatrix(train.data, label=train.target), xgboost.DMatrix(test.data)
    plain = xgboost.train({**settings, "objective": "binary:logistic"}, matrix, ROUNDS).predict(other) >= 0.5
    ours = {**settings, "base_score": 0.0, "disable_default_eval_metric": 1}
    booster = xgboost.train(ours, matrix, ROUNDS, obj=MMOObjective(metric))
    labels = booster.predict(other, output_margin=True) >= 0
    assert metrics.score(test.target, labels, metric) > metrics.score(test.target, plain, metric) + 0.005


@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1"])
def test_lightgbm(yeast: Any, metric: str) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    train, test = yeast
    settings = {"num_leaves": 7, "learning_rate": 0.2, "num_threads": 1, "verbose": -1, "seed": 0}
    plain = np.column_stack(
        [
            lightgbm.train(
                {**settings, "objective": "binary"}, lightgbm.Dataset(train.data, label=column), ROUNDS
            ).predict(test.data)
            >= 0.5
            for column in train.target.T
        ]
    )
    objective = MMOObjective(metric, train.target)
    data = lightgbm.Dataset(train.data, label=np.zeros(len(train.data)), init_score=objective.start())
    booster = lightgbm.train({**settings, "objective": objective, "num_class": train.target.shape[1]}, data, ROUNDS)
    labels = objective.predict(booster, test.data)
    assert metrics.score(test.target, labels, metric) > metrics.score(test.target, plain, metric) + 0.005
    assert len(objective.lambdas) == (train.target.shape[1] if metric == "macro-f1" else 1)
