"""scikit-learn: OneVsRestClassifier over logistic regression or a linear SVM, and its own svmlight reader."""

import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

VARIANTS = {
    "LogisticRegression": lambda: LogisticRegression(max_iter=1000),
    "LinearSVC": LinearSVC,
    "LogisticRegression balanced": lambda: LogisticRegression(max_iter=1000, class_weight="balanced"),
}
TUNED = ("LogisticRegression", "LinearSVC")


class Model:
    def __init__(self, variant, threads):
        self.estimator = OneVsRestClassifier(VARIANTS[variant](), n_jobs=threads)

    def fit(self, x, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message="Label .* is present in|.*not .*present in all")
            self.estimator.fit(x, y)
        self.labels = y.shape[1]

    def scores(self, x):
        """Constant labels have no decision function of their own: −1 or 1, as the dummy they predict with."""
        columns = [
            e.decision_function(x) if hasattr(e, "decision_function") else 2.0 * e.predict(x) - 1
            for e in self.estimator.estimators_
        ]
        return np.column_stack(columns)

    def predict(self, x):
        return np.asarray(self.estimator.predict(x).todense()).astype(bool)


def load(path):
    return load_svmlight_file(path, multilabel=True)
