"""torch: a small network trained with cross-entropy and with MMOLoss, before and after a tuned threshold."""

from __future__ import annotations

import torch
from data import tabular
from torch import nn

from mmo import metrics
from mmo.torch import MetricThreshold, MMOLoss, log_odds

METRIC = "macro-f1"
X, Y, X_test, Y_test = tabular("yeast")
x, y, x_test = (torch.as_tensor(part, dtype=torch.float32) for part in (X, Y, X_test))
mean, spread = x.mean(0), x.std(0).clamp(min=1e-6)
x, x_test = (x - mean) / spread, (x_test - mean) / spread
rows = len(x) * 4 // 5  # the rest chooses the threshold

for name, loss in [("cross-entropy", nn.BCEWithLogitsLoss()), ("MMOLoss", MMOLoss(METRIC, num_labels=y.shape[1]))]:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, y.shape[1]))
    network[-1].bias.data.copy_(log_odds(y[:rows]))
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    for _ in range(20):
        for batch in torch.randperm(rows).split(32):
            optimiser.zero_grad()
            loss(network(x[batch]), y[batch]).backward()
            optimiser.step()
    network.eval()
    with torch.no_grad():
        valid, test = network(x[rows:]), network(x_test)
    at_zero = metrics.score(Y_test, (test >= 0).numpy(), METRIC)
    tuned = MetricThreshold(METRIC).fit(valid, y[rows:]).predict(test)
    print(f"{name:14} {METRIC} {at_zero:.4f} at 0, {metrics.score(Y_test, tuned.numpy(), METRIC):.4f} tuned")
