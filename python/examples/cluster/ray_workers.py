"""Many fits side by side with Ray: the rows lie once in each machine's object store, every task fits one method.

n_jobs=1 because Ray gives a task one core; with @ray.remote(num_cpus=4) write n_jobs=4.
"""

import ray

from mmo import MMOClassifier
from mmo.datasets import make_multilabel


@ray.remote(num_cpus=1)
def fit(rows, method):
    x, y = rows
    return method, MMOClassifier("macro-f1", method=method, n_jobs=1).fit(x[:300], y[:300]).score(x[300:], y[300:])


data = make_multilabel(rows=400, features=20, labels=6)
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
rows = ray.put((data.data, data.target))
for method, value in ray.get([fit.remote(rows, method) for method in ("linear", "forest", "br")]):
    print(f"{method}: macro F1 {value:.4f}")
ray.shutdown()
