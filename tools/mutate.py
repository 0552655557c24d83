#!/usr/bin/env python3
"""Does a test fail when the code is wrong? Perturbs one place at a time in a copy of the repository, builds that
folder's tests and expects one to fail.

    tools/mutate.py [NAME ...] [--list]                          the formulas of docs/paper_map.md
    tools/mutate.py --folder stack [--count 20] [--seed 0]       tokens of a folder of src/mmo, drawn at random

--work DIR (default build/mutants) keeps the copy's build, so that a second mutant costs a file and a link.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import mutants

ROOT = Path(__file__).resolve().parent.parent


class Mutant(NamedTuple):
    path: str
    correct: str
    wrong: str
    test: str


MUTANTS = {
    "costs": Mutant(
        "src/mmo/cost/cost.cpp", "{.false_negative = lambda *", "{.false_negative = 0.9 * lambda *", "cost"
    ),
    "gamma": Mutant(
        "src/mmo/cost/bounds.cpp", "if (tau < 1) return log2 +", "if (tau < 1) return 0.9 * log2 +", "cost"
    ),
    "pinsker": Mutant(
        "src/mmo/cost/bounds.cpp", "return std::sqrt(2 * total_scale", "return std::sqrt(0.2 * total_scale", "loss"
    ),
    "slope-by-lambda": Mutant("src/mmo/cost/bounds.cpp", "return 3 * l * log2 +", "return l * log2 +", "loss"),
    "net": Mutant(
        "src/mmo/cost/bounds.cpp", "s.lambda_high - s.lambda_low", "s.lambda_high + s.lambda_low + 1", "cost"
    ),
    "shrinkage": Mutant("src/mmo/cost/counted_lambda.cpp", "memory.shrinkage *", "2 * memory.shrinkage *", "cost"),
    "fading": Mutant("src/mmo/cost/counted_lambda.cpp", ".tp = decay * c.tp", ".tp = c.tp", "cost"),
    "bisection": Mutant(
        "src/mmo/cost/lambda_search.cpp",
        "std::abs(values[k].linearised) > eps_m",
        "std::abs(values[k].linearised) > 3 * eps_m",
        "cost",
    ),
    "coupling": Mutant("src/mmo/loss/surrogate_joint.cpp", "kappa / 2 *", "kappa / 3 *", "loss"),
    "joint-tau": Mutant(
        "src/mmo/loss/surrogate_joint.cpp",
        "double log_p = -static_cast<double>(l - 1)",
        "double log_p = -static_cast<double>(l)",
        "loss",
    ),
    "class-weights": Mutant(
        "src/mmo/metric/class_weights.cpp",
        "part->fn *= weights[j].positive",
        "part->fn *= weights[j].negative",
        "metric",
    ),
    "normal-cdf": Mutant("src/mmo/rule/rank_curves.cpp", "1.061405429F", "1.161405429F", "rule"),
    "pool-share": Mutant(
        "src/mmo/rule/rank_curves.cpp", "std::exp(-0.5 * distance * distance)", "std::exp(-distance * distance)", "rule"
    ),
    "quantiles": Mutant(
        "src/mmo/eval/bootstrap.cpp", "static_cast<double>(sorted.size() - 1);", "static_cast<double>(sorted.size());", "eval"
    ),
    "midpoint": Mutant("src/mmo/calibrate/score_map.cpp", "low + gap / 2", "low + gap / 3", "calibrate"),
    "uphill": Mutant(
        "src/mmo/calibrate/logistic_fit.cpp",
        "step > 1e-3 && !(next.value < at.value)",
        "step > 0.9",
        "calibrate",
    ),
    "remainder": Mutant("src/mmo/split/stratify.cpp", "quota - std::floor(quota)", "std::floor(quota)", "split"),
    "paper-form": Mutant(
        "src/mmo/metric/metric.cpp", "(w.tp - w.fp - w.fn + w.tn) / 4", "(w.tp - w.fp - w.fn + w.tn) / 3", "metric"
    ),
}


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def build(work, folder):
    found = run(["cmake", "--build", str(work / "build"), "--target", f"test_{folder}"])
    return found.returncode == 0, found.stdout[-2000:]


def prepare(work):
    """A copy of what git tracks, configured once."""
    tree = work / "tree"
    tracked = run(["git", "-C", str(ROOT), "ls-files"]).stdout.splitlines()
    for name in tracked:
        source, copy = ROOT / name, tree / name
        if not source.is_file() or (copy.exists() and copy.read_bytes() == source.read_bytes()):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    command = ["cmake", "-S", str(tree), "-B", str(work / "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    found = run([*command, "-DMMO_TESTS=ON"])
    if found.returncode:
        sys.exit(f"mutate: the copy can't be configured:\n{found.stderr[-2000:]}")
    return tree


# A loop that a mutant makes endless is noticed by the clock.
LONGEST_SECONDS = 300


def test_output(work, folder):
    """What the folder's tests print; None when all pass."""
    command = [str(work / "build/tests" / f"test_{folder}"), "--gtest_brief=1"]
    environment = os.environ | {"GTEST_FAIL_FAST": "1"}
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "too slow"
    return None if done.returncode == 0 else done.stdout


