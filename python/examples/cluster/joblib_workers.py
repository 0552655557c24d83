"""Many fits side by side with joblib: cross-validation in two processes, each with its share of the cores.

A classifier with n_jobs=None takes the threads that joblib grants its worker, so the cores are not asked for twice.
"""

from joblib import parallel_config
from sklearn.model_selection import cross_val_score

from mmo import MMOClassifier, MultilabelStratifiedKFold
from mmo.datasets import make_multilabel

data = make_multilabel(rows=400, features=20, labels=6)
with parallel_config("loky", n_jobs=2):
    values = cross_val_score(
        MMOClassifier("macro-f1", method="linear"), data.data, data.target, cv=MultilabelStratifiedKFold(4)
    )
print("macro F1 of the folds:", *(f"{value:.4f}" for value in values))
