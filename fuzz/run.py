#!/usr/bin/env python3
"""Fuzzes every target and prints what was run, what was reached and what broke.

    fuzz/run.py BUILD MMO [TARGET ...] [--seconds N]

BUILD/mmo_fuzzer's corpora grow in BUILD/corpus, inputs that break a target are kept in BUILD/crashes. Seeds are
written anew by the program MMO; tests/fuzz/corpus holds what broke a target once.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGRESSIONS = ROOT / "tests/fuzz/corpus"
LONGEST_INPUT = 1_000_000
LONGEST_SECONDS = 20  # of one input: a hang
LARGEST_REQUEST_MB = 256
LARGEST_PROCESS_MB = 2048


class Fuzzer:
    def __init__(self, build):
        self.program = build / "fuzz/mmo_fuzzer"
        self.work = build / "work"
        listed = subprocess.run([self.program], capture_output=True, text=True, check=True).stdout
        self.sources = {line.split()[0]: line.split()[1:] for line in listed.splitlines()}

    def folder(self, kind, target):
        folder = self.work / kind / target
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def execute(self, target, flags, profile=os.devnull):
        """libFuzzer's log, with all that is known of the target as its corpus."""
        seeds = [self.work / "seeds" / target, REGRESSIONS / target]
        command = [
            self.program,
            *flags,
            f"-max_len={LONGEST_INPUT}",
            f"-timeout={LONGEST_SECONDS}",
            f"-malloc_limit_mb={LARGEST_REQUEST_MB}",
            f"-rss_limit_mb={LARGEST_PROCESS_MB}",
            f"-artifact_prefix={self.folder('crashes', target)}/",
            self.folder("corpus", target),
            *(seed for seed in seeds if seed.is_dir()),
        ]
        environment = os.environ | {
            "MMO_FUZZ_TARGET": target,
            "LLVM_PROFILE_FILE": str(profile),
            "OMP_NUM_THREADS": "1",
        }
        return subprocess.run(command, env=environment, capture_output=True, check=False).stderr.decode(
            errors="replace"
        )

    def lines_reached(self, target):
        """Share of the lines of the target's sources, in per cent."""
        raw, merged = self.work / f"{target}.profraw", self.work / f"{target}.profdata"
        self.execute(target, ["-runs=0"], raw)
        if not raw.exists():
            return None
        subprocess.run(["llvm-profdata-19", "merge", "-sparse", raw, "-o", merged], check=True)
        raw.unlink()
        command = [
            "llvm-cov-19",
            "export",
            self.program,
            f"-instr-profile={merged}",
            "-summary-only",
            "-sources",
            *(ROOT / source for source in self.sources[target]),
        ]
        lines = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["data"][0]["totals"][
            "lines"
        ]
        return lines["percent"]

    def attack(self, target, seconds):
        log = self.execute(target, [f"-max_total_time={seconds}", "-print_final_stats=1"])
        number = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log) or re.findall(
            r"^#(\d+)\s", log, re.MULTILINE
        )
        edges = re.findall(r"cov: (\d+)", log)
        return {
            "executions": int(number[-1]) if number else 0,
            "edges": int(edges[-1]) if edges else 0,
            "corpus": len(list(self.folder("corpus", target).iterdir())),
            "lines": self.lines_reached(target),
            "crashes": len(list(self.folder("crashes", target).iterdir())),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("mmo", type=pathlib.Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=30, help="for each target")
    options = parser.parse_args()
    fuzzer = Fuzzer(options.build.resolve())
    unknown = set(options.targets) - set(fuzzer.sources)
    if unknown:
        sys.exit(f"fuzz: no target {', '.join(sorted(unknown))}; there are {', '.join(fuzzer.sources)}")
    subprocess.run([sys.executable, ROOT / "fuzz/seeds.py", options.mmo.resolve(), fuzzer.work / "seeds"], check=True)
    print(
        "| target | executions | edges | corpus | lines of its sources | crashes |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    )
    crashes = 0
    for target in options.targets or fuzzer.sources:
        row = fuzzer.attack(target, options.seconds)
        lines = "–" if row["lines"] is None else f"{row['lines']:.1f} %"
        print(
            f"| {target} | {row['executions']} | {row['edges']} | {row['corpus']} | {lines} | {row['crashes']} |",
            flush=True,
        )
        crashes += row["crashes"]
    if crashes:
        sys.exit(f"fuzz: {crashes} inputs break a reader: see {fuzzer.work / 'crashes'}")


if __name__ == "__main__":
    main()
