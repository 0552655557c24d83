"""`SparkMMOClassifier` with two local executors' threads: the local model, and the columns it adds."""

import os
import sys

import numpy as np
import pytest

from mmo import MMOClassifier
from mmo.datasets import make_multilabel

os.environ["PYSPARK_PYTHON"] = sys.executable
pyspark = pytest.importorskip("pyspark")

from pyspark.ml import Pipeline  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from mmo.spark import SparkMMOClassifier  # noqa: E402

LABELS = 6


@pytest.fixture(scope="module")
def spark():
    with SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate() as session:
        yield session


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(rows=200, features=8, labels=LABELS, seed=5)
    return np.asarray(made.data, dtype=np.float64), np.asarray(made.target)


def frame_of(spark, x, y):
    rows = [(Vectors.dense(a), [float(v) for v in b]) for a, b in zip(x, y, strict=True)]
    return spark.createDataFrame(rows, ["features", "labels"])


def test_fit_and_transform_equal_the_local_classifier(spark, data):
    x, y = data
    local = MMOClassifier("macro-f1").fit(x, y.astype(np.float64))
    for tasks in (1, 2):
        model = Pipeline(stages=[SparkMMOClassifier("macro-f1", numTasks=tasks)]).fit(frame_of(spark, x, y))
        assert model.stages[0].classifier.model_.to_bytes() == local.model_.to_bytes()
    found = model.transform(frame_of(spark, x, y)).toPandas()
    np.testing.assert_array_equal(np.array(found["prediction"].tolist()), local.predict(x))
    np.testing.assert_allclose(np.array(found["probability"].tolist()), local.predict_proba(x), rtol=1e-12)


def test_names_of_labels_and_parquet(spark, data, tmp_path):
    x, y = data
    names = [[f"l{j}" for j in np.flatnonzero(row)] for row in y]
    rows = [([float(v) for v in a], b) for a, b in zip(x, names, strict=True)]
    spark.createDataFrame(rows, "features array<double>, labels array<string>").write.parquet(str(tmp_path / "rows"))
    frame = spark.read.parquet(str(tmp_path / "rows"))
    model = SparkMMOClassifier("micro-f1", method="linear").fit(frame)
    for given, predicted in model.transform(frame).select("labels", "prediction").take(20):
        assert set(predicted) <= {f"l{j}" for j in range(LABELS)}
        assert isinstance(given, list)


def test_what_is_wrong_is_said(spark, data):
    x, y = data
    with pytest.raises(ValueError, match="no positive label"):
        SparkMMOClassifier().fit(frame_of(spark, x, np.zeros_like(y)))
    with pytest.raises(ValueError, match="no column 'labels'"):
        SparkMMOClassifier().fit(frame_of(spark, x, y).drop("labels"))
    with pytest.raises(TypeError, match="misspelt"):
        SparkMMOClassifier(misspelt=1)
