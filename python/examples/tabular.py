"""Tabular data: one classifier per metric, and what each gives up on the others."""

from __future__ import annotations

from data import tabular

from mmo import MMOClassifier, metrics

X, Y, X_test, Y_test = tabular("emotions")
GOALS = ["micro-f1", "macro-f1", "samples-f1"]
print("trained for  " + "  ".join(f"{goal:>10}" for goal in GOALS))
for goal in GOALS:
    model = MMOClassifier(goal).fit(X, Y)
    found = metrics.report(Y_test, model.predict(X_test))
    print(f"{goal:11}  " + "  ".join(f"{found[other]:10.4f}" for other in GOALS))
