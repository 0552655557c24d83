"""Boosting: xgboost with its logistic objective, and with the one that follows the metric."""

from __future__ import annotations

import xgboost
from data import tabular

from mmo import metrics
from mmo.boost import MMOObjective

X, Y, X_test, Y_test = tabular("yeast")
train, test = xgboost.DMatrix(X, label=Y), xgboost.DMatrix(X_test)
settings = {"max_depth": 3, "eta": 0.2, "seed": 0}
plain = xgboost.train({**settings, "objective": "binary:logistic"}, train, 40).predict(test) >= 0.5
print(f"binary:logistic  macro F1 {metrics.f1_score(Y_test, plain, average='macro'):.4f}")

objective = MMOObjective("macro-f1")
booster = xgboost.train({**settings, "base_score": 0.0, "disable_default_eval_metric": 1}, train, 40, obj=objective)
ours = booster.predict(test, output_margin=True) >= 0
print(f"MMOObjective     macro F1 {metrics.f1_score(Y_test, ours, average='macro'):.4f}")
