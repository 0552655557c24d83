"""Parquet files and folders, read by pyarrow.

``python -m mmo.parquet rows.parquet rows.jsonl`` writes them as JSON lines for the program, lists of labels included.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any


def is_parquet(path: str) -> bool:
    """A file of that name, or a folder that holds one."""
    if os.path.isdir(path):
        return any(is_parquet(os.path.join(path, name)) for name in os.listdir(path) if not name.startswith("."))
    return path.endswith((".parquet", ".pq"))


def read(path: str | os.PathLike[str]) -> Any:
    """The whole table, as Arrow keeps it; the files of a folder are one table."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install pyarrow") from error
    return parquet.read_table(os.fspath(path))


def split_labels(table: Any, labels: str) -> tuple[Any, Any, list[str] | None]:
    """Features, y and the labels' names: of one column of lists y is that column, else the 0/1 columns.

    `labels` is the program's flag: ``"name"``, ``"name,name"``, ``"first:N"`` or ``"last:N"``.
    """
    names = list(table.column_names)
    end, _, count = labels.partition(":")
    if end in ("first", "last") and count.isdigit():
        if not 0 < int(count) <= len(names):
            raise ValueError(f"labels={labels!r}: the table has {len(names)} columns")
        chosen = names[: int(count)] if end == "first" else names[-int(count) :]
    else:
        chosen = [labels] if labels in names else [name.strip() for name in labels.split(",")]
    absent = [name for name in chosen if name not in names]
    if absent:
        raise ValueError(f"labels: no column is called {absent[0]!r}; the table has {', '.join(names)}")
    features = table.drop_columns(chosen)
    if len(chosen) == 1 and not _is_flags(table.column(chosen[0])):
        return features, table.column(chosen[0]), None
    return features, table.select(chosen), chosen


def _is_flags(column: Any) -> bool:
    kind = str(column.type)
    return kind == "bool" or kind.startswith(("int", "uint", "float", "double"))


def write_json_lines(table: Any, path: str) -> None:
    """One object per row; what JSON has no form for, such as dates, as text."""
    with open(path, "x", encoding="utf-8") as out:
        for batch in table.to_batches():
            for row in batch.to_pylist():
                out.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m mmo.parquet", description="Parquet as JSON lines for mmo.")
    parser.add_argument("parquet", help="a file, or a folder of files")
    parser.add_argument("jsonl", help="where to write; must not exist")
    given = parser.parse_args(arguments)
    try:
        write_json_lines(read(given.parquet), given.jsonl)
    except (OSError, ImportError, ValueError) as error:
        print(f"mmo.parquet: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
