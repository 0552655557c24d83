"""Data as users have it, with the real libraries: polars, Arrow, Parquet, Hugging Face data sets, JSON lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import mmo
from mmo import MMOClassifier, datasets

polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
NAMES = np.array(["blue", "green", "red", "white", "black"])


def quick(**parameters: Any) -> MMOClassifier:
    return MMOClassifier(effort="quick", learners="linear", n_jobs=1, **parameters)


def shop(rows: int = 240, seed: int = 0) -> tuple[pd.DataFrame, list[list[str]]]:
    rng = np.random.default_rng(seed)
    brand = rng.choice(["acme", "bolt", "corso"], rows)
    price = rng.uniform(1, 99, rows).round(2)
    frame = pd.DataFrame(
        {
            "brand": pd.Categorical(brand),
            "price": pd.array(np.where(rng.random(rows) < 0.1, np.nan, price)).astype("Float64"),
            "stock": pd.array(rng.integers(0, 9, rows), dtype="Int64"),
            "new": rng.random(rows) < 0.5,
            "added": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, rows), unit="D"),
        }
    )
    tags = [
        [name for name, there in (("own", b == "acme"), ("cheap", p < 40), ("fresh", n)) if there]
        for b, p, n in zip(brand, price, frame["new"], strict=True)
    ]
    return frame, tags


def test_polars_and_arrow_say_what_pandas_does() -> None:
    frame, tags = shop()
    fresh, truth = shop(100, 1)
    model = quick().fit(frame, tags)
    expected = model.decision_function(fresh)
    assert model.score(fresh, truth) > 0.9
    for convert in (polars.from_pandas, pyarrow.Table.from_pandas):
        other = quick().fit(convert(frame), tags)
        assert list(other.feature_names_in_) == list(frame.columns)
        np.testing.assert_array_equal(other.decision_function(convert(fresh)), expected)
        np.testing.assert_array_equal(model.decision_function(convert(fresh)), expected)
    stream = pyarrow.Table.from_pandas(fresh)
    reader = pyarrow.RecordBatchReader.from_batches(stream.schema, stream.to_batches(max_chunksize=7))
    np.testing.assert_array_equal(model.decision_function(reader), expected)


def test_label_columns_of_every_library(made: Any) -> None:
    tags = [NAMES[row == 1].tolist() for row in made.target]
    expected = quick().fit(made.data, tags).predict(made.data)
    columns = [
        pd.Series([";".join(row) if row else None for row in tags]).str.split(";"),
        polars.Series(tags),
        polars.DataFrame({"tags": [";".join(row) for row in tags]})["tags"]
        .str.split(";")
        .list.filter(polars.element() != ""),
        pyarrow.chunked_array([tags[:100], tags[100:]]),
        pyarrow.array(tags),
    ]
    for y in columns:
        assert quick().fit(made.data, y).predict(made.data) == expected, type(y)


def test_label_frames_of_every_library(made: Any) -> None:
    frame = pd.DataFrame(made.target, columns=NAMES)
    expected = quick().fit(made.data, frame)
    for y in (polars.from_pandas(frame), pyarrow.Table.from_pandas(frame)):
        model = quick().fit(made.data, y)
        assert model.classes_.tolist() == NAMES.tolist()
        np.testing.assert_array_equal(model.predict(made.data), expected.predict(made.data))
        assert model.score(made.data, y) == expected.score(made.data, frame)
        weights = np.ones(len(frame))
        weights[::5] = 0
        quick().fit(made.data, y, sample_weight=weights)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("form", ["array", "matrix"])
def test_sparse_of_every_kind(kind: str, form: str) -> None:
    data = datasets.make_multilabel(rows=120, features=20, labels=4, nonzeros_per_row=5)
    expected = quick().fit(data.data, data.target).decision_function(data.data)
    make = getattr(sparse, f"{kind}_{form}")
    model = quick().fit(make(data.data.astype(np.float64)), make(data.target))
    np.testing.assert_array_equal(model.decision_function(make(data.data)), expected)
    assert sparse.issparse(model.predict(make(data.data)))


def test_memory_mapped_arrays(made: Any, tmp_path: Path) -> None:
    expected = quick().fit(made.data, made.target).predict(made.data)
    np.save(tmp_path / "x.npy", made.data.astype(np.float32))
    np.save(tmp_path / "y.npy", made.target)
    x, y = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "xy")
    np.testing.assert_array_equal(quick().fit(x, y).predict(x), expected)


def test_parquet_files_and_folders(tmp_path: Path) -> None:
    from pyarrow import parquet

    frame, tags = shop()
    expected = quick().fit(frame, tags).decision_function(frame)
    table = pyarrow.Table.from_pandas(frame.assign(tags=tags))
    parquet.write_table(table, tmp_path / "rows.parquet")
    (tmp_path / "parts").mkdir()
    for k in range(3):
        parquet.write_table(table.slice(80 * k, 80), tmp_path / "parts" / f"part-{k}.parquet")
    for name in ("rows.parquet", "parts"):
        data = datasets.load(tmp_path / name, labels="tags")
        assert data.feature_names == list(frame.columns)
        np.testing.assert_array_equal(quick().fit(data.data, data.target).decision_function(data.data), expected)
    flags = frame.assign(**{name: [int(name in row) for row in tags] for name in ("own", "cheap", "fresh")})
    parquet.write_table(pyarrow.Table.from_pandas(flags), tmp_path / "flags.parquet")
    for labels in ("own,cheap,fresh", "last:3"):
        data = datasets.load(tmp_path / "flags.parquet", labels=labels)
        assert data.target_names == ["own", "cheap", "fresh"]
        assert quick().fit(data.data, data.target).score(data.data, data.target) > 0.9
    with pytest.raises(ValueError, match="no column is called 'tgas'; the table has brand"):
        datasets.load(tmp_path / "rows.parquet", labels="tgas")


def test_parquet_as_json_lines_for_the_program(tmp_path: Path) -> None:
    from pyarrow import parquet

    frame, tags = shop()
    parquet.write_table(pyarrow.Table.from_pandas(frame.assign(labels=tags)), tmp_path / "rows.parquet")
    command = [sys.executable, "-m", "mmo.parquet", tmp_path / "rows.parquet", tmp_path / "rows.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "exists" in again.stderr
    assert json.loads((tmp_path / "rows.jsonl").read_text().splitlines()[0])["labels"] == tags[0]
    data = datasets.load(tmp_path / "rows.jsonl")
    assert data.target_names == ["cheap", "fresh", "own"]
    program = os.environ.get("MMO_BINARY")
    if program:
        train = [program, "train", "rows.jsonl", "--metric", "micro-f1", "--model", "m.mmo", "--effort", "quick"]
        subprocess.run(train, cwd=tmp_path, capture_output=True, check=True)


def texts(rows: int = 200) -> tuple[list[str], list[list[int]]]:
    rng = np.random.default_rng(3)
    words = [["goal", "match"], ["bank", "stock"], ["soup", "bread"]]
    y = [[j for j in range(3) if rng.random() < 0.4] for _ in range(rows)]
    return [" ".join(["the day", *(w for j in row for w in words[j])]) for row in y], y


def test_hugging_face_data_sets() -> None:
    hub = pytest.importorskip("datasets")
    documents, y = texts()
    hot = [[int(j in row) for j in range(3)] for row in y]
    classes = ["sport", "money", "food"]
    ds = hub.Dataset.from_dict(
        {"text": documents, "labels": y, "hot": hot, "names": [[classes[j] for j in row] for row in y]},
        features=hub.Features(
            {
                "text": hub.Value("string"),
                "labels": hub.Sequence(hub.ClassLabel(names=classes)),
                "hot": hub.Sequence(hub.Value("int8")),
                "names": hub.Sequence(hub.Value("string")),
            }
        ),
    )
    data = datasets.from_dataset(ds, text="text", labels="labels")
    assert data.target_names == classes
    np.testing.assert_array_equal(data.target, hot)
    np.testing.assert_array_equal(datasets.from_dataset(ds, text="text", labels="hot").target, hot)
    named = datasets.from_dataset(ds, text="text", labels="names")
    assert named.target_names == sorted(classes)
    assert sparse.issparse(datasets.from_dataset(ds, text="text", labels="labels", sparse_target=True).target)
    model = quick().fit(data.data, data.target)
    assert model.score(data.data, data.target) > 0.95
    columns = quick().fit(ds["text"], ds["labels"])
    assert columns.score(ds["text"], ds["labels"]) > 0.95
    with pytest.raises(ValueError, match=r"choose one, as in ds\['train'\]"):
        datasets.from_dataset(hub.DatasetDict({"train": ds}), text="text", labels="labels")
    with pytest.raises(ValueError, match="no column is called 'topic'"):
        datasets.from_dataset(ds, text="text", labels="topic")


def test_tables_of_hugging_face_data_sets() -> None:
    hub = pytest.importorskip("datasets")
    frame, tags = shop()
    ds = hub.Dataset.from_pandas(frame.assign(tags=tags), preserve_index=False)
    data = datasets.from_dataset(ds, labels="tags")
    expected = quick().fit(frame, data.target).decision_function(frame)
    np.testing.assert_array_equal(quick().fit(data.data, data.target).decision_function(data.data), expected)
    rest = ds.remove_columns("tags")
    np.testing.assert_array_equal(quick().fit(rest, data.target).decision_function(rest), expected)
    assert mmo.metrics.score(data.target, quick().fit(rest, data.target).predict(rest)) > 0.9
