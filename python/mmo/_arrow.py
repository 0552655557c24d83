"""Tables of Arrow on their way to the core: whatever offers its C interface, read by pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


class ArrowColumn:
    """A column as `mmo._table` reads those of pandas and polars."""

    def __init__(self, values: Any) -> None:
        self.values = values
        self.dtype = str(values.type)

    def __len__(self) -> int:
        return len(self.values)

    def to_list(self) -> list[Any]:
        return list(self.values.to_pylist())

    def to_numpy(self) -> npt.NDArray[Any]:
        return np.asarray(self.values.to_numpy(zero_copy_only=False))


class ArrowFrame:
    """An Arrow table with what is asked of a data frame."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.columns = list(table.column_names)
        self.shape = (table.num_rows, table.num_columns)
        self.dtypes = [str(field.type) for field in table.schema]

    def __len__(self) -> int:
        return int(self.shape[0])

    def to_series(self, k: int) -> ArrowColumn:
        return ArrowColumn(self.table.column(k).combine_chunks())

    def __getitem__(self, which: Sequence[str] | npt.NDArray[Any]) -> ArrowFrame:
        """Columns by name, or rows by number."""
        rows = isinstance(which, np.ndarray)
        return ArrowFrame(self.table.take(which) if rows else self.table.select(list(which)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        columns = [np.asarray(self.to_series(k).to_numpy()) for k in range(self.shape[1])]
        return np.column_stack(columns).astype(dtype) if columns else np.empty(self.shape)


def is_arrow(x: Any) -> bool:
    """A table or a stream of Arrow, but no data frame that has an interface of its own."""
    return hasattr(x, "__arrow_c_stream__") and not hasattr(x, "dtypes") and not hasattr(x, "to_numpy")


def plain_frame(x: Any) -> Any:
    """An Arrow table, or a data set of Hugging Face's, as a frame; anything else as it is."""
    if hasattr(x, "with_format") and hasattr(x, "column_names"):
        return ArrowFrame(x.with_format("arrow")[:])
    if not is_arrow(x):
        return x
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("reading a table of Arrow needs pyarrow: pip install pyarrow") from error
    return ArrowFrame(pyarrow.table(x))