def verdict(mutant, tree, work):
    path = tree / mutant.path
    text = path.read_text()
    if mutant.correct not in text:
        return False, "the formula is not there any more: mend MUTANTS"
    path.write_text(text.replace(mutant.correct, mutant.wrong, 1))
    try:
        built, output = build(work, mutant.test)
        if not built:
            return False, f"does not build:\n{output}"
        failed = test_output(work, mutant.test)
        if failed is None:
            return False, f"test_{mutant.test} passes"
        tests = [line.split()[3] for line in failed.splitlines() if line.startswith("[  FAILED  ] ") and "." in line]
        return True, f"noticed by {', '.join(dict.fromkeys(tests)) or 'a crash'}"
    finally:
        path.write_text(text)


def mutate_formulas(names, tree, work):
    survived = 0
    for name in names:
        killed, text = verdict(MUTANTS[name], tree, work)
        print(f"{name}: {text}", flush=True)
        survived += not killed
    if survived:
        sys.exit(f"mutate: {survived} formulas may be wrong without a test noticing")


def mutate_folder(folder, count, seed, tree, work):
    """Draws until `count` mutants were built; what does not build says nothing."""
    target = folder.replace("/", "_")
    sources = {path: path.read_text() for path in (tree / "src/mmo" / folder).glob("*.[ch]*")}
    if not sources:
        sys.exit(f"mutate: src/mmo has no folder {folder}")
    if not build(work, target)[0] or test_output(work, target) is not None:
        sys.exit(f"mutate: test_{target} fails without a mutant")
    tried, survivors = 0, []
    for path, mutant in mutants.draw(sources, seed):
        if tried == count:
            break
        path.write_text(mutants.apply(sources[path], mutant))
        try:
            if not build(work, target)[0]:
                continue
            killed = test_output(work, target) is not None
        finally:
            path.write_text(sources[path])
        tried += 1
        place = f"{path.relative_to(tree)}:{mutant.line}:{mutant.column + 1}: {mutant.correct.strip()} → {mutant.wrong.strip()}"
        print(f"{'killed  ' if killed else 'SURVIVED'} {place}", flush=True)
        if not killed:
            survivors.append(place)
    print(f"{folder}: {tried - len(survivors)} of {tried} mutants killed (seed {seed})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="these formulas only")
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutants")
    parser.add_argument("--list", action="store_true", help="names and formulas")
    parser.add_argument("--folder", help="random tokens of this folder of src/mmo instead")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(MUTANTS))
    if unknown:
        sys.exit(f"mutate: unknown {', '.join(unknown)}; known are {', '.join(MUTANTS)}")
    if options.list:
        for name, mutant in MUTANTS.items():
            print(f"{name}: {mutant.path}: {mutant.correct} -> {mutant.wrong} (test_{mutant.test})")
        return
    tree = prepare(options.work)
    if options.folder:
        mutate_folder(options.folder, options.count, options.seed, tree, options.work)
    else:
        mutate_formulas(options.names or MUTANTS, tree, options.work)


if __name__ == "__main__":
    main()
