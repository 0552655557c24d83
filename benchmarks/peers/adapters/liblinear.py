"""LIBLINEAR, one model per label through its own Python interface."""

import numpy as np
import scipy.sparse as sp
from liblinear.liblinearutil import parameter, problem, train

VARIANTS = {
    "-s 0": "-s 0 -B 1",
    "-s 0 -e 0.1": "-s 0 -e 0.1 -B 1",
    "-s 7 -e 1": "-s 7 -e 1 -B 1",
    "-s 1": "-s 1 -B 1",
    "-s 2": "-s 2 -B 1",
    "-s 0 -R": "-s 0 -B 1 -R",  # the bias is not penalised: mmo's own objective
}
TUNED = ("-s 0", "-s 1", "-s 2")


class Model:
    def __init__(self, variant, threads):
        assert threads == 1, "liblinear-official has one thread"
        self.options = VARIANTS[variant] + " -q"

    def prepare(self, x, y):
        """Copies the rows into LIBLINEAR's own lists of nodes."""
        self.data = problem(np.ones(x.shape[0]), sp.csr_matrix(x), 1)

    def fit(self, x, y):
        options = parameter(self.options)
        columns = y.tocsc()
        features = x.shape[1]
        self.weights = np.zeros((features + 1, y.shape[1]))
        for j in range(y.shape[1]):
            rows = columns.indices[columns.indptr[j] : columns.indptr[j + 1]]
            if rows.size in (0, x.shape[0]):  # one class only: constant
                self.weights[-1, j] = 1 if rows.size else -1
                continue
            target = np.full(x.shape[0], -1.0)
            target[rows] = 1
            self.data.y = np.ctypeslib.as_ctypes(target)
            model = train(self.data, options)
            sign = 1 if model.get_labels()[0] == 1 else -1
            self.weights[:, j] = sign * np.ctypeslib.as_array(model.w, (features + 1,))

    def scores(self, x):
        return np.asarray(x @ self.weights[:-1]) + self.weights[-1]

    def predict(self, x):
        return self.scores(x) > 0

    def objective(self, x, y):
        """Σ_j ½‖w_j‖² + Σ_i log(1 + exp(−t_ij·z_ij)) over the labels that some rows have and others lack: what -s 0 -R
        minimises.
        """
        count = np.asarray(y.sum(axis=0)).ravel()
        trained = (count > 0) & (count < y.shape[0])
        margin = -self.scores(x)[:, trained] * (2.0 * y.toarray()[:, trained] - 1.0)
        return float(0.5 * np.sum(self.weights[:-1, trained] ** 2) + np.sum(np.logaddexp(0, margin)))
