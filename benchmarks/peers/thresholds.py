"""Decision rules as users tune them by hand: out-of-fold scores of the peer's own model, then one threshold for all
labels (chosen for the metric) or one per label (highest F1 of that label; Jaccard has the same optimum).
"""

import numpy as np
from sklearn.model_selection import KFold

FOLDS = 5
CANDIDATES = 80


def fitted(module, variant, threads, x, y):
    """A model of an adapter, trained."""
    model = module.Model(variant, threads)
    if hasattr(model, "prepare"):
        model.prepare(x, y)
    model.fit(x, y)
    return model


def out_of_fold(fit_scores, x, y):
    """fit_scores(x_train, y_train, x_test) → scores; 5 shuffled folds."""
    scores = np.zeros(y.shape, dtype=np.float32)
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(np.arange(x.shape[0])):
        scores[test] = fit_scores(x[train], y[train], x[test])
    return scores


def _ratio(ratio, tp, fp_fn):
    """F1 = 2·TP/(2·TP + FP + FN), Jaccard = TP/(TP + FP + FN); 0/0 = 0."""
    twice = 2.0 if ratio == "f1" else 1.0
    below = twice * tp + fp_fn
    return np.divide(twice * tp, below, out=np.zeros_like(below, dtype=float), where=below > 0)


def _value(metric, y, predicted):
    average, ratio = metric.split("-")
    axis = {"micro": None, "macro": 0, "samples": 1}[average]
    tp = np.sum(y & predicted, axis=axis)
    return float(np.mean(_ratio(ratio, tp, np.sum(y ^ predicted, axis=axis))))


def global_thresholds(scores, y, metrics):
    """{metric: threshold}: candidates from a fifth to five times as many predictions as there are labels."""
    positives = max(int(y.sum()), 1)
    flat = np.sort(scores, axis=None)[::-1]
    counts = np.unique(np.geomspace(positives / 5, positives * 5, CANDIDATES).astype(int).clip(1, flat.size - 1))
    candidates = (flat[counts - 1] + flat[counts]) / 2
    best = dict.fromkeys(metrics, (-1.0, 0.0))
    for t in candidates:
        predicted = scores > t
        for metric in metrics:
            best[metric] = max(best[metric], (_value(metric, y, predicted), float(t)))
    return {metric: t for metric, (_, t) in best.items()}


def label_thresholds(scores, y):
    """The threshold of highest out-of-fold F1 per label; labels without positives are never predicted."""
    out = np.full(y.shape[1], np.inf)
    for j in range(y.shape[1]):
        positives = int(y[:, j].sum())
        if positives == 0:
            continue
        order = np.argsort(-scores[:, j], kind="stable")
        hits = np.cumsum(y[order, j])
        f1 = 2 * hits / (np.arange(1, y.shape[0] + 1) + positives)
        k = int(np.argmax(f1))
        ranked = scores[order, j]
        out[j] = (ranked[k] + ranked[k + 1]) / 2 if k + 1 < ranked.size else -np.inf
    return out
