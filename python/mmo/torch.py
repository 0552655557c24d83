"""Losses for torch that train for the metric, and the metric's decision rule on logits.

>>> import torch
>>> from mmo.torch import MMOLoss
>>> loss = MMOLoss("micro-f1")
>>> logits = torch.zeros(4, 3, requires_grad=True)
>>> value = loss(logits, torch.eye(4)[:, :3])
>>> value.backward()
>>> 0 <= loss.lambdas.item() <= 1
True

Logits are those of ``BCEWithLogitsLoss``: label j is predicted where logit j is at least 0, and at λ = 1 the loss
for F1 *is* binary cross-entropy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mmo import _core
from mmo._labels import to_dense, truth_of
from mmo._metric import MetricLike, metric_of
from mmo._torch_cells import AsymmetricLoss, SigmoidF1Loss
from mmo._torch_lambda import LambdaFrom
from mmo._torch_loss import MMOLoss
from mmo.metrics import report

__all__ = [
    "AsymmetricLoss",
    "LambdaFrom",
    "MMOLoss",
    "MetricThreshold",
    "SigmoidF1Loss",
    "log_odds",
    "trainer_loss",
    "trainer_metrics",
]


def log_odds(targets: Tensor, *, smoothing: float = 1.0) -> Tensor:
    """log(p/(1 − p)) of each label, to start an output layer's bias from; NaN cells are left out.

    >>> log_odds(torch.tensor([[1.0], [0.0], [0.0], [0.0]]), smoothing=0).exp()
    tensor([0.3333])
    """
    known = ~torch.isnan(targets)
    positive = torch.where(known, targets, torch.zeros_like(targets)).sum(0) + smoothing
    return torch.log(positive / (known.sum(0) + 2 * smoothing - positive))


class MetricThreshold:
    """The metric's decision rule for logits, fitted on rows the network was not trained on.

    >>> logits = torch.randn(200, 3, generator=torch.Generator().manual_seed(0))
    >>> targets = (logits + 0.5 > torch.randn(200, 3, generator=torch.Generator().manual_seed(1))).float()
    >>> rule = MetricThreshold("macro-f1").fit(logits, targets)
    >>> rule.predict(logits).dtype
    torch.bool
    """

    def __init__(
        self,
        metric: MetricLike = "micro-f1",
        *,
        rule: str = "auto",
        subject_to: str | None = None,
        min_labels: int | None = None,
        ignore_value: float | None = None,
    ) -> None:
        self.metric = metric
        self.rule = rule
        self.subject_to = subject_to
        self.min_labels = min_labels
        self.ignore_value = ignore_value

    @staticmethod
    def _scores(logits: Any) -> Any:
        scores = logits.detach().float().cpu().numpy() if isinstance(logits, Tensor) else np.asarray(logits)
        scores = np.ascontiguousarray(scores, dtype=np.float32)
        if scores.ndim != 2 or not np.isfinite(scores).all():
            raise ValueError(f"logits must be finite and (rows, labels), got shape {scores.shape}")
        return scores

    def fit(self, logits: Any, targets: Any) -> MetricThreshold:
        """Fit on (rows, labels) logits and targets: tensors on any device, or arrays."""
        scores = self._scores(logits)
        y = targets.detach().float().cpu().numpy() if isinstance(targets, Tensor) else np.asarray(targets)
        truth = truth_of(y, missing_label=self.ignore_value)
        least = -1 if self.min_labels is None else self.min_labels
        folds = (np.arange(len(scores)) % 5).tolist()
        subject_to = self.subject_to or ""
        self.rule_ = _core.fit_scores(  # an untrained network may be worse than chance: don't refuse it
            metric_of(self.metric),
            scores,
            truth,
            self.rule,
            least,
            subject_to,
            folds,
            probabilities=False,
            accept_reversed=True,
        )
        self.value_ = self.rule_.value
        self.thresholds_ = torch.from_numpy(self.rule_.thresholds(scores)) if self.rule_.by_threshold else None
        return self

    def predict(self, logits: Any) -> Tensor:
        """A boolean tensor on the logits' device."""
        if not hasattr(self, "rule_"):
            raise RuntimeError("this MetricThreshold is not fitted yet: call fit with validation logits first")
        scores = self._scores(logits)
        found = torch.from_numpy(to_dense(*self.rule_.predict(scores), scores.shape[1], bool))
        return found.to(logits.device) if isinstance(logits, Tensor) else found


def _logits_of(outputs: Any) -> Tensor:
    found = outputs["logits"] if isinstance(outputs, Mapping) else getattr(outputs, "logits", outputs)
    return found[0] if isinstance(found, tuple) else found  # type: ignore[no-any-return]


def trainer_loss(loss: MMOLoss) -> Callable[..., Tensor]:
    """``Trainer(compute_loss_func=…)`` of Hugging Face. With gradient accumulation the Trainer counts the known labels
    of all parts (those that are not -100) and expects the parts' sums divided by that, which this does.
    """

    def compute_loss(outputs: Any, labels: Tensor, num_items_in_batch: Any = None) -> Tensor:
        logits = _logits_of(outputs)
        # The Trainer doesn't know this module: it follows the logits' device, and λ stays put during evaluation.
        training = loss.training
        loss.to(logits.device).train(training and torch.is_grad_enabled())
        try:
            if num_items_in_batch is None:
                return loss(logits, labels)  # type: ignore[no-any-return]
            return loss.general(logits, labels, None, "sum") / num_items_in_batch  # type: ignore[no-any-return]
        finally:
            loss.train(training)

    return compute_loss


def trainer_metrics(*, threshold: float = 0.0, ignore_value: float | None = -100) -> Callable[[Any], dict[str, float]]:
    """``Trainer(compute_metrics=…)``: every standard metric of logits at one threshold, over the whole epoch."""

    def compute_metrics(prediction: Any) -> dict[str, float]:
        logits, labels = (prediction[0], prediction[1])
        logits = logits[0] if isinstance(logits, tuple) else logits
        return report(np.asarray(labels), np.asarray(logits) >= threshold, missing_label=ignore_value)

    return compute_metrics
