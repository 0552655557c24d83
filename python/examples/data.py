"""Data of the examples: a public set where the folder MMO_DATA has it, a generated one otherwise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mmo import datasets


def tabular(name: str) -> tuple[Any, Any, Any, Any]:
    """X and Y of the training rows, X and Y of the test rows."""
    folder = Path(os.environ.get("MMO_DATA", "")) / "mulan" / name
    if folder.exists():
        train, test = (datasets.load(folder / f"{name}-{part}.arff") for part in ("train", "test"))
        return train.data, train.target, test.data, test.target
    made = datasets.make_multilabel(rows=2000, features=60, labels=14, noise=0.1)
    return made.data[:1000], made.target[:1000], made.data[1000:], made.target[1000:]


def text() -> tuple[list[str], Any, list[str], Any]:
    """Documents and label sets: Reuters' ten most frequent topics, or made-up sentences."""
    folder = Path(os.environ.get("MMO_DATA", "")) / "reuters21578"
    if folder.exists():
        train, test = (datasets.load(folder, part=part) for part in ("train90", "test90"))
        top = train.target.sum(axis=0).argsort()[::-1][:10]
        return train.data[:3000], train.target[:3000, top], test.data[:1500], test.target[:1500, top]
    made = datasets.make_multilabel(rows=1500, features=400, labels=10, nonzeros_per_row=30)
    words = [" ".join(f"word{k}" for k in made.data[i].indices) for i in range(1500)]
    return words[:1000], made.target[:1000], words[1000:], made.target[1000:]
