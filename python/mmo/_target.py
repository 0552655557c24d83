"""What a classifier was asked to predict: which kind of y, its classes, and the way back from label numbers."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from mmo._labels import as_indicator, parts_of, split_unknown, to_dense, to_sparse

Kind = Literal["multilabel", "binary", "multiclass"]
Form = Literal["dense", "sparse", "sets"]


def _is_sets(y: Any) -> bool:
    """Lists of label sets: sets, or sequences that are not an indicator matrix."""
    if not isinstance(y, Sequence) and not (isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 1):
        return False
    if len(y) == 0 or not all(isinstance(row, (AbstractSet, Sequence)) and not isinstance(row, str) for row in y):
        return False
    if any(isinstance(row, AbstractSet) for row in y):
        return True
    same_length = len({len(row) for row in y}) == 1
    return not (same_length and all(cell in (0, 1) for row in y for cell in row))


@dataclass
class Target:
    """How y is coded. Fitted by `learn`; `encode` then takes y of the same kind."""

    kind: Kind
    classes: npt.NDArray[Any]
    form: Form = "dense"
    dtype: Any = np.int64

    @property
    def labels(self) -> int:
        """Labels of the model: a binary target has one, the second class."""
        return 1 if self.kind == "binary" else len(self.classes)

    @staticmethod
    def learn(y: Any, missing_label: float | None = None) -> Target:
        """The kind of y and its classes. Raises ValueError for anything that can't be classified."""
        if _is_sets(y):
            classes = MultiLabelBinarizer().fit(y).classes_
            return Target("multilabel", np.asarray(classes), "sets")
        names = getattr(y, "columns", None)
        known, _ = split_unknown(y, missing_label)
        check_classification_targets(known)
        kind = type_of_target(known, input_name="y")
        if kind == "multilabel-indicator":
            matrix = as_indicator(known)
            names = np.arange(matrix.shape[1]) if names is None else np.asarray(names)
            form: Form = "sparse" if sparse.issparse(y) else "dense"
            return Target("multilabel", names, form, np.dtype(np.int64) if missing_label is not None else matrix.dtype)
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Unknown label type: {kind}; MMOClassifier takes binary, multiclass and multi-label y")
        values = column_or_1d(known, warn=True)
        classes = np.unique(values)
        if len(classes) < 2:
            raise ValueError(f"y has a single class, {classes[0]!r}; at least two classes are needed")
        return Target("binary" if len(classes) == 2 else "multiclass", classes, "dense", values.dtype)

    def encode(self, y: Any, missing_label: float | None = None) -> tuple[Any, npt.NDArray[np.bool_] | None]:
        """A 0/1 matrix of rows by labels, and its unknown cells."""
        if self.form == "sets":
            binarizer = MultiLabelBinarizer(classes=self.classes, sparse_output=True).fit([])
            return binarizer.transform(y), None
        known, unknown = split_unknown(y, missing_label)
        if self.kind == "multilabel":
            matrix = as_indicator(known)
            if matrix.shape[1] != self.labels:
                raise ValueError(f"y has {matrix.shape[1]} labels, the model has {self.labels}")
            return matrix, unknown
        values = column_or_1d(known)
        if self.kind == "binary":
            self._refuse_strangers(values)
            return (values == self.classes[1])[:, None], None
        self._refuse_strangers(values)
        return values[:, None] == self.classes[None, :], None

    def _refuse_strangers(self, values: npt.NDArray[Any]) -> None:
        strangers = np.setdiff1d(values, self.classes)
        if strangers.size:
            raise ValueError(f"y contains {strangers[0]!r}, which is not among the classes of the training data")

    def decode(self, offsets: npt.NDArray[Any], indices: npt.NDArray[Any]) -> Any:
        """Predicted label numbers in the form that y had."""
        if self.form == "sparse":
            return to_sparse(offsets, indices, self.labels, self.dtype)
        if self.form == "dense":
            return to_dense(offsets, indices, self.labels, self.dtype)
        ends = offsets.view(np.int64)
        names = self.classes[indices.view(np.int32)]
        return [set(names[ends[i] : ends[i + 1]].tolist()) for i in range(len(ends) - 1)]

    def record(self) -> dict[str, Any]:
        """For the model file, so that `load` gives back the same classifier."""
        return {
            "kind": self.kind,
            "form": self.form,
            "classes": self.classes.tolist(),
            "classes_dtype": self.classes.dtype.str,
            "dtype": np.dtype(self.dtype).str,
        }

    @staticmethod
    def from_record(record: dict[str, Any] | None, names: list[str]) -> Target:
        """The inverse; files of the program have label names only."""
        if record is None:
            return Target("multilabel", np.asarray(names))
        dtype = np.dtype(record["classes_dtype"])
        classes = np.asarray(record["classes"], dtype=dtype)
        return Target(record["kind"], classes, record["form"], np.dtype(record["dtype"]))


__all__ = ["Target", "parts_of"]
