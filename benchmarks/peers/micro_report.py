"""The micro-benchmarks' JSON (Google Benchmark) as tables. Times are processor time."""

from store import table

# What Google Benchmark itself writes, and what has its own table; every other key is one of our counters.
OWN = {
    "over BCE",
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


def _against_bce(runs):
    """The bar: joint surrogate at most 1.1 times binary cross-entropy in the same vector code, call by call."""
    cases = {}
    for run in runs:
        if run["run_name"].startswith("loss_and_gradient/"):
            cases.setdefault(run["run_name"], {})[run.get("aggregate_name")] = run["over BCE"]
    rows = [
        [*name.replace("labels:", "").split("/")[1:], f"{v['median']:.2f} ({v['lowest']:.2f} … {v['highest']:.2f})"]
        for name, v in cases.items()
        if "highest" in v
    ]
    return (
        "\nLoss and gradient over those of BCE, measured in turns, call by call: median, lowest and highest of the "
        "repeats. Bar for `joint`: ≤ 1.1. `independent` runs the same code as `bce`: what either differs from 1 is "
        "noise.\n\n" + table(["surrogate", "labels", "over BCE"], rows)
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
        if name == "loss_and_gradient" and runs[0]["repetitions"] > 1:  # one run alone is no comparison
            out += _against_bce(ordered)
    return out
