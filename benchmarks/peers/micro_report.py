"""The micro-benchmarks' JSON (Google Benchmark) as tables. Times are processor time."""

from store import table

# What Google Benchmark itself writes; every other key is one of our counters.
OWN = {
    "name",
    "family_index",
    "per_family_instance_index",
    "run_name",
    "run_type",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "aggregate_name",
    "aggregate_unit",
}


def _times(runs, aggregate):
    return {
        tuple(run["run_name"].split("/")[1:]): run["cpu_time"]
        for run in runs
        if run["run_name"].startswith("loss_and_gradient/") and run.get("aggregate_name") == aggregate
    }


def _against_bce(runs):
    """The bar: joint surrogate at most 1.1 times binary cross-entropy in the same vector code."""
    median, lowest = _times(runs, "median"), _times(runs, "lowest")
    rows = [
        [
            name,
            labels.removeprefix("labels:"),
            f"{own / median['bce', labels]:.2f}",
            f"{lowest[name, labels] / lowest['bce', labels]:.2f}",
        ]
        for (name, labels), own in median.items()
        if name != "bce"
    ]
    return (
        "\nLoss and gradient over those of BCE (bar for joint: ≤ 1.1), by the medians and by the fastest of the "
        "repeats. `independent` runs the same code as `bce`: what it differs from 1 is noise.\n\n"
        + table(["surrogate", "labels", "medians", "fastest"], rows)
    )


def limits(results):
    """What the core reaches on the solver's traffic: GB/s through vectors in its cache, GFLOP/s of sparse products."""

    def best(case, counter):
        runs = (run for run in results["benchmarks"] if run["run_name"].startswith(case))
        return max((run[counter] for run in runs if counter in run), default=None)

    return best("core_peak", "cached copy GB/s"), best("product/forward/features:500/nonzeros:20", "GFLOP/s")


def section(results):
    groups = {}
    # Repeats are interleaved at random; the tables are in the program's own order.
    ordered = sorted(results["benchmarks"], key=lambda r: (r["family_index"], r["per_family_instance_index"]))
    for run in ordered:
        if run["repetitions"] > 1 and run.get("aggregate_name") != "median":
            continue
        groups.setdefault(run["run_name"].split("/")[0], []).append(run)
    out = (
        "## Parts of the engine\n\n"
        "One core, `build/benchmarks/micro/mmo_micro`; medians of the repeats. Shares are of the core's own peak "
        "and copy bandwidth, measured in the same run (`core_peak`).\n"
    )
    for name, runs in groups.items():
        counters = sorted({key for run in runs for key in run if key not in OWN})
        rows = [
            [
                "/".join(run["run_name"].split("/")[1:]),
                f"{run['cpu_time']:.4g} {run['time_unit']}",
                *(f"{run[c]:.4g}" if c in run else "–" for c in counters),
            ]
            for run in runs
        ]
        out += f"\n### {name.replace('_', ' ')}\n\n" + table(["case", "time", *counters], rows)
        if name == "loss_and_gradient" and _times(ordered, "lowest"):  # one run alone is no comparison
            out += _against_bce(ordered)
    return out
