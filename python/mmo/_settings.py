"""A classifier's parameters as the options of `mmo train`, under the names that the program has for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mmo import _core
from mmo._target import Target
from mmo._words import amount, whole

NESTED = ("settings", "text")  # parameters that are mappings


def train_settings(model: Any, target: Target) -> _core.TrainSettings:
    """The options of a fit: the classifier's parameters, and what its kind of y asks for."""
    given = {_program_key(key): _text(value) for key, value in (model.settings or {}).items()}
    words = {key.removeprefix("text."): given.pop(key) for key in list(given) if key.startswith("text.")}
    if model.learners is not None:
        given["learners"] = model.learners if isinstance(model.learners, str) else ",".join(model.learners)
    if model.min_labels is not None:
        given["min-labels"] = str(whole("min_labels", model.min_labels, 0))
    if target.labels == 1:
        given.setdefault("min-labels", "0")  # with one label "at least one" would mean "always"
    if target.kind == "multiclass":
        given.setdefault("rule", "zero")  # exactly one label: the largest posterior
    out = _core.TrainSettings()
    out.subject_to = model.subject_to or ""
    out.method = model.method
    out.effort = model.effort
    out.folds = whole("folds", model.folds, 2)
    out.min_positives = whole("min_positives", model.min_positives, 0)
    out.seed = seed_of(model.random_state)
    out.memory_limit = int(amount("memory_limit", model.memory_limit))
    out.time_limit = amount("time_limit", model.time_limit)
    out.settings = given
    out.text = text_options({**words, **(model.text or {})})
    return out


def seed_of(random_state: Any) -> int:
    """scikit-learn's random_state as the core's seed."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return whole("random_state", random_state, 0, 2**64 - 1)
    return int(check_random_state(random_state).randint(2**31))


def text_options(given: Mapping[str, Any]) -> _core.TextOptions:
    """Options of words, named as in ``mmo train --set text.…``: ``ngrams``, ``min_df`` or ``min-df``, …"""
    options = _core.TextOptions()
    known = sorted({name for name in dir(options) if not name.startswith("_")} - {"min_n", "max_n"} | {"ngrams"})
    for key, value in given.items():
        name = str(key).replace("-", "_")
        if name not in known:
            raise ValueError(f"text option {key!r} is unknown; known are {', '.join(known)}")
        if name == "ngrams":
            options.min_n, options.max_n = _ngrams(value)
        else:
            default = getattr(options, name)
            setattr(options, name, _parsed(key, value, type(default)) if isinstance(value, str) else value)
    return options


def _ngrams(value: Any) -> tuple[int, int]:
    """One length or a range: 1, "1-2", (1, 2)."""
    ends = value.split("-") if isinstance(value, str) else value if isinstance(value, (tuple, list)) else [value]
    try:
        lengths = [int(end) for end in ends]
    except (TypeError, ValueError):
        lengths = []
    if len(lengths) not in (1, 2) or not 1 <= lengths[0] <= lengths[-1] <= 5:
        raise ValueError(f"text option 'ngrams' must be a length from 1 to 5 or a range such as '1-2', got {value!r}")
    return lengths[0], lengths[-1]


def _parsed(key: Any, text: str, kind: type) -> Any:
    try:
        return {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise ValueError(f"text option {key!r} must be a {kind.__name__}, got {text!r}") from None


def _program_key(key: Any) -> str:
    """``min_labels`` and ``min-labels`` are one setting."""
    return str(key).replace("_", "-")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
