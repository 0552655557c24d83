"""Multi-label classifiers trained for the metric they are judged by.

>>> from mmo import MMOClassifier
>>> from mmo.datasets import make_multilabel
>>> data = make_multilabel(rows=200, features=10, labels=3)
>>> MMOClassifier("micro-f1").fit(data.data, data.target).predict(data.data[:2]).shape
(2, 3)
"""

from mmo import datasets, metrics
from mmo._core import Metric
from mmo._core import known_methods as methods
from mmo._core import known_settings as settings
from mmo._core import version as _version
from mmo.estimator import MMOClassifier, load
from mmo.model_selection import MultilabelStratifiedKFold
from mmo.report import Report
from mmo.threshold import MMOThreshold

__all__ = [
    "MMOClassifier",
    "MMOThreshold",
    "Metric",
    "MultilabelStratifiedKFold",
    "Report",
    "__version__",
    "datasets",
    "load",
    "methods",
    "metrics",
    "settings",
]

__version__ = _version()
