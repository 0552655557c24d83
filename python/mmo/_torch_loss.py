"""MMOLoss: the paper's surrogate for torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional

from mmo import _core
from mmo._metric import MetricLike, metric_of
from mmo._torch_cells import Cells, check_reduction
from mmo._torch_step import EagerStep, GraphStep, step_key

_MOST_TRACED_CELLS = 1 << 16  # beyond, the core's step is quicker than a generated one
_MOST_JOINT_LABELS = 64  # beyond, the joint loss with τ > 0 has no gradient left (docs/paper_map.md)


def _combine(weights: Any, counts: list[Tensor]) -> Any:
    """Weighted sum of TP, FP, FN, TN; weights are four numbers, or rows with one number per label."""
    total = weights[0] * counts[0]
    for k in range(1, 4):
        if isinstance(weights, Tensor) or weights[k] != 0:
            total = total + weights[k] * counts[k]
    return total


class MMOLoss(nn.Module):
    """The paper's surrogate at a λ that follows training: train for micro F1, macro F1, Jaccard, any ratio of counts.

    λ is the value of the metric that the model reaches at threshold 0; it sets the costs of false negatives and
    false positives (for F1: 2 − λ and λ). It moves only in training mode.

    Parameters
    ----------
    metric : str or Metric, default="micro-f1"
    num_labels : int, optional
        Needed by macro and weighted averages, whose labels have a λ each.
    tau : float, default=0
        0 is logistic, 1 the mean absolute error; values between are robust to label noise.
    coupling : {"independent", "joint"}, default="independent"
        "joint" is the paper's exact loss; it smooths labels the more the more labels there are.
    reduction : {"mean", "sum", "none"}, default="mean"
        The mean is over known cells, as of BCEWithLogitsLoss.
    lambda_from : {"counts", "batch"}, default="counts"
        "counts": λ of counts with a fading memory; "batch": the paper's moving average of the batches' metric.
    decay : float, optional
        Memory of the counts per batch; default 0.99, with a λ per label 0.9997.
    shrinkage : float, optional
        Cells of error added to the counts of λ, so that labels hardly seen yet start from a low λ; default 0, with a λ
        per label 60.
    gamma : float, default=0.7
        Memory of the moving average ("batch").
    initial_lambda : float, optional
        Until something was counted; default: the middle of the metric's range, 0 where shrinkage is above 0.
    ignore_value : float, optional
        Targets of this value (-100, nan) are unknown: no loss, no gradient, no count.
    sync : bool, default=True
        Under ``torch.distributed`` counts are summed over all processes, so that λ is the same everywhere.

    Shapes: logits and targets (…, labels); targets may be soft; ``mask`` is true where a cell is known. Works under
    autocast (32 bits inside) and ``torch.compile(fullgraph=True)``; λ and counts are buffers and in ``state_dict``.
    """

    _numerator: Any
    _denominator: Any
    _cost_at_0: Any
    _cost_slope: Any
    _step: str | None = None  # of the core, where it does what is asked for
    _traceable: bool = False
    state: Tensor  # rows TP, FP, FN, TN, λ; one column, or one per label

    def __init__(
        self,
        metric: MetricLike = "micro-f1",
        *,
        num_labels: int | None = None,
        tau: float = 0.0,
        coupling: str = "independent",
        reduction: str = "mean",
        lambda_from: str = "counts",
        decay: float | None = None,
        shrinkage: float | None = None,
        gamma: float = 0.7,
        initial_lambda: float | None = None,
        ignore_value: float | None = None,
        sync: bool = True,
    ) -> None:
        super().__init__()
        parsed = metric_of(metric)
        if coupling not in ("independent", "joint"):
            raise ValueError(f"coupling {coupling!r} is unknown; use independent or joint")
        if lambda_from not in ("counts", "batch"):
            raise ValueError(f"lambda_from {lambda_from!r} is unknown; use counts or batch")
        if tau < 0:
            raise ValueError(f"tau must be at least 0, got {tau}")
        if parsed.by_label and num_labels is None:
            raise ValueError(f"{parsed.name} has a λ for each label: give num_labels")
        ratios = len(parsed.numerator)
        if ratios > 1 and num_labels not in (None, ratios):
            raise ValueError(f"the metric has coefficients for {ratios} labels, num_labels is {num_labels}")
        if coupling == "joint" and tau > 0 and (num_labels or 0) > _MOST_JOINT_LABELS:
            raise ValueError(f"the joint loss with tau > 0 has no gradient beyond {_MOST_JOINT_LABELS} labels")
        self.metric = parsed.name
        self.num_labels = num_labels if num_labels is not None or ratios == 1 else ratios
        self.tau = tau
        self.coupling = coupling
        self.reduction = check_reduction(reduction)
        self.lambda_from = lambda_from
        self.by_label = parsed.by_label
        self.per_row = parsed.average == _core.Average.samples
        self.decay = decay if decay is not None else 0.9997 if self.by_label else 0.99
        self.shrinkage = shrinkage if shrinkage is not None else 60.0 if self.by_label else 0.0
        self.gamma = gamma
        self.ignore_value = ignore_value
        self.sync = sync

        # One λ needs pooled counts, unless each label has coefficients of its own.
        self._groups = int(self.num_labels or 1) if self.by_label or ratios > 1 else 1
        if initial_lambda is None:
            middle = float(np.mean(parsed.range))
            initial_lambda = 0.0 if self.shrinkage > 0 else middle if np.isfinite(middle) else 0.5
        self.register_buffer("state", torch.zeros(5, self._groups))
        self.state[4] = float(initial_lambda)
        low, high = parsed.costs(ratios, [0.0]), parsed.costs(ratios, [1.0])
        self._keep("_numerator", parsed.numerator)
        self._keep("_denominator", parsed.denominator)
        self._keep("_cost_at_0", low)
        self._keep("_cost_slope", high - low)
        # Costs that can't be negative (F1, Jaccard …) leave one side of every cell.
        ends = np.clip(np.nan_to_num(parsed.range, posinf=1e6, neginf=-1e6), -1e6, 1e6)
        self._one_sided = bool(all((parsed.costs(ratios, [float(end)]) >= 0).all() for end in ends))
        self._step = self._step_key("macro" if self.by_label else "samples" if self.per_row else "micro", ratios)
        # In a graph the same in torch's operators, for small batches (see _traced).
        self._traceable = (
            self._step is not None and self._one_sided and coupling == "independent" and ignore_value is None
        )

    def _keep(self, name: str, values: Any) -> None:
        """Coefficients in columns: numbers where all labels share them (a graph has them inside), else a buffer."""
        if len(values) == 1:
            setattr(self, name, tuple(float(value) for value in values[0]))
        else:
            self.register_buffer(name, torch.tensor(values.T.copy(), dtype=torch.float32), persistent=False)

    @property
    def counts(self) -> Tensor:
        """TP, FP, FN, TN with a fading memory: (4, 1), or (4, labels) with a λ per label."""
        return self.state[:4]

    @property
    def lambdas(self) -> Tensor:
        """λ: one value, or one per label."""
        return self.state[4] if self.by_label else self.state[4, :1]

    def _step_key(self, average: str, ratios: int) -> str | None:
        """The core's step where it does what is asked for: logistic, one ratio for all labels, λ from counts."""
        fits = self.tau == 0 and self.lambda_from == "counts" and ratios == 1 and self.reduction != "none"
        if not fits or not (self.ignore_value is None or np.isnan(self.ignore_value)):
            return None
        return step_key(
            average,
            self._numerator,
            self._denominator,
            decay=self.decay,
            shrinkage=self.shrinkage,
            joint=self.coupling == "joint",
            mean=self.reduction == "mean",
            nan_is_unknown=self.ignore_value is not None,
        )

    # ---- the core's way: CPU, 32 bits ------------------------------------------------------------------------

    def _fusable(self, logits: Tensor, targets: Tensor) -> bool:
        shape, state = logits.shape, self.state
        return (
            logits.is_cpu
            and targets.is_cpu
            and state.is_cpu
            and logits.dtype is torch.float32
            and targets.dtype is torch.float32
            and state.dtype is torch.float32
            and shape == targets.shape
            and len(shape) > 1
            and (shape[-1] == self._groups or (self._groups == 1 and not self.by_label))
            and (torch.compiler.is_compiling() or (logits.is_contiguous() and targets.is_contiguous()))
            and not targets.requires_grad
            and not (self.training and self._world() > 1)
        )

    # ---- torch's way: any device, traceable ------------------------------------------------------------------

    def _world(self) -> int:
        if not self.sync or not dist.is_available() or not dist.is_initialized():
            return 1
        return dist.get_world_size()

    @torch.no_grad()
    def _update(self, cells: Cells) -> None:
        labels = cells.y.shape[-1]
        y = cells.y.detach().reshape(-1, labels).float()
        p = (cells.z.detach() >= 0).reshape(-1, labels).float()
        known = None
        if cells.known is not None:
            known = cells.known.reshape(-1, labels).float()
            p = p * known
        if self.lambda_from == "batch" and self.per_row:
            self._follow_rows(p, y, known)
            return
        over: tuple[int, ...] = (0,) if self._groups > 1 or self.by_label else (0, 1)
        hits, predicted, positive = (p * y).sum(over), p.sum(over), y.sum(over)
        cell_count = torch.full_like(hits, float(y.numel() // hits.numel())) if known is None else known.sum(over)
        misses, wrong = positive - hits, predicted - hits
        fresh = [hits, wrong, misses, cell_count - hits - wrong - misses]
        if self._world() > 1:
            summed = torch.stack(fresh)
            dist.all_reduce(summed)
            fresh = list(summed.unbind())
        fresh = [part.reshape(self._groups) for part in fresh]
        if self.lambda_from == "batch":
            self.state[4] = self.gamma * self.state[4] + (1 - self.gamma) * self._value(fresh, 0.0, None)
        else:
            kept = [self.decay * self.state[k] + fresh[k] for k in range(4)]
            self.state.copy_(torch.stack([*kept, self._value(kept, self.shrinkage, self.state[4])]))

    def _value(self, counts: list[Tensor], shrinkage: float, empty: Tensor | None) -> Tensor:
        above, below = _combine(self._numerator, counts), _combine(self._denominator, counts)
        if not self.by_label and self._groups > 1:
            above, below = above.sum().expand(self._groups), below.sum().expand(self._groups)
        below = below + shrinkage
        there = below != 0
        value = above / torch.where(there, below, torch.ones_like(below))
        return torch.where(there, value, torch.zeros_like(value) if empty is None else empty)

    def _follow_rows(self, p: Tensor, y: Tensor, known: Tensor | None) -> None:
        """The mean over rows of each row's ratio."""
        one = torch.ones_like(y) if known is None else known
        hits = p * y
        cells = [hits, p - hits, y - hits, one - p - y + hits]
        above, below = (_combine(part, cells).sum(-1) for part in (self._numerator, self._denominator))
        there = below != 0
        value = torch.where(there, above / torch.where(there, below, torch.ones_like(below)), torch.zeros_like(above))
        total = torch.stack([value.sum(), torch.full_like(value.sum(), float(value.numel()))])
        if self._world() > 1:
            dist.all_reduce(total)
        self.state[4] = self.gamma * self.state[4] + (1 - self.gamma) * total[0] / total[1]

    def costs(self) -> tuple[Tensor, Tensor]:
        """The costs of a false negative and of a false positive at the λ of the moment, one each or per label."""
        at_0, slope, lam = self._cost_at_0, self._cost_slope, self.state[4]
        return at_0[0] + slope[0] * lam, at_0[1] + slope[1] * lam

    def _weights(self, cells: Cells) -> tuple[Tensor, Tensor]:
        """c(+1), c(−1) of every cell: how much the loss pulls its logit up and down."""
        a, b = (cost.to(cells.z.dtype) for cost in self.costs())
        y = cells.y
        absent = cells.only_known(1 - y)
        if self._one_sided:
            return y * a, absent * b
        return y * a.clamp(min=0) + absent * (-b).clamp(min=0), y * (-a).clamp(min=0) + absent * b.clamp(min=0)

    def _cell_losses(self, cells: Cells) -> Tensor:
        up, down = self._weights(cells)
        if self.coupling == "joint":
            each = up + down
            cross = cells.only_known(0.5 * (each.sum(-1, keepdim=True) - each))
            if self.tau > 0:
                return self._joint_rows(cells, up, down)
            up, down = up + cross, down + cross
        z = cells.z
        if self.tau == 0:
            return (up + down) * functional.softplus(z) - up * z  # softplus(−z) = softplus(z) − z
        above, below = functional.logsigmoid(z), functional.logsigmoid(-z)
        return -(up * torch.expm1(self.tau * above) + down * torch.expm1(self.tau * below)) / self.tau

    def _joint_rows(self, cells: Cells, up: Tensor, down: Tensor) -> Tensor:
        """(A − T)/τ of each row, T = 2·Π(S_k/2)·Σ N_k/S_k; every label gets its share of the row's loss."""
        if cells.z.shape[-1] > _MOST_JOINT_LABELS:
            raise ValueError(f"the joint loss with tau > 0 has no gradient beyond {_MOST_JOINT_LABELS} labels")
        above = torch.exp(self.tau * functional.logsigmoid(cells.z))
        below = torch.exp(self.tau * functional.logsigmoid(-cells.z))
        sums = above + below
        log_product = cells.only_known(torch.log(0.5 * sums)).sum(-1)
        parts = ((up * above + down * below) / sums).sum(-1)
        rows = ((up + down).sum(-1) - 2 * torch.exp(log_product) * parts) / self.tau
        return rows[..., None].expand_as(up) / up.shape[-1]

    def forward(self, logits: Tensor, targets: Tensor, mask: Tensor | None = None) -> Tensor:
        """The loss of (…, labels) logits; λ is updated first when training."""
        if self._step is not None and mask is None:
            wide = logits.float() if logits.dtype in (torch.bfloat16, torch.float16) else logits
            y = targets if targets.dtype in (torch.float32, torch.float64) else targets.float()
            if self._fusable(wide, y):
                compiled = torch.compiler.is_compiling()
                if compiled and self._traceable and wide.numel() < _MOST_TRACED_CELLS:
                    return self._traced(wide, y)
                step = GraphStep if compiled else EagerStep
                return step.apply(wide, y, self.state, self._step, self.training)  # type: ignore[no-any-return, no-untyped-call]
        return self.general(logits, targets, mask, self.reduction)

    def general(self, logits: Tensor, targets: Tensor, mask: Tensor | None, reduction: str) -> Tensor:
        """The same in torch's operators and with another reduction."""
        cells = Cells(logits, targets, mask, self.ignore_value)
        if (self._groups > 1 or self.by_label) and logits.shape[-1] != self._groups:
            raise ValueError(f"{logits.shape[-1]} labels, but the loss was made for {self._groups}")
        if self.training:
            self._update(cells)
        return cells.reduce(self._cell_losses(cells), reduction)

    def _traced(self, z: Tensor, y: Tensor) -> Tensor:
        """The usual case in as few operators as it takes: a compiled step of a small batch is all overhead."""
        state, lam = self.state, self.state[4]
        if self.training:
            with torch.no_grad():
                over = tuple(range(z.dim() - (1 if self.by_label else 0)))
                p = (z >= 0).float()
                hits, predicted, positive = (p * y).sum(over), p.sum(over), y.sum(over)
                right = y.numel() // self._groups - predicted - positive + hits
                fresh = [hits, predicted - hits, positive - hits, right]
                kept = [self.decay * state[k] + fresh[k] for k in range(4)]
                above, below = _combine(self._numerator, kept), _combine(self._denominator, kept) + self.shrinkage
                lam = torch.where(below != 0, above / below, lam)
                state[0], state[1], state[2], state[3], state[4] = *kept, lam
        at_0, slope = self._cost_at_0, self._cost_slope
        up, down = y * (at_0[0] + slope[0] * lam), (1 - y) * (at_0[1] + slope[1] * lam)
        total = ((up + down) * functional.softplus(z) - up * z).sum()
        return total / z.numel() if self.reduction == "mean" else total  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"{self.metric!r}, tau={self.tau}, coupling={self.coupling!r}, lambda_from={self.lambda_from!r}"
