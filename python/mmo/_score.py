"""The value of a classifier's predictions on labels that may include some it was not trained on."""

from __future__ import annotations

import warnings
from typing import Any

from scipy import sparse

from mmo import _core
from mmo._labels import labels_of, weights_of
from mmo._target import Target, plain_target


def score_predictions(
    metric: _core.Metric,
    target: Target,
    predictions: Any,
    y: Any,
    *,
    sample_weight: Any,
    label_weight: Any,
    missing_label: float | None,
) -> float:
    """The metric of `predictions`, which come in the form `target` gives them.

    Positives of labels that training never saw count as missed, unless the metric or its weights are per label.
    """
    predicted = target.encode(predictions)[0]
    positives, unknown, unseen = target.encode_all(plain_target(y), missing_label)
    label_weights = weights_of(label_weight, target.labels, "label_weight")
    if unseen:
        rows = int((positives[:, target.labels :].sum(axis=1) > 0).sum())
        if label_weights is not None or len(metric.numerator) > 1:
            what = "are left out, since the metric has weights for each label of the training data"
            positives = positives[:, : target.labels]
            unknown = None if unknown is None else unknown[:, : target.labels]
        else:
            what = "count as missed"
            predicted = sparse.csr_matrix(predicted)
            predicted.resize(positives.shape)
        shown = ", ".join(map(repr, unseen[:5])) + (", …" if len(unseen) > 5 else "")
        warnings.warn(
            f"labels of y that training never saw ({len(unseen)}: {shown}), in {rows} rows, {what}",
            UserWarning,
            stacklevel=3,
        )
    truth = _core.Truth(
        labels_of(positives),
        None if unknown is None else labels_of(unknown),
        weights_of(sample_weight, positives.shape[0], "sample_weight"),
        label_weights,
    )
    return _core.evaluate(metric, labels_of(predicted), truth)
