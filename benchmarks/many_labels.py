"""Many labels: mmo beside napkinXC on sets of tens of thousands of labels, all on one core.

    many_labels.py shapes NAME FOLDER    writes a generated set, train.npz and test.npz (label_shapes.py has the law)
    many_labels.py run --mmo build/mmo --out docs/benchmarks_many_labels.md FOLDER...

A set is a folder with train and test as .npz or XMC .txt (package_dependencies.py writes a real one). Peers run where
napkinxc can be imported (many_labels_peer.py); the report has what each method took and reached, and mmo's ratios.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from label_shapes import SHAPES, write_shape

EFFORTS = ("quick", "standard")
METRICS = ("micro-f1", "macro-f1")
LIMIT = 3600  # seconds for one fit


def measured(command):
    """Processor seconds, peak memory in bytes and output of a command; None if it fails or takes too long."""
    child = subprocess.Popen(["prlimit", f"--cpu={LIMIT}", *command], stdout=subprocess.PIPE, text=True)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return None if child.returncode else (usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out)


def part(folder, name):
    return str(next(path for path in (folder / f"{name}.npz", folder / f"{name}.txt") if path.exists()))


def run_mmo(mmo, folder, effort, metric):
    with tempfile.TemporaryDirectory() as stored:
        model = str(Path(stored) / "many.mmo")
        common = ["--threads", "1", "--quiet"]
        train = [mmo, "train", part(folder, "train"), "--metric", metric, "--effort", effort, "--model", model]
        trained = measured([*train, *common])
        if trained is None:
            return None
        predicted = measured([mmo, "predict", model, part(folder, "test"), "--out", os.devnull, *common])
        judged = measured([mmo, "evaluate", model, part(folder, "test"), "--at", "1,3,5", "--json", *common])
        size = Path(model).stat().st_size
    if predicted is None or judged is None:
        return None
    values = json.loads(judged[2])
    seen = [label["f1"] for label in values["per_label"] if label["support"] > 0]
    return {
        "fit": trained[0],
        "memory": trained[1],
        "model": size,
        "predict": predicted[0],
        "precision": [at["precision"] for at in values["at"]],
        "micro-f1": values["metrics"]["micro-f1"],
        "macro-f1": sum(seen) / len(seen),
    }


def run_peer(kind, folder):
    done = measured([sys.executable, str(Path(__file__).with_name("many_labels_peer.py")), kind, str(folder)])
    return done and json.loads(done[2])


def methods(options):
    if importlib.util.find_spec("napkinxc"):
        yield from ((f"napkinXC {kind.upper()}", lambda f, k=kind: run_peer(k, f)) for kind in options.peers.split(","))
    for effort in options.efforts.split(","):
        for metric in METRICS:
            name = f"mmo, {effort}, {metric}"
            yield name, lambda f, e=effort, m=metric: run_mmo(options.mmo, f, e, m)


def table_row(name, done, base):
    if done is None:
        return f"| {name} | failed | | | | | | |"
    ratios = ["", "", "", ""]
    keys = ("fit", "memory", "model", "predict")
    if base and name.startswith("mmo"):
        ratios = [f" ({done[key] / base[key]:.2f})" for key in keys]
    units = (f"{done['fit']:.1f} s", f"{done['memory'] / 1e6:.0f} MB", f"{done['model'] / 1e6:.1f} MB")
    cells = [text + ratio for text, ratio in zip((*units, f"{done['predict']:.1f} s"), ratios, strict=True)]
    precision = " / ".join(f"{value:.3f}" for value in done["precision"])
    return f"| {name} | {' | '.join(cells)} | {precision} | {done['micro-f1']:.3f} | {done['macro-f1']:.3f} |"


def report(results, command):
    lines = [
        "# Many labels",
        "",
        f"Written by `{command}`: one thread, one run after the other, processor",
        f"seconds, on {os.cpu_count()} cores whose load was {os.getloadavg()[2]:.0f} with what else the machine did.",
        "Times of napkinXC leave out reading the data, those of mmo are of the whole program, decisions for the metric",
        "included. In parentheses: mmo's share of napkinXC PLT's. F1 of napkinXC is that of the threshold that is best",
        "*on the test rows*; mmo's are those of the rule that training chose. Macro-F1 is the mean over the labels",
        "that the test part has. Sets: `benchmarks/package_dependencies.py`, and generated ones of known shapes,",
        "`benchmarks/label_shapes.py`: these are there for time and memory, their values say nothing of real text.",
    ]
    heading = "| | fit | memory | model | predict | precision@1/3/5 | micro-F1 | macro-F1 |"
    for folder, rows in results.items():
        lines += ["", f"## {folder}", "", heading, "| --- " * 8 + "|"]
        lines += [table_row(name, done, rows.get("napkinXC PLT")) for name, done in rows.items()]
    return "\n".join(lines) + "\n"


def run(options):
    command = "many_labels.py run " + " ".join(folder.name for folder in options.folders)
    results = {}
    for folder in options.folders:
        rows = results[folder.name] = {}
        for name, method in methods(options):
            rows[name] = method(folder)
            print(folder.name, table_row(name, rows[name], rows.get("napkinXC PLT")), flush=True)
            options.out.write_text(report(results, command), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    shapes = commands.add_parser("shapes", help="write a generated set")
    shapes.add_argument("name", choices=SHAPES)
    shapes.add_argument("folder", type=Path)
    running = commands.add_parser("run", help="run peers and mmo, write the report")
    running.add_argument("--mmo", required=True)
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--efforts", default=",".join(EFFORTS))
    running.add_argument("--peers", default="plt")
    running.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "shapes":
        write_shape(options.name, options.folder)
    else:
        run(options)


if __name__ == "__main__":
    main()
