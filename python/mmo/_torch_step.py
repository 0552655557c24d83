"""The core's training step on CPU tensors: one call for counts, λ, loss and gradient, eager and inside a graph."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mmo import _core
from mmo._torch_lambda import LambdaFollower


def step_key(metric: _core.Metric, follower: LambdaFollower, *, joint: bool, mean: bool, nan_is_unknown: bool) -> str:
    """Everything that defines a step, as a string: a graph can hold it and another process can read it."""
    ratio = [part[0].tolist() for part in (metric.numerator, metric.denominator)]
    return json.dumps([metric.average.name, *ratio, follower.decay, follower.shrinkage, joint, mean, nan_is_unknown])


@lru_cache(maxsize=256)
def step_of(key: str) -> _core.FusedLoss:
    average, numerator, denominator, decay, shrinkage, joint, mean, nan_is_unknown = json.loads(key)
    averaged = getattr(_core.Average, average)
    metric = _core.Metric.from_counts("", averaged, np.array([numerator]), np.array([denominator]), 0.0)
    return _core.FusedLoss(metric, (decay, shrinkage), 1.0 if joint else 0.0, mean, nan_is_unknown)


def takes_step(logits: Tensor, targets: Tensor, state: Tensor) -> bool:
    """Whether the core can take the tensors: on the CPU, 32 bits, contiguous (a graph makes them so), same shape."""
    there = logits.is_cpu and targets.is_cpu and state.is_cpu
    single = logits.dtype is torch.float32 and targets.dtype is torch.float32 and state.dtype is torch.float32
    return (
        there
        and single
        and logits.shape == targets.shape
        and logits.dim() > 1
        and (torch.compiler.is_compiling() or (logits.is_contiguous() and targets.is_contiguous()))
        and not targets.requires_grad
    )


def core_step(logits: Tensor, targets: Tensor, state: Tensor, key: str, update: bool) -> Tensor:
    """The loss; moves `state` if `update`."""
    step = GraphStep if torch.compiler.is_compiling() else EagerStep
    return step.apply(logits, targets, state, key, update)  # type: ignore[no-any-return, no-untyped-call]


def run_step(key: str, logits: Tensor, targets: Tensor, state: Tensor, update: bool, gradient: Tensor | None) -> float:
    """The loss of contiguous float32 tensors; moves `state` if `update`, writes `gradient`."""
    labels = logits.shape[-1]
    return step_of(key).step(
        logits.data_ptr(),
        targets.data_ptr(),
        logits.numel() // labels,
        labels,
        state.data_ptr(),
        state.shape[1],
        update,
        0 if gradient is None else gradient.data_ptr(),
        torch.get_num_threads(),
    )


_library: Any = torch.library.Library("mmo", "FRAGMENT")  # type: ignore[no-untyped-call]
_library.define(
    "training_step(Tensor logits, Tensor targets, Tensor(a!) state, str key, bool update) -> (Tensor, Tensor)"
)


def _in_graph(logits: Tensor, targets: Tensor, state: Tensor, key: str, update: bool) -> tuple[Tensor, Tensor]:
    gradient = torch.empty(logits.shape, dtype=logits.dtype, device=logits.device)
    value = run_step(key, logits.contiguous(), targets.contiguous(), state, update, gradient)
    return torch.scalar_tensor(value, dtype=logits.dtype, device=logits.device), gradient


_library.impl("training_step", _in_graph, "CPU")


def _shapes(logits: Tensor, targets: Tensor, state: Tensor, key: str, update: bool) -> tuple[Tensor, Tensor]:
    return logits.new_empty(()), logits.new_empty(logits.shape)


torch.library.register_fake("mmo::training_step", _shapes, lib=_library)


class EagerStep(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, state: Tensor, key: str, update: bool) -> Tensor:
        ctx.gradient = torch.empty_like(logits) if ctx.needs_input_grad[0] else None
        value = run_step(key, logits, targets, state, update, ctx.gradient)
        return torch.scalar_tensor(value, dtype=logits.dtype, device=logits.device)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # create_graph=True (once_differentiable tells us too, at ten times the cost)
            raise RuntimeError("MMOLoss has no second derivatives in 32 bits on the CPU; give it 64-bit logits")
        return ctx.gradient * grad_output, None, None, None, None


class GraphStep(torch.autograd.Function):
    """The same as a single operator of a compiled graph, which moves `state`."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, state: Tensor, key: str, update: bool) -> Tensor:
        value, gradient = torch.ops.mmo.training_step(logits, targets, state, key, update)
        ctx.save_for_backward(gradient)
        return value  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor | None, ...]:
        return ctx.saved_tensors[0] * grad_output, None, None, None, None
