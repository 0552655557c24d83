"""What a classifier was asked to predict: the kind of y, its classes, and how to get back from label numbers."""

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

from mmo._arrow import plain_frame
from mmo._labels import as_indicator, parts_of, split_unknown, to_dense, to_sparse

Kind = Literal["multilabel", "binary", "multiclass"]
Form = Literal["dense", "sparse", "sets"]


def plain_target(y: Any) -> Any:
    """Label sets from a pandas, polars or Arrow column, or a data set's, as a list of lists; any other y as it is.

    A missing set becomes an empty one, like an empty cell in a CSV file.
    """
    if y is None or isinstance(y, str) or sparse.issparse(y):
        return y
    y = plain_frame(y) if hasattr(y, "column_names") else y
    if hasattr(y, "columns") or getattr(y, "ndim", 1) != 1:
        return y
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(y, method):
            rows = getattr(y, method)()
            break
    else:
        rows = list(y) if hasattr(y, "__iter__") and hasattr(y, "__len__") else y
    if not isinstance(rows, list) or not any(_is_list_like(row) for row in rows):
        return y
    return [[] if _is_missing(row) else row.tolist() if isinstance(row, np.ndarray) else row for row in rows]


def _is_list_like(row: Any) -> bool:
    return isinstance(row, (AbstractSet, Sequence, np.ndarray)) and not isinstance(row, str)


def _is_missing(row: Any) -> bool:
    return row is None or (isinstance(row, float) and np.isnan(row)) or type(row).__name__ == "NAType"


def _is_label_column(known: Any) -> bool:
    """0/1 in a single column: one label, unlike a flat y."""
    if getattr(known, "ndim", 1) != 2 or known.shape[1] != 1:
        return False
    values = known.data if sparse.issparse(known) else np.asarray(known)
    return bool(values.dtype != object and np.isin(values, (0, 1)).all())


def _is_sets(y: Any) -> bool:
    """Lists of label sets: sets, or sequences that are not an indicator matrix."""
    if not isinstance(y, Sequence) and not (isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 1):
        return False
    if len(y) == 0 or not all(_is_list_like(row) for row in y):
        return False
    if any(isinstance(row, AbstractSet) for row in y):
        return True
    same_length = len({len(row) for row in y}) == 1
    return not (same_length and all(cell in (0, 1) for row in y for cell in row))


@dataclass
class Target:
    """How y is coded. `learn` fits it; `encode` then takes y of the same kind."""

    kind: Kind
    classes: npt.NDArray[Any]
    form: Form = "dense"
    dtype: Any = np.int64
    column: bool = False  # classes given, and given back, as one column

    @property
    def labels(self) -> int:
        """The model's labels: a binary target has one, the second class."""
        return 1 if self.kind == "binary" else len(self.classes)

    @staticmethod
    def learn(y: Any, missing_label: float | None = None) -> Target:
        """The kind of y and its classes. Raises ValueError for anything that can't be classified."""
        if _is_sets(y):
            classes = MultiLabelBinarizer().fit(y).classes_
            return Target("multilabel", np.asarray(classes), "sets")
        names = getattr(y, "columns", None)
        known, _ = split_unknown(y, missing_label)
        known = known if names is None else np.asarray(known)
        check_classification_targets(known)
        kind = type_of_target(known, input_name="y")
        if kind == "multilabel-indicator" or _is_label_column(known):
            matrix = as_indicator(known)
            names = np.arange(matrix.shape[1]) if names is None else np.asarray(names)
            form: Form = "sparse" if sparse.issparse(y) else "dense"
            return Target("multilabel", names, form, np.dtype(np.int64) if missing_label is not None else matrix.dtype)
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Unknown label type: {kind}; MMOClassifier takes binary, multiclass and multi-label y")
        values = column_or_1d(known, warn=True)
        classes = np.unique(values)
        column = getattr(known, "ndim", 1) == 2
        if len(classes) < 2:
            raise ValueError(f"y has a single class, {classes[0]!r}; at least two classes are needed")
        return Target("binary" if len(classes) == 2 else "multiclass", classes, "dense", values.dtype, column)

    def encode(self, y: Any, missing_label: float | None = None) -> tuple[Any, npt.NDArray[np.bool_] | None]:
        """A 0/1 matrix of rows by labels, and its unknown cells."""
        if self._takes_sets(y):
            binarizer = MultiLabelBinarizer(classes=self.classes, sparse_output=True).fit([])
            return binarizer.transform(y), None
        y = self._by_name(y)[0]
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

    def encode_all(
        self, y: Any, missing_label: float | None = None
    ) -> tuple[Any, npt.NDArray[np.bool_] | None, list[Any]]:
        """The same, and the labels of y that training never saw: their columns follow those of the classes."""
        if self._takes_sets(y):
            unseen = sorted({label for row in y for label in row} - set(self.classes.tolist()), key=str)
            names = np.array([*self.classes.tolist(), *unseen], dtype=object)
            return MultiLabelBinarizer(classes=names, sparse_output=True).fit([]).transform(y), None, unseen
        named, unseen = self._by_name(y)
        if not unseen:
            return *self.encode(named, missing_label), []
        known, unknown = split_unknown(named, missing_label)
        return as_indicator(known), unknown, unseen

    def _takes_sets(self, y: Any) -> bool:
        return self.form == "sets" or (self.kind == "multilabel" and _is_sets(y))

    def _by_name(self, y: Any) -> tuple[Any, list[Any]]:
        """A table's label columns in the order of the classes, and the names of the others, which come after them."""
        names = list(getattr(y, "columns", []))
        known = self.classes.tolist()
        if self.kind != "multilabel" or names == known or not set(names) & set(known):
            return y, []  # if no names match, columns go by position
        absent = [name for name in known if name not in set(names)]
        if absent:
            raise ValueError(f"y has no column for the label {absent[0]!r}")
        unseen = [name for name in names if name not in set(known)]
        return y[known + unseen], unseen

    def _refuse_strangers(self, values: npt.NDArray[Any]) -> None:
        strangers = np.setdiff1d(values, self.classes)
        if strangers.size:
            raise ValueError(f"y contains {strangers[0]!r}, which is not among the classes of the training data")

    def decode(self, offsets: npt.NDArray[Any], indices: npt.NDArray[Any]) -> Any:
        """Predicted label numbers in the form of the original y."""
        if self.form == "sparse":
            return to_sparse(offsets, indices, self.labels, self.dtype)
        if self.form == "dense":
            return to_dense(offsets, indices, self.labels, self.dtype)
        ends = offsets.view(np.int64)
        names = self.classes[indices.view(np.int32)]
        return [set(names[ends[i] : ends[i + 1]].tolist()) for i in range(len(ends) - 1)]

    def record(self) -> dict[str, Any]:
        """For the model file, so `load` gives back the same classifier."""
        return {
            "kind": self.kind,
            "form": self.form,
            "classes": self.classes.tolist(),
            "classes_dtype": self.classes.dtype.str,
            "dtype": np.dtype(self.dtype).str,
            "column": self.column,
        }

    @staticmethod
    def from_record(record: dict[str, Any] | None, names: list[str]) -> Target:
        """The inverse; the program's files have only label names."""
        if record is None:
            return Target("multilabel", np.asarray(names))
        dtype = np.dtype(record["classes_dtype"])
        classes = np.asarray(record["classes"], dtype=dtype)
        column = bool(record.get("column", False))
        return Target(record["kind"], classes, record["form"], np.dtype(record["dtype"]), column)


__all__ = ["Target", "parts_of"]
