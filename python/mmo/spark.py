"""`SparkMMOClassifier`: the classifier of `mmo.MMOClassifier` as a stage of pyspark.ml pipelines.

The tasks of one barrier stage fit the model together: each holds the training rows, which Spark's broadcast brings to
every executor once, and solves its share of the label blocks and trees. The model is that of a local fit, bit by bit.
The rows pass the driver, which must have room for them.
"""

from __future__ import annotations

import base64
import pickle
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mmo._gather import gathering
from mmo._metric import MetricLike
from mmo._replay import SharedFit, adopt
from mmo._words import in_python
from mmo.estimator import MMOClassifier

try:
    import pandas as pd
    from pyspark import BarrierTaskContext
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.linalg import VectorUDT
    from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as sql
    from pyspark.sql.types import ArrayType, DoubleType, StringType
except ImportError as missing:  # pragma: no cover
    raise ImportError("mmo.spark needs pyspark and pandas: pip install 'pyspark[ml,sql]'") from missing


class _Columns(HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol):  # type: ignore[misc]
    """Names of the columns, of the classifier and of its model."""


def _as_array(frame: DataFrame, name: str) -> Any:
    if name not in frame.columns:
        raise ValueError(f"no column {name!r}; there are {', '.join(frame.columns)}")
    kind = frame.schema[name].dataType
    if isinstance(kind, VectorUDT):
        return vector_to_array(frame[name]).alias(name)
    if isinstance(kind, ArrayType):
        return frame[name]
    raise TypeError(f"column {name!r} holds {kind.simpleString()}; a vector or an array is needed")


def _matrix(cells: pd.Series) -> npt.NDArray[np.float64]:
    lengths = {len(cell) for cell in cells}
    if len(lengths) > 1:
        raise ValueError(f"rows of {min(lengths)} and of {max(lengths)} values in one column")
    return np.array(cells.tolist(), dtype=np.float64)


def _in_short(error: Exception) -> Exception:
    """What is wrong with the executors, of a Java stack trace."""
    lacking = re.search(r"No module named '[^']*'", str(error))
    if lacking is None:
        return error
    return RuntimeError(f"the executors' Python can't use mmo: {lacking[0]}; install it there, or set PYSPARK_PYTHON")


def _fit_in_barrier(data: Any, parameters: dict[str, Any]) -> Any:
    """What one task does; the first one gives the state of the fit. Errors are results: Spark would repeat."""

    def work(_: Iterator[int]) -> Iterator[Any]:
        context = BarrierTaskContext.get()
        rank, size = context.partitionId(), len(context.getTaskInfos())

        def gather(message: bytes) -> list[bytes]:
            return [base64.b64decode(text) for text in context.allGather(base64.b64encode(message).decode())]

        try:
            estimator = SharedFit(**parameters)
            estimator.exchange = gathering(rank, size, gather)
            estimator.fit(*data.value)
            yield estimator.state() if rank == 0 else None
        except Exception as error:
            yield error

    return work


class SparkMMOClassifier(Estimator, _Columns):  # type: ignore[misc]
    """`MMOClassifier` for DataFrames of Spark.

    Parameters
    ----------
    metric : str or Metric, default="micro-f1"
    featuresCol, labelCol : columns of vectors or arrays; labels are 0/1 vectors, or arrays of names.
    predictionCol, probabilityCol : what the model adds: 0/1 per label, or names, and each label's probability.
    numTasks : int, optional
        Tasks of the barrier stage; by default as many as the cluster runs at once.
    **parameters
        Those of `MMOClassifier`.
    """

    def __init__(
        self,
        metric: MetricLike = "micro-f1",
        *,
        featuresCol: str = "features",
        labelCol: str = "labels",
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        numTasks: int | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self._set(
            featuresCol=featuresCol, labelCol=labelCol, predictionCol=predictionCol, probabilityCol=probabilityCol
        )
        self.numTasks = numTasks
        self.parameters = {"metric": metric, "n_jobs": 1, **parameters}
        MMOClassifier(**self.parameters)  # a misspelt parameter is told here

    def _fit(self, dataset: DataFrame) -> SparkMMOModel:
        rows = dataset.select(_as_array(dataset, self.getFeaturesCol()), _as_array(dataset, self.getLabelCol()))
        named = isinstance(rows.schema[self.getLabelCol()].dataType.elementType, StringType)
        local = rows.toPandas()
        if local.empty:
            raise ValueError("the DataFrame has no rows")
        labels = local[self.getLabelCol()]
        y = [list(names) for names in labels] if named else _matrix(labels)
        context = dataset.sparkSession.sparkContext
        tasks = self.numTasks or context.defaultParallelism
        data = context.broadcast((_matrix(local[self.getFeaturesCol()]), y))
        try:
            work = _fit_in_barrier(data, self.parameters)
            states = context.parallelize(range(tasks), tasks).barrier().mapPartitions(work).collect()
        except Exception as error:
            raise _in_short(error) from error
        finally:
            data.unpersist()
        for state in states:
            if isinstance(state, Exception):
                raise state
        classifier = MMOClassifier(**self.parameters)
        for note in adopt(states[0], classifier):
            warnings.warn(in_python(note), UserWarning, stacklevel=3)
        model: SparkMMOModel = self._copyValues(SparkMMOModel(classifier, named))
        return model


class SparkMMOModel(Model, _Columns):  # type: ignore[misc]
    """Adds probabilities and predictions; `classifier` is the fitted `MMOClassifier`, which `save`s it."""

    def __init__(self, classifier: MMOClassifier, named: bool = False) -> None:
        super().__init__()
        self.classifier = classifier
        self.named = named

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model = dataset.sparkSession.sparkContext.broadcast(pickle.dumps(self.classifier))

        @sql.pandas_udf(ArrayType(DoubleType()))  # type: ignore[untyped-decorator]
        def probabilities(features: pd.Series) -> pd.Series:
            if features.empty:
                return pd.Series([], dtype=object)
            return pd.Series(list(pickle.loads(model.value).predict_proba(_matrix(features))))

        found = dataset.withColumn(self.getProbabilityCol(), probabilities(_as_array(dataset, self.getFeaturesCol())))
        present = sql.transform(self.getProbabilityCol(), lambda p: (p > 0.5).cast("double"))
        if self.named:
            names = sql.array(*(sql.lit(str(name)) for name in self.classifier.classes_))
            pairs = sql.arrays_zip(names.alias("name"), present.alias("is"))
            present = sql.transform(sql.filter(pairs, lambda pair: pair["is"] > 0), lambda pair: pair["name"])
        return found.withColumn(self.getPredictionCol(), present)
