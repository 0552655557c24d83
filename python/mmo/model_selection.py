"""Cross-validation that keeps each label's share the same in every fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from mmo import _core
from mmo._labels import as_indicator, parts_of


class MultilabelStratifiedKFold(BaseCrossValidator):  # type: ignore[misc]
    """Iterative stratification (Sechidis et al., 2011) for 0/1 matrices, dense or sparse.

    Rows of one group stay together when groups are given. Sizes differ by at most one row without groups.

    >>> import numpy as np
    >>> y = np.random.default_rng(0).integers(0, 2, (20, 3))
    >>> [len(test) for _, test in MultilabelStratifiedKFold(4).split(np.zeros((20, 1)), y)]
    [5, 5, 5, 5]
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.n_splits

    def _iter_test_masks(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[npt.NDArray[np.bool_]]:
        if y is None:
            raise ValueError("MultilabelStratifiedKFold needs y, a 0/1 matrix of rows by labels")
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31)
        fold_of_row = fold_numbers(y, self.n_splits, int(seed), groups)
        for fold in range(self.n_splits):
            yield fold_of_row == fold


def fold_numbers(y: Any, folds: int, seed: int = 0, groups: Any = None) -> npt.NDArray[np.uint32]:
    """The fold of each row."""
    values = y if hasattr(y, "shape") and len(y.shape) == 2 else np.asarray(y)
    if values.ndim == 1:  # classes: one column each
        values = values[:, None] == np.unique(values)[None, :]
    names = [] if groups is None else [str(group) for group in groups]
    return _core.stratified_folds(*parts_of(as_indicator(values)), folds, seed, names)
