"""One measurement of one peer in a process of its own; prints one JSON object.

worker.py quality|time|load ADAPTER VARIANT DATA_FOLDER THREADS
"""

import importlib
import json
import sys
from pathlib import Path

import data
from measure import METRICS, Stopwatch, as_bool, average_seconds, forget_peak, metric_values, peak_kb
from thresholds import fitted, global_thresholds, label_thresholds, out_of_fold

WARM_UP_ROWS = 64


def tune(module, variant, threads, x, y):
    scores = out_of_fold(lambda a, b, c: fitted(module, variant, threads, a, b).scores(c), x, y)
    truth = as_bool(y)
    return global_thresholds(scores, truth, METRICS), label_thresholds(scores, truth)


def measure(module, variant, folder, threads, tuned):
    watch = Stopwatch()
    x, y = data.load(folder, "train")
    few = min(WARM_UP_ROWS, x.shape[0])
    fitted(module, variant, threads, x[:few], y[:few])  # imports and compilation at run time (Numba) are not the fit
    del x, y
    start = forget_peak()
    x, y = data.load(folder, "train")
    x_test, y_test = data.load(folder, "test")
    model = module.Model(variant, threads)
    if hasattr(model, "prepare"):
        with watch.phase("convert"):
            model.prepare(x, y)
    _, watch.seconds["fit"] = average_seconds(lambda: model.fit(x, y))
    peak = peak_kb()
    predicted, watch.seconds["predict"] = average_seconds(lambda: model.predict(x_test))
    decisions = {"plain": predicted}
    if tuned and variant in module.TUNED:
        with watch.phase("search"):
            best, per_label = tune(module, variant, threads, x, y)
        scores = model.scores(x_test)
        for metric, threshold in best.items():
            decisions[f"global threshold for {metric}"] = scores > threshold
        decisions["threshold per label"] = scores > per_label
    if tuned and hasattr(model, "search"):
        with watch.phase("search"):
            model.search(x, y)
            decisions |= dict(model.decisions(x_test))
    record = {
        "seconds": watch.seconds,
        "peak_kb": peak,
        "start_kb": start,
        "metrics": {name: metric_values(y_test, predicted) for name, predicted in decisions.items()},
    }
    if hasattr(model, "objective"):
        record["objective"] = model.objective(x, y)
    return record


def main():
    kind, adapter, variant, folder, threads = sys.argv[1:]
    module = importlib.import_module("adapters." + adapter)
    if kind == "load":
        path = Path(folder) / "train.svm"
        _, seconds = average_seconds(lambda: module.load(str(path)))
        record = {"seconds": {"load": seconds}, "bytes": path.stat().st_size}
    elif hasattr(module, "quality"):
        record = module.quality(variant, Path(folder), int(threads))
    else:
        record = measure(module, variant, Path(folder), int(threads), kind == "quality")
    print(json.dumps(record))


if __name__ == "__main__":
    main()
