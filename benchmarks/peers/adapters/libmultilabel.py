"""LibMultiLabel's linear methods. Version 0.10.0's thresholding sums the labels over axis 2, which SciPy refuses: the
labels are handed over as a matrix that answers with the sums per label, as the paper behind it has it.
"""

import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, str(Path(sys.prefix) / "beside"))  # with liblinear-multicore, see install.py

from libmultilabel import linear

VARIANTS = {
    "1vsrest": linear.train_1vsrest,
    "thresholding": linear.train_thresholding,
    "cost-sensitive": linear.train_cost_sensitive,
    "cost-sensitive micro": linear.train_cost_sensitive_micro,
}
TUNED = ()


class _Labels(sp.csc_matrix):
    def sum(self, axis=None, dtype=None, out=None):
        return super().sum(axis=0 if axis == 2 else axis, dtype=dtype, out=out)

    def tocsc(self, copy=False):
        return self


class Model:
    def __init__(self, variant, threads):
        self.train = VARIANTS[variant]
        self.options = f"-B 1 -m {threads}"

    def fit(self, x, y):
        np.random.seed(0)  # its folds come from numpy's global generator
        labels = _Labels(y.astype(np.int64)) if self.train is linear.train_thresholding else y.astype(np.int64)
        self.model = self.train(labels, sp.csr_matrix(x), options=self.options, verbose=False)

    def scores(self, x):
        return self.model.predict_values(sp.csr_matrix(x))

    def predict(self, x):
        return self.scores(x) > 0


def load(path):
    return linear.load_dataset("svm", path)
