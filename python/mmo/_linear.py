"""The weights of a model that is linear in its input."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted


def coefficients(model: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(coef, intercept) with z = x·coefᵀ + intercept; AttributeError where the model is more than that.

    z = ((x − c) ⊙ s)·W + b, hence coef = (W ⊙ s)ᵀ and intercept = b − (c ⊙ s)·W.
    """
    check_is_fitted(model)
    try:
        weights, bias, centre, scale = model.model_.linear
    except ValueError as error:
        raise AttributeError(f"no coef_: {error}; card() tells what the model looks at") from None
    weights = np.asarray(weights, dtype=np.float64)
    if len(scale):
        weights = weights * np.asarray(scale, dtype=np.float64)[:, None]
    intercept = np.asarray(bias, dtype=np.float64)
    if len(centre):
        intercept = intercept - np.asarray(centre, dtype=np.float64) @ weights
    return weights.T, intercept
