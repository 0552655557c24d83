"""xCOLUMNs: decisions from the probabilities of LIBLINEAR -s 0. Macro metrics by block coordinate ascent on the rows
to be predicted, micro metrics by Frank-Wolfe on out-of-fold probabilities. It has no samples-averaged goal. The generic
functions are called: the wrappers by metric hand over functions of the wrong signature (TypeError in 0.0.2).
"""

import numpy as np
from scipy.special import expit
from thresholds import fitted, out_of_fold
from xcolumns import metrics
from xcolumns.block_coordinate import predict_using_bc_with_0approx
from xcolumns.frank_wolfe import find_classifier_using_fw

from adapters import liblinear

VARIANTS = {"on LIBLINEAR -s 0": "-s 0"}
TUNED = ()
GOALS = ("micro-f1", "macro-f1", "micro-jaccard", "macro-jaccard")
MICRO = {"f1": metrics.micro_f1_score_on_conf_matrix, "jaccard": metrics.micro_jaccard_score_on_conf_matrix}
MACRO = {"f1": metrics.binary_f1_score_on_conf_matrix, "jaccard": metrics.binary_jaccard_score_on_conf_matrix}


class Model:
    def __init__(self, variant, threads):
        self.variant, self.threads = VARIANTS[variant], threads

    def fit(self, x, y):
        self.base = fitted(liblinear, self.variant, self.threads, x, y)

    def search(self, x, y):
        """One randomised classifier per micro metric."""
        truth = y.toarray().astype(np.float64)

        def probabilities(x_train, y_train, x_test):
            return expit(fitted(liblinear, self.variant, self.threads, x_train, y_train).scores(x_test))

        held_out = out_of_fold(probabilities, x, y).astype(np.float64)
        self.micro = {
            ratio: find_classifier_using_fw(truth, held_out, goal, 0, init_classifier="top", skip_tn=True, seed=0)
            for ratio, goal in MICRO.items()
        }

    def decisions(self, x):
        p = expit(self.base.scores(x))
        start = (p > 0.5).astype(p.dtype)
        for goal in GOALS:
            average, ratio = goal.split("-")
            if average == "micro":
                yield goal, self.micro[ratio].predict(p, seed=0) > 0
            else:
                yield (
                    goal,
                    predict_using_bc_with_0approx(p, MACRO[ratio], 0, init_y_pred=start.copy(), skip_tn=True, seed=0)
                    > 0,
                )

    def scores(self, x):
        return self.base.scores(x)

    def predict(self, x):
        return self.base.predict(x)
