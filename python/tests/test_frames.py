"""Data frames as they come, names that travel with the model, and words that stay words."""

from __future__ import annotations

import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mmo
from mmo import MMOClassifier, datasets


def quick(**parameters: Any) -> MMOClassifier:
    return MMOClassifier(effort="quick", learners="linear", n_jobs=1, **parameters)


def mixed_rows(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of all kinds; the labels follow the colour, the words and the date."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue"], rows)
    fast = rng.random(rows) < 0.5
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, rows), unit="D")
    filler = ["the day was long and we went on", "nothing more was said about it", "it took a while to get there"]
    said = [
        f"{filler[rng.integers(3)]} {'engine roared' if f else 'boat drifted'} number {i}" for i, f in enumerate(fast)
    ]
    height = rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "colour": colour,
            "kind": pd.Categorical(rng.choice(["a", "b"], rows)),
            "said": said,
            "height": np.where(rng.random(rows) < 0.1, np.nan, height),
            "count": pd.array(rng.integers(0, 9, rows), dtype="Int64"),
            "open": rng.random(rows) < 0.5,
            "sure": pd.array(rng.random(rows) < 0.5, dtype="boolean"),
            "day": day,
            "empty": [None] * rows,
        }
    )
    frame.loc[::7, ["colour", "kind", "count", "sure", "day"]] = None
    y = np.column_stack([colour == "red", fast, np.asarray(day) > np.datetime64("2021-06-01")]).astype(int)
    return frame, y


@pytest.fixture(scope="module")
def program() -> str:
    path = os.environ.get("MMO_BINARY")
    if not path:
        pytest.skip("needs MMO_BINARY, the built program")
    return path


def run(program: str, folder: Path, *arguments: str) -> str:
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_csv(path: Path, frame: pd.DataFrame, y: np.ndarray) -> None:
    labels = pd.DataFrame(y, columns=[f"l{j}" for j in range(y.shape[1])], index=frame.index)
    pd.concat([frame, labels], axis=1).to_csv(path, index=False)


def test_frames_of_all_kinds_fit_and_predict(tmp_path: Path) -> None:
    frame, y = mixed_rows(400, 1)
    fresh, truth = mixed_rows(200, 2)
    with pytest.warns(UserWarning, match="'empty' is left out"):
        model = quick(metric="macro-f1").fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = model.predict(fresh)
    assert model.score(fresh, truth) > 0.85
    np.testing.assert_array_equal(model.predict(fresh[fresh.columns[::-1]]), expected)
    assert list(model.feature_names_in_) == list(frame.columns)
    model.save(tmp_path / "m.mmo")
    loaded = mmo.load(tmp_path / "m.mmo")
    assert set(loaded.feature_names_in_) == set(frame.columns) - {"empty"}
    with pytest.warns(UserWarning, match="columns that the model does not read"):
        np.testing.assert_array_equal(loaded.predict(fresh.assign(more=1)), expected)
    assert "colour=red" in model.card()
    with pytest.raises(ValueError, match="give X as a DataFrame"):
        model.predict(np.zeros((3, 9)))
    with pytest.raises(ValueError, match="missing: .*said"):
        model.predict(fresh.drop(columns="said"))
    with pytest.raises(ValueError, match="'height' holds dates"):
        model.predict(fresh.assign(height=fresh["day"]))
    with pytest.warns(UserWarning, match="has not seen .*mauve"):
        model.predict(fresh.assign(colour="mauve"))
    model.report(fresh, truth).save(tmp_path / "report.html")


def test_validation_rows_and_weights_of_frames() -> None:
    frame, y = mixed_rows(300, 3)
    frame = frame.drop(columns="empty")
    model = quick().fit(frame[:200], y[:200], X_valid=frame[200:][frame.columns[::-1]], y_valid=y[200:])
    assert model.score(frame, y) > 0.8
    weights = np.ones(300)
    weights[250:] = 0
    np.testing.assert_array_equal(
        quick().fit(frame, y, sample_weight=weights).predict_posterior(frame),
        quick().fit(frame[:250], y[:250], sample_weight=weights[:250]).predict_posterior(frame),
    )


def test_names_of_numbers_travel_with_the_model(made: Any, program: str, tmp_path: Path) -> None:
    names = [f"size {k}" for k in range(made.data.shape[1])]
    frame = pd.DataFrame(made.data, columns=names)
    model = quick().fit(frame, made.target)
    plain = quick().fit(made.data, made.target)
    np.testing.assert_array_equal(model.predict_posterior(frame), plain.predict_posterior(made.data))
    assert "size 5" in model.card()
    model.save(tmp_path / "m.mmo")
    assert list(mmo.load(tmp_path / "m.mmo").feature_names_in_) == names
    for one in (model, mmo.load(tmp_path / "m.mmo")):
        with pytest.raises(ValueError, match="same order"):
            one.predict(frame[names[::-1]])
        with pytest.raises(ValueError, match="size 0"):
            one.predict(frame.rename(columns={"size 0": "other"}))
    expected = model.predict(frame)
    frame[names[::-1]].to_csv(tmp_path / "turned.csv", index=False)
    run(program, tmp_path, "predict", "m.mmo", "turned.csv", "--as", "indicator", "--out", "out.csv")
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "out.csv").to_numpy(), expected)
    frame.rename(columns={"size 0": "other"}).to_csv(tmp_path / "other.csv", index=False)
    asked = [program, "predict", "m.mmo", "other.csv"]
    refused = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "size 0" in refused.stderr


