"""MMOLoss: the paper's surrogate for torch."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from mmo import _core
from mmo._metric import MetricLike, metric_of
from mmo._torch_cells import Cells, check_reduction
from mmo._torch_lambda import LambdaFollower, LambdaFrom
from mmo._torch_step import core_step, step_key, takes_step
from mmo._torch_surrogate import Surrogate

_MOST_TRACED_CELLS = 1 << 16  # in a graph: beyond that, the core's step beats a generated one


class MMOLoss(nn.Module):
    """The paper's surrogate at a λ that follows training: train for micro F1, macro F1, Jaccard, any ratio of counts.

    λ is the value of the metric that the model reaches at threshold 0; it sets the costs of false negatives and
    false positives (for F1: 2 − λ and λ). It moves only in training mode.

    Parameters
    ----------
    metric : str or Metric, default="micro-f1"
    num_labels : int, optional
        Needed for macro and weighted averages, where each label has its own λ.
    tau : float, default=0
        0 is logistic, 1 the mean absolute error; values between are robust to label noise.
    coupling : {"independent", "joint"}, default="independent"
        "joint" is the paper's exact loss; the more labels there are, the more it smooths them.
    reduction : {"mean", "sum", "none"}, default="mean"
        The mean is over known cells, as in BCEWithLogitsLoss.
    lambda_from : {"counts", "batch"} or LambdaFrom, default="counts"
        "counts": λ of counts with a fading memory; "batch": the paper's moving average of the batches' metric. Memory,
        shrinkage and the rest: `LambdaFrom`.
    ignore_value : float, optional
        Targets of this value (-100, nan) are unknown: no loss, no gradient, no count.

    Shapes: logits and targets (…, labels); targets may be soft; ``mask`` is true where a cell is known. Works under
    autocast (32 bits inside) and ``torch.compile(fullgraph=True)``; λ and counts are buffers and in ``state_dict``.
    """

    state: Tensor  # rows TP, FP, FN, TN, λ (LambdaFollower); one column, or one per label

    def __init__(
        self,
        metric: MetricLike = "micro-f1",
        *,
        num_labels: int | None = None,
        tau: float = 0.0,
        coupling: str = "independent",
        reduction: str = "mean",
        lambda_from: str | LambdaFrom = "counts",
        ignore_value: float | None = None,
    ) -> None:
        super().__init__()
        parsed = metric_of(metric)
        if coupling not in ("independent", "joint"):
            raise ValueError(f"coupling {coupling!r} is unknown; use independent or joint")
        if tau < 0:
            raise ValueError(f"tau must be at least 0, got {tau}")
        self.metric = parsed.name
        self.num_labels = _labels_of(parsed, num_labels)
        self.coupling = coupling
        self.reduction = check_reduction(reduction)
        self.ignore_value = ignore_value
        self.surrogate = Surrogate(tau, coupling == "joint", _one_sided(parsed))
        self.surrogate.refuse(self.num_labels or 0)
        chosen = lambda_from if isinstance(lambda_from, LambdaFrom) else LambdaFrom(lambda_from)
        self.follower = LambdaFollower(parsed, self.num_labels, chosen)
        self.register_buffer("state", torch.zeros(5, self.follower.groups))
        self.state[4] = self.follower.start
        self._step = self._step_key(parsed)  # the core's, if it covers these settings

    def _step_key(self, metric: _core.Metric) -> str | None:
        """The core's step, if it covers these settings: logistic, one ratio for all labels, λ from counts."""
        logistic = self.surrogate.tau == 0 and self.reduction != "none" and len(metric.numerator) == 1
        if not logistic or self.follower.chosen.source != "counts":
            return None
        if not (self.ignore_value is None or np.isnan(self.ignore_value)):
            return None
        return step_key(
            metric,
            self.follower,
            joint=self.surrogate.joint,
            mean=self.reduction == "mean",
            nan_is_unknown=self.ignore_value is not None,
        )

    @property
    def counts(self) -> Tensor:
        """TP, FP, FN, TN with a fading memory: (4, 1), or (4, labels) with a λ per label. Metrics averaged over rows:
        the sum of the rows' ratios and the number of rows that have one.
        """
        return self.state[: 2 if self.follower.per_row else 4]

    @property
    def lambdas(self) -> Tensor:
        """λ: one value, or one per label."""
        return self.state[4] if self.follower.by_label else self.state[4, :1]

    def costs(self) -> tuple[Tensor, Tensor]:
        """The costs of a false negative and a false positive at the current λ, one each or per label."""
        return self.follower.costs(self.state[4])

    def forward(self, logits: Tensor, targets: Tensor, mask: Tensor | None = None) -> Tensor:
        """The loss of (…, labels) logits; in training, λ is updated first."""
        if self._step is not None and mask is None:
            wide = logits.float() if logits.dtype in (torch.bfloat16, torch.float16) else logits
            y = targets if targets.dtype in (torch.float32, torch.float64) else targets.float()
            small_graph = torch.compiler.is_compiling() and wide.numel() < _MOST_TRACED_CELLS
            if not small_graph and self._has_labels(wide) and takes_step(wide, y, self.state) and not self._shared():
                return core_step(wide, y, self.state, self._step, self.training)
        return self.general(logits, targets, mask, self.reduction)

    def general(self, logits: Tensor, targets: Tensor, mask: Tensor | None, reduction: str) -> Tensor:
        """The same in torch operators, with any reduction."""
        cells = Cells(logits, targets, mask, self.ignore_value)
        if not self._has_labels(logits):
            raise ValueError(f"{logits.shape[-1]} labels, but the loss was made for {self.follower.groups}")
        if self.training:
            self.follower(self.state, cells)
        return cells.reduce(self.surrogate(cells, self.costs()), reduction)

    def _has_labels(self, logits: Tensor) -> bool:
        pooled = self.follower.groups == 1 and not self.follower.by_label
        return pooled or (logits.dim() > 0 and logits.shape[-1] == self.follower.groups)

    def _shared(self) -> bool:
        """Whether processes are to share λ, which the core's step can't do."""
        return self.training and self.follower.chosen.world() > 1

    def extra_repr(self) -> str:
        source = self.follower.chosen.source
        return f"{self.metric!r}, tau={self.surrogate.tau}, coupling={self.coupling!r}, lambda_from={source!r}"


def _labels_of(metric: _core.Metric, num_labels: int | None) -> int | None:
    ratios = len(metric.numerator)
    if metric.by_label and num_labels is None:
        raise ValueError(f"{metric.name} has a λ for each label: give num_labels")
    if ratios > 1 and num_labels not in (None, ratios):
        raise ValueError(f"the metric has coefficients for {ratios} labels, num_labels is {num_labels}")
    return num_labels if num_labels is not None or ratios == 1 else ratios


def _one_sided(metric: _core.Metric) -> bool:
    """Whether no cost can be negative over the metric's range (F1, Jaccard …)."""
    ends = np.clip(np.nan_to_num(metric.range, posinf=1e6, neginf=-1e6), -1e6, 1e6)
    return bool(all((metric.costs(len(metric.numerator), [float(end)]) >= 0).all() for end in ends))
