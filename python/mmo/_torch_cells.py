"""Cells of logits and targets, and other authors' losses."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional


class Cells:
    """Logits and targets in 32 bits (or 64), and which cells count."""

    def __init__(self, logits: Tensor, targets: Tensor, mask: Tensor | None, ignore_value: float | None) -> None:
        if logits.shape != targets.shape or logits.dim() < 2:
            raise ValueError(
                f"logits {tuple(logits.shape)} and targets {tuple(targets.shape)} must both be (N, labels)"
            )
        self.z = logits if logits.dtype == torch.float64 else logits.float()
        y = targets.to(self.z.dtype)
        self.known: Tensor | None = None if mask is None else mask.to(torch.bool)
        if ignore_value is not None:
            there = ~torch.isnan(y) if np.isnan(ignore_value) else y != ignore_value
            self.known = there if self.known is None else there & self.known
        self.y = y if self.known is None else torch.where(self.known, y, torch.zeros_like(y))

    def only_known(self, cells: Tensor) -> Tensor:
        return cells if self.known is None else torch.where(self.known, cells, torch.zeros_like(cells))

    def reduce(self, cells: Tensor, reduction: str) -> Tensor:
        """`cells` are 0 where unknown."""
        if reduction == "none":
            return cells
        return self.scale(cells.sum(), reduction)

    def scale(self, total: Tensor, reduction: str) -> Tensor:
        """Leaves a sum over all known cells as it is, or turns it into their mean."""
        if reduction == "sum":
            return total
        if self.known is None:
            return total / self.y.numel()
        return total / self.known.sum().clamp(min=1)


def check_reduction(reduction: str) -> str:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction {reduction!r} is unknown; use mean, sum or none")
    return reduction


class SigmoidF1Loss(nn.Module):
    """1 − F1 of soft counts S = σ(β(z + η)) over the batch (Bénédict et al., 2022)."""

    def __init__(
        self,
        *,
        beta: float = 1.0,
        eta: float = 0.0,
        average: str = "macro",
        ignore_value: float | None = None,
    ) -> None:
        super().__init__()
        if average not in ("micro", "macro"):
            raise ValueError(f"average {average!r} is unknown; use micro or macro")
        self.beta, self.eta, self.average, self.ignore_value = beta, eta, average, ignore_value

    def forward(self, logits: Tensor, targets: Tensor, mask: Tensor | None = None) -> Tensor:
        cells = Cells(logits, targets, mask, self.ignore_value)
        soft = cells.only_known(torch.sigmoid(self.beta * (cells.z + self.eta)))
        over = tuple(range(logits.dim())) if self.average == "micro" else tuple(range(logits.dim() - 1))
        hits = (soft * cells.y).sum(over)
        below = (soft + cells.y).sum(over) + 1e-16  # the authors': keeps 0/0 at 0
        return (1 - 2 * hits / below).mean()


class AsymmetricLoss(nn.Module):
    """Focusing powers γ₊, γ₋ and a margin for easy negatives (Ridnik et al., 2021); p_m = max(p − m, 0)."""

    def __init__(
        self,
        *,
        gamma_positive: float = 1.0,
        gamma_negative: float = 4.0,
        margin: float = 0.05,
        reduction: str = "mean",
        ignore_value: float | None = None,
    ) -> None:
        super().__init__()
        self.gamma_positive, self.gamma_negative, self.margin = gamma_positive, gamma_negative, margin
        self.reduction = check_reduction(reduction)
        self.ignore_value = ignore_value

    def forward(self, logits: Tensor, targets: Tensor, mask: Tensor | None = None) -> Tensor:
        cells = Cells(logits, targets, mask, self.ignore_value)
        z = cells.z
        log_p, log_q = functional.logsigmoid(z), functional.logsigmoid(-z)
        positive = -torch.exp(self.gamma_positive * log_q) * log_p
        if self.margin > 0:
            shifted = (torch.sigmoid(z) - self.margin).clamp(min=0)
            negative = -(shifted**self.gamma_negative) * torch.log1p(-shifted)
        else:
            negative = -torch.exp(self.gamma_negative * log_p) * log_q
        return cells.reduce(cells.only_known(cells.y * positive + (1 - cells.y) * negative), self.reduction)