def test_gaps_in_frames_of_numbers(made: Any) -> None:
    frame = pd.DataFrame(made.data).add_prefix("c")
    frame.loc[::5, "c1"] = np.nan
    model = quick().fit(frame, made.target)
    assert model.predict(frame).shape == made.target.shape
    with pytest.raises(ValueError, match="contains NaN"):
        quick(settings={"missing": "error"}).fit(frame, made.target)


def test_models_of_the_program_read_frames(program: str, tmp_path: Path) -> None:
    frame, y = mixed_rows(400, 4)
    fresh, truth = mixed_rows(150, 5)
    for name, part, labels in (("train", frame, y), ("test", fresh, truth)):
        write_csv(tmp_path / f"{name}.csv", part, labels)
    run(program, tmp_path, "train", "train.csv", "--labels", "last:3", "--model", "p.mmo", "--metric", "micro-f1")
    run(program, tmp_path, "predict", "p.mmo", "test.csv", "--as", "indicator", "--out", "out.csv")
    expected = pd.read_csv(tmp_path / "out.csv").to_numpy()
    model = mmo.load(tmp_path / "p.mmo")
    table = pd.read_csv(tmp_path / "test.csv").drop(columns=["l0", "l1", "l2", "empty"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(table), expected)
        np.testing.assert_array_equal(model.predict(table[table.columns[::-1]]), expected)
        np.testing.assert_array_equal(model.predict(fresh.drop(columns="empty")), expected)
    with pytest.raises(ValueError, match="missing: 'colour'"):
        model.predict(table.rename(columns={"colour": "color"}))


def test_models_of_frames_read_files(program: str, tmp_path: Path) -> None:
    frame, y = mixed_rows(400, 6)
    frame = frame.drop(columns=["empty", "open", "sure"])
    model = quick().fit(frame, y)
    model.save(tmp_path / "m.mmo")
    frame[frame.columns[::-1]].to_csv(tmp_path / "x.csv", index=False)
    run(program, tmp_path, "predict", "m.mmo", "x.csv", "--as", "indicator", "--out", "out.csv")
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "out.csv").to_numpy(), model.predict(frame))


def test_words_of_files_stay_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    colours = ["amber", "blue", "coral", "red"]

    def write(name: str, known: list[str], rows: int) -> tuple[np.ndarray, np.ndarray]:
        colour = rng.choice(known, rows)
        y = np.column_stack([colour == "red", colour == "blue"]).astype(int)
        write_csv(tmp_path / name, pd.DataFrame({"colour": colour, "size": rng.normal(size=rows)}), y)
        return colour, y

    write("train.csv", colours, 200)
    colour, y = write("test.csv", ["blue", "red"], 80)  # coded by itself, red would be 1 here and 3 there
    train = datasets.load(tmp_path / "train.csv", labels="l0,l1")
    test = datasets.load(tmp_path / "test.csv", labels="l0,l1")
    assert test.data["colour"].tolist() == colour.tolist()
    assert any("'colour'" in note and "DataFrame" in note for note in test.notes)
    model = quick().fit(train.data, train.target)
    np.testing.assert_array_equal(model.predict(test.data), y)
    datasets.save(tmp_path / "again.csv", test.data, test.target, target_names=["l0", "l1"])
    again = datasets.load(tmp_path / "again.csv", labels="l0,l1")
    pd.testing.assert_frame_equal(again.data, test.data)


def test_declared_categories_of_arff(tmp_path: Path) -> None:
    rows = "\n".join(
        f"{'big' if i % 3 else 'small'},{i % 7 if i % 5 else '?'},{int(i % 3 == 0)},{i % 2}" for i in range(90)
    )
    header = "@relation r\n@attribute size {small,big,huge}\n@attribute n numeric\n"
    labels = "@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    (tmp_path / "r.arff").write_text(header + labels + rows + "\n")
    data = datasets.load(tmp_path / "r.arff", labels="a,b")
    assert list(data.data["size"].cat.categories) == ["small", "big", "huge"]
    assert data.categories == {"size": ["small", "big", "huge"]}
    model = quick().fit(data.data, data.target)
    assert "size=small" in model.card()
    np.testing.assert_array_equal(model.predict(data.data)[:, 0], data.target[:, 0])


def test_nominal_models_of_the_program(program: str, tmp_path: Path) -> None:
    test_declared_categories_of_arff(tmp_path)
    run(program, tmp_path, "train", "r.arff", "--labels", "a,b", "--model", "p.mmo", "--metric", "micro-f1")
    run(program, tmp_path, "predict", "p.mmo", "r.arff", "--as", "indicator", "--out", "out.csv")
    data = datasets.load(tmp_path / "r.arff", labels="a,b")
    found = mmo.load(tmp_path / "p.mmo").predict(data.data)
    np.testing.assert_array_equal(found, pd.read_csv(tmp_path / "out.csv").to_numpy())


def test_cells_that_are_lists_and_double_names_are_refused() -> None:
    frame, y = mixed_rows(60, 8)
    with pytest.raises(ValueError, match="row 0, column 'said' holds a list"):
        quick().fit(frame.assign(said=[["a"]] * 60), y)
    with pytest.raises(ValueError, match="several columns called 'said'"):
        quick().fit(pd.concat([frame, frame[["said"]]], axis=1), y)
