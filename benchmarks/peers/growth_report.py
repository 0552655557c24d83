"""How one plain fit grows: log-log slopes over generated data."""

import math
import statistics

import plot
from store import table

AXES = ("rows", "features", "labels", "nonzeros")


def slope(points):
    """Least-squares exponent of y ~ x^a."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def _points(store, axis):
    """(size, seconds, seconds per iteration, MB) by size; medians of the repeats."""
    out = []
    for key, own in store.records.items():
        if key[0] != "growth" or key[2] != axis:
            continue
        seconds = statistics.median(r["seconds"]["fit"] for r in own)
        memory = max(max(r["peak_kb"] - r["start_kb"] for r in own) / 1e3, 0.1)
        out.append((int(key[3].split()[AXES.index(axis)]), seconds, seconds / own[-1]["iterations_per_label"], memory))
    return sorted(out)


def _large(store):
    """The set of a million rows, if it was measured."""
    for key, own in store.records.items():
        if key[0] == "growth" and key[2] == "large":
            rows, features, labels, nonzeros = (f"{int(size):,}" for size in key[3].split())
            return (
                f"\n{rows} rows × {features} features, about {nonzeros} non-zeros a row, {labels} labels, one core: "
                f"{own[-1]['seconds']['fit']:.0f} s, {own[-1]['peak_kb'] / 1e6:.1f} GB in all, "
                f"{(own[-1]['peak_kb'] - own[-1]['start_kb']) / 1e6:.1f} GB of it beyond the data.\n"
            )
    return ""


def section(store, folder, name):
    known = {axis: points for axis in AXES if len(points := _points(store, axis)) > 1}
    if not known:
        return ""
    (folder / f"{name}-growth.svg").write_text(
        plot.log_lines(
            "One plain fit of generated data, one core",
            "rows, features, labels, non-zeros a row",
            "seconds",
            {axis: [(p[0], p[1]) for p in points] for axis, points in known.items()},
        ),
        encoding="utf-8",
    )
    rows = []
    for axis, points in known.items():
        rows.append(
            [
                axis,
                f"{points[0][0]} … {points[-1][0]}",
                f"{points[0][1]:.3g} … {points[-1][1]:.3g}",
                *(f"{slope([(p[0], p[k]) for p in points]):.2f}" for k in (1, 2, 3)),
                f"{points[0][3]:.1f} … {points[-1][3]:.1f}",
            ]
        )
    base = "10,000 rows × 3,000 features, 30 non-zeros a row, 16 labels"
    return (
        "## Growth\n\n"
        "One plain fit (one core, tolerance 10⁻³) of generated data; one quantity varies, the others stay at "
        f"{base}. Exponents are least-squares slopes of the logarithms; memory is what the fit needs beyond the "
        "data.\n\n"
        + table(
            ["quantity", "from … to", "seconds", "exponent of time", "of time per iteration", "of memory", "MB"], rows
        )
        + f"\n![seconds against size]({name}-growth.svg)\n"
        + _large(store)
    )
