"""Metric values reached: the best peer of each cell, picked on the test set, against `mmo train --metric X`."""

from store import table
from tasks import METRICS, PEERS, SETS


def _peer_values(store, name):
    """(value by metric, "peer variant, decision") of every decision of every peer."""
    for peer, _, variants in PEERS:
        for variant in variants:
            for record in store.of("quality", peer, variant, name):
                for decision, values in record["metrics"].items():
                    yield values, f"{peer} {variant}" + ("" if decision == "plain" else f", {decision}")


def _mmo_value(store, name, metric):
    own = store.of("quality", "mmo", f"{metric} standard", name)
    return own[-1]["metrics"]["plain"][metric] if own else None


def _shown(store, name):
    """The set's name, and how much of the comparison is still to come."""
    variants = [(peer, variant) for peer, _, own in PEERS for variant in own]
    known = sum(("quality", peer, variant, name, 1) in store.records for peer, variant in variants)
    return name if known == len(variants) else f"{name} (so far {known} of {len(variants)} peers' variants)"


def _meant_for(who, metric):
    """Whether the decision was tuned for this metric: plain, per label, or its own goal; not for another one."""
    goal = who.rpartition(", ")[2]
    return not any(goal.endswith(other) for other in METRICS if other != metric)


def _best(peers, metric, condition=lambda who: True):
    return max(((values[metric], who) for values, who in peers if condition(who)), default=(None, "–"))


def _compared(ours, best):
    if ours is None or best is None:
        return "–"
    return f"**{ours:.4f}** / {best:.4f}" if ours >= best else f"{ours:.4f} / **{best:.4f}**"


def _missed(store, name, metric, ours, best):
    """How far below, and how far the choice of test rows alone moves mmo's value."""
    interval = store.of("quality", "mmo", f"{metric} standard", name)[-1].get("interval")
    moved = f"; 95 % of resampled test sets give {interval[0]:.4f} … {interval[1]:.4f}" if interval else ""
    return f"{name} {metric} ({ours - best:+.4f}{moved})"


def _cost(store):
    """Seconds of the runs behind the values: what tuning by hand and the metric-optimising modes cost."""
    rows = []
    for name in SETS:
        for peer, _, variants in PEERS:
            for variant in variants:
                for record in store.of("quality", peer, variant, name)[-1:]:
                    seconds = record["seconds"]
                    rows.append(
                        [
                            name,
                            f"{peer} {variant}",
                            *(
                                f"{seconds[p]:.3g}" if p in seconds else "–"
                                for p in ("convert", "fit", "search", "predict")
                            ),
                        ]
                    )
    return (
        "\nSeconds of these runs (one run each, one core, not interleaved, possibly beside other work; search = five "
        "more fits and the thresholds):\n\n"
        "<details><summary>table</summary>\n\n"
        + table(["set", "peer", "convert", "fit", "search", "predict"], rows)
        + "\n</details>\n"
    )


def section(store):
    rows, winners, plain, missed, differences = [], [], [], [], {"any": [], "meant": []}
    for name in SETS:
        peers = list(_peer_values(store, name))
        if not peers:
            continue
        ours = {metric: _mmo_value(store, name, metric) for metric in METRICS}
        best = {metric: _best(peers, metric) for metric in METRICS}
        meant = {metric: _best(peers, metric, lambda who, m=metric: _meant_for(who, m)) for metric in METRICS}
        rows.append([_shown(store, name), *(_compared(ours[m], best[m][0]) for m in METRICS)])
        winners.append([name, *(best[m][1] for m in METRICS)])
        for kind, value in (("any", best), ("meant", meant)):
            differences[kind] += [ours[m] - value[m][0] for m in METRICS if ours[m] is not None]
        missed += [
            _missed(store, name, m, ours[m], best[m][0])
            for m in METRICS
            if ours[m] is not None and ours[m] < best[m][0]
        ]
        for record in store.of("quality", "liblinear", "-s 0", name)[-1:]:
            plain.append([name, *(f"{record['metrics']['plain'][m]:.4f}" for m in METRICS)])
    if not rows:
        return ""
    won = {kind: sum(d >= 0 for d in own) for kind, own in differences.items()}
    return (
        "## Metric values reached\n\n"
        "Test values, `mmo train --metric X` (defaults; nothing but the metric given) / the best of all peers, "
        "variants and hand-made thresholds, **picked on the test set**, which flatters the peers. Peers tune one "
        "threshold for all labels (for each of the six metrics) and one per label on out-of-fold scores of 5 folds; "
        f"scikit-learn computes every value (0/0 = 0). mmo is at least as good in **{won['any']} of "
        f"{len(differences['any'])} cells**; against the best peer that was tuned for the cell's own metric or not "
        f"tuned at all, in {won['meant']}."
        + (f" Missed: {', '.join(missed)}." if missed else "")
        + "\n\n"
        + table(["set", *METRICS], rows)
        + "\nThe best peer of each cell:\n\n"
        + table(["set", *METRICS], winners)
        + "\nLIBLINEAR `-s 0 -B 1` as it comes, threshold 0:\n\n"
        + table(["set", *METRICS], plain)
        + _cost(store)
    )
