"""Turns the core's messages, which name the program's flags, into Python terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

_NAMES = {
    "leave it out by --drop ": "drop ",
    " (mmo inspect MODEL lists them)": "",
    "--set ": "settings ",
    "--memory": "memory_limit",
    "--max-input": "max_input",
    "--threads": "n_jobs",
    "--labels": "labels",
    "--force": "overwrite=True",
    "--unknown-labels": "missing_labels=True",
    "--text-column": "text_column",
    "--index-base": "index_base",
}


def in_python(text: str) -> str:
    """One of the core's messages, with parameters instead of flags."""
    text = re.sub(r"\(--category .+? keeps it\)", "(the dtype 'category' keeps it)", text)
    for flag, name in _NAMES.items():
        text = text.replace(flag, name)
    return re.sub(r"--([a-z]+)", r"\1", text)


@contextmanager
def python_words() -> Iterator[None]:
    """Replaces flags with parameters in a ValueError from the core."""
    try:
        yield
    except ValueError as error:
        text = in_python(str(error))
        if text == str(error):
            raise
        raise ValueError(text) from None


@contextmanager
def missing_values_hint(*, training: bool) -> Iterator[None]:
    """When scikit-learn's check refuses NaN, names the setting that helps."""
    try:
        yield
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        when = "" if training else " when the model is trained"
        raise ValueError(
            f"{str(error).splitlines()[0]} Fill in what is missing, or set settings={{'missing': 'impute'}}{when}: "
            "then the means of the training rows are filled in."
        ) from None


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A parameter that is a whole number."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if most is not None and int(value) > most:
        raise ValueError(f"{name} must be at most {most}, got {value!r}")
    return int(value)


def amount(name: str, value: Any) -> float:
    """An optional parameter that is a number above 0; None means 0, the default."""
    if value is None:
        return 0.0
    if not isinstance(value, Real) or not float(value) > 0:
        raise ValueError(f"{name} must be a number above 0 or None, got {value!r}")
    return float(value)
