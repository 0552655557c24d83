"""Hands data frames to the core: each column as numbers, flags, dates, texts or categories, gaps included."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mmo import _core

_SECONDS_PER_DAY = 86400.0
# Nullable and sparse columns of pandas, columns of polars and Arrow.
_NUMBER = re.compile(r"(u?int\d+|float\d*|double|half|decimal|sparse\[)")


def is_frame(x: Any) -> bool:
    """A data frame of pandas or polars."""
    return hasattr(x, "columns") and hasattr(x, "dtypes") and getattr(x, "ndim", 2) == 2 and hasattr(x, "shape")


def is_numeric(frame: Any) -> bool:
    """Whether NumPy's numbers can express everything in the frame's columns."""
    dtypes = (_column(frame, k).dtype for k in range(frame.shape[1]))
    return all(_is_plain_number(getattr(dtype, "subtype", dtype)) for dtype in dtypes)


def reads_table(x: Any, expected: _core.InputColumns | None, fitted: Sequence[str]) -> bool:
    """Whether columns go to the core one by one, by name; a frame of plain numbers goes as a matrix.

    `expected` are the columns the model reads, `fitted` those of the frame it was fitted on.
    """
    if expected is None:
        return is_frame(x) and not is_numeric(x)
    if not expected.names:
        return False
    by_name = expected.is_table or list(fitted) != expected.names
    if by_name and not is_frame(x):
        raise ValueError("the model reads columns by name (texts, categories or dates); give X as a DataFrame")
    return by_name or (is_frame(x) and not is_numeric(x))


def names_of(frame: Any) -> list[str]:
    """The columns' names, which must be unique."""
    names = [str(name) for name in frame.columns]
    twice = [name for k, name in enumerate(names) if name in names[:k]] if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"X has several columns called {twice[0]!r}; give every column a name of its own")
    return names


class Table:
    """The columns of a frame; rows can be taken from it as from an array."""

    def __init__(self, names: list[str], columns: list[tuple[str, npt.NDArray[Any]]], rows: int) -> None:
        self.names = names
        self.columns = columns
        self.shape = (rows, len(names))

    @classmethod
    def of(cls, frame: Any, leave_out: Collection[str] = ()) -> Table:
        names = names_of(frame)
        kept = [k for k, name in enumerate(names) if name not in leave_out]
        columns = [_read(names[k], _column(frame, k)) for k in kept]
        return cls([names[k] for k in kept], columns, frame.shape[0])

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: Any) -> Table:
        columns = [(kind, values[rows]) for kind, values in self.columns]
        return Table(self.names, columns, len(columns[0][1]) if columns else 0)

    def move_into(self, data: _core.Dataset, expected: _core.InputColumns | None, *, as_written: bool = False) -> None:
        """Fills the data set's features: kinds are guessed, or taken from the expected columns.

        `as_written`, for a file: guesses nothing and leaves nothing out.
        """
        out = _core.TableColumns(len(self))
        for name, (kind, values) in zip(self.names, self.columns, strict=True):
            if as_written and kind == "date":
                out.add_texts(name, _iso_dates(values), False)
            elif kind in ("text", "category"):
                out.add_texts(name, values.tolist(), kind == "category")
            elif kind == "flag":
                out.add_flags(name, np.ascontiguousarray(values, dtype=np.float32))
            else:
                out.add_numbers(name, np.ascontiguousarray(values, dtype=np.float32), kind == "date")
        out.move_into(data, expected, as_written)


def _column(frame: Any, k: int) -> Any:
    return frame.iloc[:, k] if hasattr(frame, "iloc") else frame.to_series(k)


def _is_plain_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"


def _read(name: str, column: Any) -> tuple[str, npt.NDArray[Any]]:
    """The column's kind and its values: float64 with NaN, or an object array of str and None."""
    kind = _kind(column.dtype)
    if kind == "date":
        return kind, _days(column)
    if kind in ("number", "flag"):
        if _is_plain_number(column.dtype):
            return kind, np.asarray(column, dtype=np.float64)
        return kind, _numbers(_cells(column))
    cells = _cells(column)
    known = [cell for cell in cells if cell is not None]
    if kind == "text" and all(isinstance(cell, (bool, np.bool_)) for cell in known):
        return "flag", _numbers(cells)
    if kind == "text" and all(isinstance(cell, (int, float, np.number)) for cell in known):
        return "number", _numbers(cells)
    texts = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        if isinstance(cell, (list, dict, set, tuple, np.ndarray)):
            raise ValueError(f"X: row {i}, column {name!r} holds a {type(cell).__name__}; a cell must be one value")
        texts[i] = None if cell is None else _text(cell)
    return kind, texts


def _kind(dtype: Any) -> str:
    name = str(dtype).lower()
    if name.startswith("bool"):
        return "flag"
    if _is_plain_number(dtype) or _NUMBER.match(name):
        return "number"
    if name.startswith(("categor", "enum", "dictionary")):
        return "category"
    return "date" if name.startswith(("date", "timestamp")) else "text"


def _cells(column: Any) -> list[Any]:
    """The column's values, None for missing ones."""
    cells = column.tolist() if hasattr(column, "tolist") else column.to_list()
    return [None if _is_missing(cell) else cell for cell in cells]


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, (float, np.floating)):
        return math.isnan(cell)
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


def _text(cell: Any) -> str:
    """As the core writes it: whole numbers have no decimal point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _numbers(cells: Sequence[Any]) -> npt.NDArray[np.float64]:
    return np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)


def _days(column: Any) -> npt.NDArray[np.float64]:
    """Days since 1970, as the core reads dates; those with a time zone in UTC."""
    if getattr(getattr(column, "dt", None), "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    times = np.asarray(column.to_numpy(), dtype="datetime64[s]")
    days = times.astype(np.int64) / _SECONDS_PER_DAY
    return np.where(np.isnat(times), np.nan, days)


def _iso_dates(days: npt.NDArray[np.float64]) -> list[str | None]:
    known = ~np.isnan(days)
    seconds = np.round(np.where(known, days, 0) * _SECONDS_PER_DAY).astype(np.int64)
    whole_days = not (seconds % int(_SECONDS_PER_DAY)).any()
    texts = seconds.astype("datetime64[s]").astype("datetime64[D]" if whole_days else "datetime64[s]").astype(str)
    return [text if there else None for text, there in zip(texts, known, strict=True)]
