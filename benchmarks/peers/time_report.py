"""Times, memory and reading speed: ratios of interleaved repeats."""

import functools
import statistics

from store import ratios, spread, table
from tasks import DENSE, GENERATED, TIMED
from tasks import SETS as PUBLIC

SETS = (*PUBLIC, *GENERATED)
FAST = ("-s 0 -e 0.1", "-s 7 -e 1")


def _faster(store, name):
    """LIBLINEAR's faster setting on this set."""
    known = [(statistics.median(own), v) for v in FAST if (own := store.seconds("time", "liblinear", v, name, "fit"))]
    return min(known)[1] if known else None


BARS = dict.fromkeys(DENSE, 10) | {"delicious": 4, "debtags": 4, "reuters": 2, "generated-500": 1}


def plain_fit(store):
    rows = []
    for name in SETS:
        ours = store.seconds("time", "mmo", "plain", name, "fit")
        setting = _faster(store, name)
        if not ours or not setting:
            continue
        fast = store.seconds("time", "liblinear", setting, name, "fit")
        default = store.seconds("time", "liblinear", "-s 0", name, "fit")
        record = store.of("time", "mmo", "plain", name)[-1]
        reached = "yes" if record["target_reached"] else "no"
        rows.append(
            [
                name,
                spread(default),
                f"`{setting}` {spread(fast)}",
                spread(ours),
                spread(ratios(fast, ours), "{:.1f}"),
                f"≥ {BARS[name]}" if name in BARS else "–",
                reached,
                f"{record['objective'] / record['target'] - 1:+.1e}",
            ]
        )
    return (
        "## One plain fit\n\n"
        "Seconds, one core, data in memory (LIBLINEAR's copy into its own nodes not counted; mmo's preparations "
        "counted). mmo minimises the objective of `-s 0 -B 1 -R` (C = 1, bias not penalised) and stops at the "
        "coarsest tolerance whose objective is at most the one that LIBLINEAR reaches with `-s 0 -B 1 -R` at its "
        "default tolerance. Median (lowest … highest, repeats).\n\n"
        + table(
            [
                "set",
                "LIBLINEAR `-s 0`",
                "its faster setting",
                "mmo",
                "ratio",
                "bar",
                "target reached",
                "objective over target",
            ],
            rows,
        )
    )


# A pass of dual descent over a sparse column reads the weight of every non-zero, reads it again and writes it. (An
# iteration of L-BFGS, for what takes many passes, moves more.)
WEIGHTS_OF_PASS = 3
WORTH_TELLING = 10  # GB/s; below, the paths' weights are not what takes the time


def _what_the_bar_takes(store, name, effort, bar, base, limits):
    """For a bar that is missed on sparse data: the solver's own traffic and products, and how long this core needs."""
    if name in DENSE:
        return ""
    record = store.of("time", "mmo", f"micro-f1 {effort}", name)[-1]
    iterations, seconds = record["column_iterations"], bar * statistics.median(base)
    gigabytes = iterations * WEIGHTS_OF_PASS * 4 * record["nonzeros"] / 1e9
    gigaflop = iterations * 4 * record["nonzeros"] / 1e9
    if gigabytes / seconds < WORTH_TELLING:
        return ""
    text = (
        f"{name}, {effort}: its L2 paths alone take {iterations:,.0f} passes over single columns, that is about "
        f"{gigabytes:.2g} GB of weights and {gigaflop:.2g} GFLOP of sparse products; in the bar's "
        f"{seconds:.2g} s, {gigabytes / seconds:.0f} GB/s and {gigaflop / seconds:.0f} GFLOP/s at once."
    )
    if None in limits:
        return text
    cached, product = limits
    others = sum(seconds for stage, seconds in record["stages"].items() if not stage.startswith("L2 path"))
    return (
        text + f" At what this core reaches, {cached:.0f} GB/s copying within its cache and {product:.0f} GFLOP/s in "
        f"sparse products (`core peak` and `product` below), they take {gigabytes / cached + gigaflop / product:.2g} s; "
        f"the other stages took {others:.2g} s."
    )


def search(store, limits=(None, None)):
    rows, stages, missed = [], [], []
    for name in SETS:
        base = store.seconds("time", "liblinear", "-s 0", name, "fit")
        row = [name]
        bars = {"quick": 0.5, "standard": 1 if name in DENSE else 2}
        for effort, bar in bars.items():
            ours = store.seconds("time", "mmo", f"micro-f1 {effort}", name, "fit", "search")
            row += [spread(ours), spread(ratios(ours, base), "{:.2f}")]
            if ours and base and statistics.median(ratios(ours, base)) > bar:
                missed.append(_what_the_bar_takes(store, name, effort, bar, base, limits))
        if row[1] != "–":
            rows.append([*row, ", ".join(f"≤ {bar}" for bar in bars.values())])
        for record in store.of("time", "mmo", "micro-f1 standard", name)[-1:]:
            whole = sum(record["stages"].values())
            parts = sorted(record["stages"].items(), key=lambda item: -item[1])
            stages.append(
                [name, f"{whole:.3g}", ", ".join(f"{s} {100 * t / whole:.0f} %" for s, t in parts if t > 0.02 * whole)]
            )
    return (
        "## The whole search\n\n"
        "`mmo train --metric micro-f1`, everything from loaded data to the model, one core; the ratio is to one "
        "plain LIBLINEAR `-s 0` fit.\n\n"
        + table(["set", "quick, s", "ratio", "standard, s", "ratio", "bars"], rows)
        + "".join(f"\n{text}\n" for text in missed if text)
        + "\nWhere standard effort spends it:\n\n"
        + table(["set", "seconds", "stages"], stages)
    )


