"""The paper's surrogate of cells in torch operators, matching the core's (src/mmo/loss/surrogate.h)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from mmo._torch_cells import Cells

MOST_JOINT_LABELS = 64  # beyond this, the joint loss with τ > 0 has no gradient left (docs/paper_map.md)


@dataclass(frozen=True)
class Surrogate:
    """Σ_{y′} c(y′)·Φ_τ for every cell; `joint` adds the paper's coupling between a row's labels."""

    tau: float
    joint: bool
    one_sided: bool  # no cost can be negative (F1, Jaccard …): one side of every cell is 0

    def refuse(self, labels: int) -> None:
        if self.joint and self.tau > 0 and labels > MOST_JOINT_LABELS:
            raise ValueError(f"the joint loss with tau > 0 has no gradient beyond {MOST_JOINT_LABELS} labels")

    def __call__(self, cells: Cells, costs: tuple[Tensor, Tensor]) -> Tensor:
        self.refuse(cells.z.shape[-1])
        up, down = self._weights(cells, costs)
        if self.joint and self.tau > 0:
            return self._joint_rows(cells, up, down)
        if self.joint:  # w(y′) = c(y′) + ½·(A − A_j)
            each = up + down
            cross = cells.only_known(0.5 * (each.sum(-1, keepdim=True) - each))
            up, down = up + cross, down + cross
        z = cells.z
        if self.tau == 0:
            return (up + down) * functional.softplus(z) - up * z  # softplus(−z) = softplus(z) − z
        above, below = functional.logsigmoid(z), functional.logsigmoid(-z)
        return -(up * torch.expm1(self.tau * above) + down * torch.expm1(self.tau * below)) / self.tau

    def _weights(self, cells: Cells, costs: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """c(+1), c(−1) of every cell: how much the loss pulls its logit up and down."""
        a, b = (cost.to(cells.z.dtype) for cost in costs)
        y = cells.y
        absent = cells.only_known(1 - y)
        if self.one_sided:
            return y * a, absent * b
        return y * a.clamp(min=0) + absent * (-b).clamp(min=0), y * (-a).clamp(min=0) + absent * b.clamp(min=0)

    def _joint_rows(self, cells: Cells, up: Tensor, down: Tensor) -> Tensor:
        """(A − T)/τ for each row, T = 2·Π(S_k/2)·Σ N_k/S_k; every label gets its share of the row's loss."""
        above = torch.exp(self.tau * functional.logsigmoid(cells.z))
        below = torch.exp(self.tau * functional.logsigmoid(-cells.z))
        sums = above + below
        log_product = cells.only_known(torch.log(0.5 * sums)).sum(-1)
        parts = ((up * above + down * below) / sums).sum(-1)
        rows = ((up + down).sum(-1) - 2 * torch.exp(log_product) * parts) / self.tau
        return rows[..., None].expand_as(up) / up.shape[-1]
