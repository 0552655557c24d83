"""What a notebook shows of a fitted model: the metric, its held-out value, what was chosen, thresholds."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.utils import estimator_html_repr

from mmo._metric import metric_of

MOST_LABELS = 100  # a longer table helps nobody, and notebooks keep every output

Lines = list[tuple[str, str]]


class ShownAsCard:
    """Adds a card above scikit-learn's own diagram (scikit-learn 1.7 or newer asks for it) once the model is fitted."""

    def _html_repr(self) -> str:
        diagram: str = estimator_html_repr(self)
        return card_of(self) + diagram


def card_of(estimator: Any) -> str:
    """The card of a fitted `MMOClassifier` or `MMOThreshold`; nothing before `fit`."""
    if hasattr(estimator, "model_"):
        model = estimator.model_
        try:
            lines = history_lines(estimator.history_, model.metric.formula)
        except (AttributeError, TypeError, ValueError):  # of a model file that other hands have made
            lines = [("metric", model.metric.formula), ("record", "not one that MMO writes")]
        return card_html("MMOClassifier", lines, model.label_names, model.thresholds)
    if hasattr(estimator, "rule_"):
        thresholds = [] if estimator.thresholds_ is None else list(estimator.thresholds_)
        metric = metric_of(estimator.metric, estimator.zero_division)
        lines = [
            ("metric", f"{metric.name}: {metric.formula}"),
            ("held out", f"{estimator.cv_value_:.4f} (rows judged by a rule that was fitted without them)"),
            ("rule", str(estimator.rule_.kind)),
        ]
        return card_html("MMOThreshold", lines, range(len(thresholds)), thresholds)
    return ""


def history_lines(history: dict[str, Any], formula: str) -> Lines:
    """The choices of a training, in the order in which they were made; older files lack some."""
    lines: Lines = [("metric", f"{history.get('metric', '')}: {formula}")]
    if "out_of_fold" in history:
        lines.append(("held out", held_out(history["out_of_fold"])))
    if "rows" in history:
        data = f"{history['rows']} rows, {history.get('features', '?')} features, {history.get('labels', '?')} labels"
        lines.append(("data", data))
    if "method" in history:
        lines.append(("method", f"{history['method']}, {history.get('effort', '')} effort"))
    if "feature_map" in history:
        lines.append(("feature map", str(history["feature_map"].get("chosen", ""))))
    lines += [(str(loss.get("loss", "loss")), f"L2 ρ = {loss.get('rho', 0):g}") for loss in history.get("losses", [])]
    if "blend" in history:
        weights = [f"{x.get('learner', '')} {x.get('weight', 0):.2f}" for x in history["blend"].get("learners", [])]
        lines.append(("blend", ", ".join(weights)))
    if "rule" in history:
        rule = history["rule"]
        lines.append(("rule", f"{rule.get('chosen', '')}, at least {rule.get('min_labels', 0)} labels per row"))
    if "subject_to" in history:
        lines.append(("subject to", str(history["subject_to"].get("constraint", ""))))
    return lines


def held_out(record: dict[str, Any]) -> str:
    """The held-out value, with its spread over the folds; a validation file has none."""
    value = "undefined" if record.get("value") is None else f"{record['value']:.4f}"
    spread = f" ± {record['spread']:.4f} over {len(record.get('folds', []))} folds" if record.get("spread") else ""
    return f"{value}{spread} ({record.get('on', 'held-out rows')})"


def card_html(title: str, lines: Iterable[tuple[str, str]], names: Sequence[Any], thresholds: Sequence[float]) -> str:
    """A table of the choices and, folded away, one of the labels' thresholds. Names are data: everything is escaped."""
    rows = "".join(_row(name, value) for name, value in lines)
    return (
        f"<div><strong>{html.escape(title)}</strong><table>{rows}</table>"
        f"{_thresholds(names, thresholds) if len(thresholds) else ''}</div>"
    )


def _row(name: Any, value: str) -> str:
    cell = '<td style="text-align: left">'
    return f"<tr>{cell}{html.escape(str(name))}</td>{cell}{html.escape(value)}</td></tr>"


def _thresholds(names: Sequence[Any], thresholds: Sequence[float]) -> str:
    shown = [_row(name, f"{value:.4g}") for name, value in zip(names, thresholds, strict=False)][:MOST_LABELS]
    more = "" if len(thresholds) <= MOST_LABELS else f"<p>… and {len(thresholds) - MOST_LABELS} more</p>"
    return f"<details><summary>thresholds of the scores</summary><table>{''.join(shown)}</table>{more}</details>"