def threads(store):
    rows = []
    counts = sorted({key[4] for key in store.records if key[0] == "time" and key[4] > 1})
    for name in SETS:
        for peer, variants in {"mmo": ("plain", "micro-f1 quick", "micro-f1 standard"), **TIMED}.items():
            for variant in variants:
                for count in counts:
                    phases = ("fit", "search") if peer == "mmo" and variant != "plain" else ("fit",)
                    one = store.seconds("time", peer, variant, name, *phases)
                    many = store.seconds("time", peer, variant, name, *phases, threads=count)
                    if one and many:
                        rows.append(
                            [
                                name,
                                f"{peer} {variant}",
                                count,
                                spread(one),
                                spread(many),
                                spread(ratios(one, many), "{:.2f}"),
                            ]
                        )
    return (
        (
            "## Threads\n\n"
            "Time with one thread over time with more; the bar for mmo's whole search on delicious and debtags with "
            "2 threads is ≥ 1.7.\n\n" + table(["set", "what", "threads", "one thread, s", "more, s", "ratio"], rows)
        )
        if rows
        else ""
    )


def loading(store):
    rows = []
    for name in SETS:
        ours = store.seconds("load", "mmo", "svmlight", name)
        if not ours:
            continue
        size = store.of("load", "mmo", "svmlight", name)[-1]["bytes"] / 1e6
        row = [name, f"{size:.2f}", spread([size / t for t in ours], "{:.0f}")]
        for peer in ("napkinxc", "scikit-learn", "libmultilabel"):
            row.append(spread(ratios(store.seconds("load", peer, "svmlight", name), ours), "{:.1f}"))
        rows.append(row)
    return (
        "## Reading svmlight\n\n"
        "One core. mmo in MB/s, and how many times longer the peers' own readers take (bar: ≥ 5 times napkinXC's, ≥ "
        "300 MB/s).\n\n"
        + table(["set", "MB", "mmo, MB/s", "napkinXC / mmo", "scikit-learn / mmo", "LibMultiLabel / mmo"], rows)
    )


def predicting(store):
    rows = []
    for name in SETS:
        ours = store.seconds("time", "mmo", "plain", name, "predict")
        if not ours:
            continue
        row = [name, spread(ours, "{:.2e}")]
        for peer, variant in (
            ("liblinear", "-s 0"),
            ("scikit-learn", "LogisticRegression"),
            ("napkinxc", "BR"),
            ("libmultilabel", "1vsrest"),
        ):
            row.append(spread(ratios(store.seconds("time", peer, variant, name, "predict"), ours), "{:.1f}"))
        rows.append(row)
    return (
        "## Predicting\n\n"
        "Labels of the test rows from a plain linear model of the same size, in memory, one core: mmo's seconds, "
        "and how many times longer the peers take. LIBLINEAR's weights are multiplied by SciPy or NumPy, which is "
        "faster than its own predict. Bar: ≥ 3 on sparse sets, ≥ 1 on dense ones.\n\n"
        + table(
            ["set", "mmo, s", "LIBLINEAR / mmo", "scikit-learn / mmo", "napkinXC / mmo", "LibMultiLabel / mmo"], rows
        )
    )


PLAIN_COLUMNS = 16  # solved together in mmo's plain fit of sparse sets


def _what_the_weights_take(name, ours, theirs):
    """For a bar that is missed on generated data, whose size is known."""
    if name not in GENERATED:
        return ""
    _, features, labels, _ = GENERATED[name]
    return (
        f"\n{name}: {ours:.2f} MB beside {theirs:.2f}. mmo's weights of all labels are {4e-6 * features * labels:.2f} MB "
        "of them, those of the columns in work another "
        f"{4e-6 * features * min(labels, PLAIN_COLUMNS):.2f}.\n"
    )


def memory(store):
    rows, missed = [], []

    def peak(peer, variant, name):
        return max((r["peak_kb"] - r["start_kb"] for r in store.of("time", peer, variant, name)), default=None)

    def megabytes(peer, variant, name):
        own = peak(peer, variant, name)
        return "–" if own is None else f"{own / 1e3:.1f}"

    for name in SETS:
        if store.of("time", "mmo", "plain", name):
            ours, theirs = peak("mmo", "plain", name), peak("napkinxc", "BR", name)
            if theirs is not None and ours > theirs:
                missed.append(_what_the_weights_take(name, ours / 1e3, theirs / 1e3))
            rows.append(
                [
                    name,
                    megabytes("mmo", "plain", name),
                    megabytes("napkinxc", "BR", name),
                    megabytes("liblinear", "-s 0", name),
                    megabytes("scikit-learn", "LogisticRegression", name),
                    megabytes("libmultilabel", "1vsrest", name),
                    megabytes("mmo", "micro-f1 standard", name),
                ]
            )
    return (
        "## Peak memory\n\n"
        "MB above the process before it loads the data (interpreter and imports not counted against the peers), "
        "highest of the repeats, data included. Bar: plain mmo ≤ napkinXC BR. mmo keeps all weights and the vectors of "
        "the columns that it solves together: "
        f"{PLAIN_COLUMNS} in this plain fit of sparse sets, 32 on dense ones. "
        "napkinXC has one column in memory and writes its weights to disk.\n\n"
        + table(
            [
                "set",
                "mmo plain",
                "napkinXC BR",
                "LIBLINEAR `-s 0`",
                "scikit-learn",
                "LibMultiLabel",
                "mmo, whole search",
            ],
            rows,
        )
        + "".join(missed)
    )


def section(store, limits=(None, None)):
    parts = (plain_fit, functools.partial(search, limits=limits), threads, loading, predicting, memory)
    return "\n".join(text for part in parts if (text := part(store)))
