"""Data sets of the library `datasets` (Hugging Face) as texts or tables with labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils import Bunch

from mmo._arrow import ArrowFrame


def bunch_of(
    ds: Any, text: str | None, labels: str | Sequence[str], target_names: Sequence[str] | None, sparse_target: bool
) -> Bunch:
    """The public function's work; see `mmo.datasets.from_dataset`."""
    if not hasattr(ds, "column_names") or isinstance(ds.column_names, dict):
        raise ValueError("from_dataset takes one split of a data set; choose one, as in ds['train']")
    chosen = [labels] if isinstance(labels, str) else list(labels)
    for name in [*chosen, *([text] if text else [])]:
        if name not in ds.column_names:
            raise ValueError(f"no column is called {name!r}; the data set has {', '.join(ds.column_names)}")
    table = ds.with_format("arrow")[:]
    if isinstance(labels, str):
        target, names = _of_lists(table.column(labels).to_pylist(), ds.features[labels])
    else:
        target, names = np.column_stack([table.column(name).to_numpy() for name in chosen]).astype(np.int64), chosen
    if target_names is not None:
        if len(target_names) != target.shape[1]:
            raise ValueError(f"target_names has {len(target_names)} names for {target.shape[1]} labels")
        names = list(target_names)
    if text:
        data: Any = [document or "" for document in table.column(text).to_pylist()]
    else:
        data = ArrowFrame(table.drop_columns(chosen)).table
    dense = target.toarray() if sparse.issparse(target) and not sparse_target else target
    return Bunch(
        data=data,
        target=sparse.csr_matrix(dense) if sparse_target else dense,
        feature_names=[] if text else list(data.column_names),
        target_names=[str(name) for name in names],
    )


def _of_lists(rows: list[Any], feature: Any) -> tuple[Any, Sequence[Any]]:
    """One column: lists of classes or names, one class per row, or rows of 0 and 1."""
    inner = getattr(feature, "feature", feature)
    classes = getattr(inner, "names", None)
    lists = [[] if row is None else row if isinstance(row, list) else [row] for row in rows]
    if classes is not None:
        return _indicator(lists, range(len(classes))), classes
    if _is_multi_hot(lists):
        return np.array(lists, dtype=np.int64), range(len(lists[0]))
    names = sorted({label for row in lists for label in row}, key=str)
    return _indicator(lists, names), names


def _is_multi_hot(lists: list[list[Any]]) -> bool:
    """Rows of one length, above 1, that hold 0 and 1 alone."""
    same_length = len({len(row) for row in lists}) == 1 and len(lists[0]) > 1
    return same_length and all(cell in (0, 1) for row in lists for cell in row)


def _indicator(lists: list[list[Any]], names: Sequence[Any]) -> sparse.csr_matrix:
    binarizer = MultiLabelBinarizer(classes=list(names), sparse_output=True).fit([])
    known = [[label for label in row if label != -1] for row in lists]  # -1: a ClassLabel that nobody knows
    return sparse.csr_matrix(binarizer.transform(known), dtype=np.int64)
