"""The prepared sets: FOLDER/<set>/{train,test}.{npz,svm}; the npz layout is the one `mmo` reads."""

import numpy as np
import scipy.sparse as sp


def save(folder, part, x, y):
    """x: dense array or CSR matrix, y: CSR matrix of 0 and 1; also as svmlight, labels and features by number."""
    folder.mkdir(parents=True, exist_ok=True)
    for matrix in (x, y):
        if sp.issparse(matrix):
            matrix.sort_indices()
    arrays = _parts("Y", y.astype(np.uint8))
    arrays |= _parts("X", x) if sp.issparse(x) else {"X": x}
    np.savez(folder / f"{part}.npz", **arrays)
    rows = sp.csr_matrix(x)
    with open(folder / f"{part}.svm", "w", encoding="ascii") as out:
        for i in range(rows.shape[0]):
            labels = ",".join(str(j) for j in y.indices[y.indptr[i] : y.indptr[i + 1]])
            span = slice(rows.indptr[i], rows.indptr[i + 1])
            cells = " ".join(f"{k + 1}:{v:.7g}" for k, v in zip(rows.indices[span], rows.data[span], strict=True))
            out.write(f"{labels} {cells}\n")


def load(folder, part):
    """(x float64, dense or CSR; y CSR of 0 and 1)."""
    with np.load(folder / f"{part}.npz") as z:
        x = z["X"].astype(np.float64) if "X" in z else _matrix(z, "X").astype(np.float64)
        return x, sp.csr_matrix(z["Y"]) if "Y" in z else _matrix(z, "Y")


def _parts(name, m):
    return {
        f"{name}_data": m.data,
        f"{name}_indices": m.indices,
        f"{name}_indptr": m.indptr,
        f"{name}_shape": np.array(m.shape),
    }


def _matrix(z, name):
    return sp.csr_matrix(
        (z[f"{name}_data"], z[f"{name}_indices"], z[f"{name}_indptr"]), shape=tuple(z[f"{name}_shape"])
    )
