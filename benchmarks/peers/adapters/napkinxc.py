"""napkinXC: binary relevance and probabilistic label trees, its own loader."""

import tempfile

import numpy as np
import scipy.sparse as sp
from napkinxc.datasets import load_libsvm_file
from napkinxc.models import BR, PLT

VARIANTS = {"BR": BR, "PLT": PLT}
TUNED = ("BR", "PLT")


class Model:
    def __init__(self, variant, threads):
        self.folder = tempfile.TemporaryDirectory()
        self.model = VARIANTS[variant](self.folder.name, threads=threads, seed=0)

    def fit(self, x, y):
        self.labels = y.shape[1]
        rows = [y.indices[y.indptr[i] : y.indptr[i + 1]].tolist() for i in range(y.shape[0])]
        self.model.fit(sp.csr_matrix(x, dtype=np.float32), rows)

    def scores(self, x):
        """Probabilities; labels the model does not list get 0."""
        out = np.zeros((x.shape[0], self.labels), dtype=np.float32)
        for i, row in enumerate(self.model.predict_proba(sp.csr_matrix(x, dtype=np.float32), top_k=self.labels)):
            for label, p in row:
                out[i, label] = p
        return out

    def predict(self, x):
        out = np.zeros((x.shape[0], self.labels), dtype=bool)
        for i, row in enumerate(self.model.predict(sp.csr_matrix(x, dtype=np.float32), threshold=0.5)):
            out[i, row] = True
        return out


def load(path):
    return load_libsvm_file(path, labels_format="csr_matrix")
