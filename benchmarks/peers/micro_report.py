"""The micro-benchmarks' JSON (Google Benchmark) as tables."""

from store import table


def section(results):
    groups = {}
    for run in results["benchmarks"]:
        if run.get("run_type") == "aggregate" and run.get("aggregate_name") != "median":
            continue
        groups.setdefault(run["name"].split("/")[0], []).append(run)
    out = "## Parts of the engine\n\nOne core; medians of the repeats. Shares are of the machine's own peak, measured in the same run.\n"
    for name, runs in groups.items():
        counters = sorted({key for run in runs for key in run if key.startswith("~")})
        rows = [[run["name"].split("/", 1)[-1].replace("_median", ""), f"{run['real_time']:.4g} {run['time_unit']}",
                 *(f"{run[c]:.4g}" if c in run else "–" for c in counters)] for run in runs]
        out += f"\n### {name.replace('_', ' ')}\n\n" + table(["case", "time", *(c[1:] for c in counters)], rows)
    return out
