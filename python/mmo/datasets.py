"""Multi-label data: the program's readers, and generated data sets.

>>> data = make_multilabel(rows=50, features=8, labels=3, seed=0)
>>> data.data.shape, data.target.shape
((50, 8), (50, 3))
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from mmo import _core
from mmo._features import dataset
from mmo._hub import bunch_of
from mmo._labels import as_indicator, split_unknown, to_dense, to_sparse
from mmo._table import Table, is_frame, is_numeric, names_of
from mmo._words import python_words


def _frame(features: Any, data: _core.Dataset, declared: bool) -> Any:
    """Words instead of the core's codes for them: strings, or categories if the file declares them."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("the file has columns of words, which are read as a DataFrame: pip install pandas") from error
    matrix = features.tocsc() if sparse.issparse(features) else features
    columns: dict[str, Any] = {}
    for k, name in enumerate(data.feature_names):
        values = matrix[:, [k]].toarray().ravel() if sparse.issparse(matrix) else matrix[:, k]
        categories = data.categories.get(name)
        if categories is None:
            columns[name] = values
            continue
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        if declared:
            columns[name] = pd.Categorical.from_codes(codes, categories=categories)
        else:
            columns[name] = np.array([*categories, None], dtype=object)[codes]
    return pd.DataFrame(columns, copy=False)


def _bunch(data: _core.Dataset, sparse_target: bool, *, declared: bool = False) -> Bunch:
    features: Any
    if data.documents:
        features = data.documents
    else:
        raw = data.take_features()
        if isinstance(raw, tuple):
            offsets, indices, values, columns = raw
            shape = (len(offsets) - 1, columns)
            features = sparse.csr_matrix((values, indices.view(np.int32), offsets.view(np.int64)), shape=shape)
        else:
            features = raw
    notes = list(data.notes)
    if data.categories:
        features = _frame(features, data, declared)
        words = ", ".join(map(repr, data.categories))
        notes.append(f"columns of words are kept as words, and data is a DataFrame: {words}")
    form = to_sparse if sparse_target else to_dense
    target = form(*data.positives(), data.labels, np.int64)
    offsets, indices = data.unknown()
    if len(indices):
        if sparse_target:
            raise ValueError("unknown labels need sparse_target=False, which marks them by NaN")
        target = np.where(to_dense(offsets, indices, data.labels, bool), np.nan, target)
    weights = data.row_weights()
    return Bunch(
        data=features,
        target=target,
        feature_names=data.feature_names,
        target_names=data.label_names or [str(label) for label in range(data.labels)],
        categories=data.categories,
        sample_weight=weights if len(weights) else None,
        groups=data.groups or None,
        notes=notes,
    )


def _parquet_bunch(table: Any, labels: str) -> Bunch:
    from mmo.parquet import split_labels

    features, target, names = split_labels(table, labels) if labels else (table, None, None)
    return Bunch(data=features, target=target, feature_names=list(features.column_names), target_names=names, notes=[])


def from_dataset(
    ds: Any,
    *,
    labels: str | Sequence[str],
    text: str | None = None,
    target_names: Sequence[str] | None = None,
    sparse_target: bool = False,
) -> Bunch:
    """A split of a Hugging Face data set: ``from_dataset(ds["train"], text="text", labels="labels")``.

    `labels` is a column of lists (of ``ClassLabel``, names or numbers), a column of 0/1 lists, or the names of 0/1
    columns. ``data`` holds the documents of the column `text`, without one a table of all other columns, which `fit`
    takes as it is; ``target`` is a 0/1 matrix, and ``target_names`` are the classes' names.
    """
    return bunch_of(ds, text, labels, target_names, sparse_target)


def load(
    path: str | os.PathLike[str],
    *,
    labels: str = "",
    format: str = "auto",
    sparse_target: bool = False,
    index_base: str = "auto",
    text_column: str = "",
    weights: str = "",
    groups: str = "",
    part: str = "",
    missing_labels: bool = False,
    need_labels: bool = True,
    max_input: int = 0,
) -> Bunch:
    """Read any file the program reads: ARFF (Mulan, MEKA), svmlight, XMC, CSV, TSV, JSON lines, npz, fastText, Reuters.

    Parquet too, a file or a folder of files: ``data`` is a table of Arrow then, and ``target`` what the label
    columns hold, 0/1 columns or one column of lists; `fit` takes both as they are.

    Parameters are the program's flags: `labels` is a Mulan XML file, ``"name,name"``, ``"first:N"`` or
    ``"last:N"``. The result has ``data`` (float32 matrix, CSR matrix, a list of documents, or a pandas DataFrame
    if columns hold words: nominal ones from ARFF as categories, others as strings, which ``fit`` takes as ``mmo
    train`` does), ``target``, ``feature_names``, ``target_names``, ``sample_weight``, ``groups``, ``categories``
    (of the columns of words) and ``notes``. ``max_input`` is the most bytes the file may unpack to or announce;
    0 means 1 GiB, or 100 times the file's size if that is more.
    """
    text = os.fspath(path)
    if not os.path.exists(text):
        raise FileNotFoundError(f"{text}: no such file")
    from mmo import parquet  # here, so that it can be run as a program

    if parquet.is_parquet(text):
        return _parquet_bunch(parquet.read(text), labels)
    with python_words():
        _core.set_input_limit(max_input)
        data = _core.load_dataset(
            text,
            format=format,
            labels=labels,
            index_base=index_base,
            text_column=text_column,
            weight_column=weights,
            group_column=groups,
            part=part,
            unknown_labels=missing_labels,
            need_labels=need_labels,
        )
    return _bunch(data, sparse_target, declared=_core.declares_categories(text, format))


def save(
    path: str | os.PathLike[str],
    X: Any,
    y: Any,
    *,
    target_names: list[str] | None = None,
    missing_label: float | None = None,
    overwrite: bool = False,
) -> None:
    """Write X and y for the program, in the format the file name ends in (.arff, .svm, .csv, .npz, …)."""
    known, unknown = split_unknown(y, missing_label)
    names = names_of(X) if is_frame(X) else None
    if is_frame(X) and not is_numeric(X):
        X, names = Table.of(X), None
    elif not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)
    data = dataset(
        X, as_indicator(known), unknown=unknown, label_names=target_names, feature_names=names, as_written=True
    )
    text = os.fspath(path)
    if os.path.exists(text) and not overwrite:
        raise FileExistsError(f"{text} exists; add overwrite=True to replace it")
    _core.save_dataset(data, text, overwrite)


def make_multilabel(
    rows: int = 2000,
    features: int = 100,
    labels: int = 20,
    *,
    labels_per_row: float | None = None,
    nonzeros_per_row: int = 0,
    noise: float = 0.05,
    seed: int = 1,
    sparse_target: bool = False,
) -> Bunch:
    """Made-up data that behave like real sets: labels that occur together, long tails, skewed columns.

    ``labels_per_row`` is their mean (default: 2.5, at most half of the labels); ``nonzeros_per_row`` above 0 gives
    sparse word counts. The same arguments give the same data everywhere.
    """
    mean = min(2.5, labels / 2) if labels_per_row is None else labels_per_row
    data = _core.generate_dataset(rows, features, labels, mean, nonzeros_per_row, noise, seed)
    return _bunch(data, sparse_target)
