"""λ that follows training: what a batch shows, how that fades, and the costs at the current λ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from mmo import _core
from mmo._torch_cells import Cells


@dataclass(frozen=True)
class LambdaFrom:
    """Where MMOLoss's λ comes from.

    Parameters
    ----------
    source : {"counts", "batch"}, default="counts"
        "counts": λ of counts with a fading memory; "batch": the paper's moving average of the batches' metric.
    decay : float, optional
        Memory of the counts per batch; default 0.99.
    shrinkage : float, optional
        ν in λ = N / (D + ν·n), n the cells counted: a label far rarer than ν gets a low λ, as if labels were balanced;
        default 0, with a λ per label 0.03.
    gamma : float, default=0.7
        Memory of the moving average ("batch").
    start : float, optional
        λ until something has been counted; default: the middle of the metric's range.
    sync : bool, default=True
        Under ``torch.distributed``, sum counts over all processes, so λ is the same everywhere.
    """

    source: str = "counts"
    decay: float | None = None
    shrinkage: float | None = None
    gamma: float = 0.7
    start: float | None = None
    sync: bool = True

    def __post_init__(self) -> None:
        if self.source not in ("counts", "batch"):
            raise ValueError(f"lambda_from {self.source!r} is unknown; use counts or batch")

    def world(self) -> int:
        """How many processes share λ."""
        if not self.sync or not dist.is_available() or not dist.is_initialized():
            return 1
        return dist.get_world_size()


class LambdaFollower(nn.Module):
    """Moves a loss's `state`: rows TP, FP, FN, TN, λ (metrics of rows: Σ of the rows' ratios, rows, 0, 0, λ) and one
    column, or one per label. Holds the metric's coefficients; the state stays the loss's.
    """

    _numerator: Any
    _denominator: Any
    _cost_at_0: Any
    _cost_slope: Any

    def __init__(self, metric: _core.Metric, num_labels: int | None, chosen: LambdaFrom) -> None:
        super().__init__()
        ratios = len(metric.numerator)
        self.chosen = chosen
        self.by_label = metric.by_label
        self.per_row = metric.average == _core.Average.samples
        # One λ needs pooled counts, unless each label has its own coefficients.
        self.groups = int(num_labels or 1) if metric.by_label or ratios > 1 else 1
        decay, shrinkage = _core.default_memory(metric.by_label)
        self.decay = float(decay if chosen.decay is None else chosen.decay)
        self.shrinkage = float(shrinkage if chosen.shrinkage is None else chosen.shrinkage)
        self.start = float(metric.start if chosen.start is None else chosen.start)
        self.zero_division = metric.zero_division
        low, high = metric.costs(ratios, [0.0]), metric.costs(ratios, [1.0])
        self._keep("_numerator", metric.numerator)
        self._keep("_denominator", metric.denominator)
        self._keep("_cost_at_0", low)
        self._keep("_cost_slope", high - low)

    def _keep(self, name: str, values: Any) -> None:
        """Coefficients in columns: numbers if all labels share them (a graph can hold those), else a buffer."""
        if len(values) == 1:
            setattr(self, name, tuple(float(value) for value in values[0]))
        else:
            self.register_buffer(name, torch.tensor(values.T.copy(), dtype=torch.float32), persistent=False)

    def costs(self, lam: Tensor) -> tuple[Tensor, Tensor]:
        """The costs of a false negative and a false positive."""
        at_0, slope = self._cost_at_0, self._cost_slope
        return at_0[0] + slope[0] * lam, at_0[1] + slope[1] * lam

    @torch.no_grad()
    def forward(self, state: Tensor, cells: Cells) -> None:
        fresh = self._row_ratios(cells) if self.per_row else self._counts(cells)
        if self.chosen.world() > 1:
            dist.all_reduce(fresh)
        lam = state[4]
        if self.chosen.source == "batch":
            value = self._value(fresh, 0.0, lam if np.isnan(self.zero_division) else self.zero_division)
            state[4] = self.chosen.gamma * lam + (1 - self.chosen.gamma) * value
        else:
            kept = self.decay * state[: len(fresh)] + fresh
            state[4] = self._value(kept, self.shrinkage, lam)
            state[: len(fresh)] = kept

    def _counts(self, cells: Cells) -> Tensor:
        """TP, FP, FN, TN at threshold 0: all labels together, or a column each."""
        labels = cells.y.shape[-1]
        y = cells.y.detach().reshape(-1, labels).float()
        p = cells.only_known((cells.z.detach() >= 0).float()).reshape(-1, labels)
        over: tuple[int, ...] = (0,) if self.groups > 1 or self.by_label else (0, 1)
        hits, predicted, positive = (p * y).sum(over), p.sum(over), y.sum(over)
        if cells.known is None:
            cell_count: Any = y.numel() // hits.numel()
        else:
            cell_count = cells.known.expand_as(cells.y).reshape(-1, labels).float().sum(over)
        wrong, misses = predicted - hits, positive - hits
        return torch.stack([hits, wrong, misses, cell_count - hits - wrong - misses]).reshape(4, self.groups)

    def _row_ratios(self, cells: Cells) -> Tensor:
        """Σ of the rows' ratios and the rows that have one; soft targets count as present above ½."""
        y = (cells.y.detach() > 0.5).float()
        p = cells.only_known((cells.z.detach() >= 0).float())
        one = cells.only_known(torch.ones_like(y))
        table = [p * y, p - p * y, y - p * y, one - p - y + p * y]
        above, below = (_combine(part, table).sum(-1) for part in (self._numerator, self._denominator))
        there = below != 0
        value = above / torch.where(there, below, torch.ones_like(below))
        if self.chosen.source == "batch" and not np.isnan(self.zero_division):
            value, there = torch.where(there, value, self.zero_division), torch.ones_like(there)
        total = torch.where(there, value, torch.zeros_like(value)).sum()
        return torch.stack([total, there.float().sum()]).reshape(2, 1)

    def _value(self, seen: Tensor, shrinkage: float, nothing: Tensor | float) -> Tensor:
        """The metric of what was seen; `nothing` if that is 0/0."""
        if self.per_row:
            above, below = seen[0], seen[1]
        else:
            counts = list(seen.unbind())
            above, below = _combine(self._numerator, counts), _combine(self._denominator, counts)
            if not self.by_label and self.groups > 1:
                above, below = above.sum().expand(self.groups), below.sum().expand(self.groups)
            if shrinkage > 0:
                below = below + shrinkage * seen.sum(0)
        there = below != 0
        return torch.where(there, above / torch.where(there, below, torch.ones_like(below)), nothing)


def _combine(weights: Any, counts: list[Tensor]) -> Any:
    """Weighted sum of TP, FP, FN, TN; weights are four numbers, or rows with one number per label."""
    total = weights[0] * counts[0]
    for k in range(1, 4):
        if isinstance(weights, Tensor) or weights[k] != 0:
            total = total + weights[k] * counts[k]
    return total
