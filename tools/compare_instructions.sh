#!/usr/bin/env bash
# Compares two builds of mmo by the instructions they execute on small fixed workloads: a slow-down shows however busy the
# machine is. Counted by valgrind's callgrind, one thread, so the numbers repeat to within a tenth of a percent.
#   tools/compare_instructions.sh OLD_MMO NEW_MMO [PERCENT]
# Exit code 1 when NEW executes more than PERCENT (default 2) more instructions on any workload.
set -euo pipefail
[ "$#" -ge 2 ] || { sed -n '2,5p' "$0" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2") limit=${3:-2}
command -v valgrind > /dev/null || { echo "valgrind is missing: tools/setup.sh bench" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Two small data sets, dense and sparse, the same bytes for both builds.
python3 - "$scratch" << 'DATA'
import random, sys
random.seed(1)
folder = sys.argv[1]
with open(f"{folder}/dense.csv", "w") as out:
    out.write(",".join([f"x{k}" for k in range(30)] + [f"y{j}" for j in range(6)]) + "\n")
    for _ in range(300):
        x = [random.gauss(0, 1) for _ in range(30)]
        y = [int(x[j] + x[j + 6] + random.gauss(0, 1) > 0.8) for j in range(6)]
        out.write(",".join([f"{v:.5f}" for v in x] + [str(v) for v in y]) + "\n")
with open(f"{folder}/sparse.svm", "w") as out:
    for _ in range(300):
        labels = sorted({min(int(random.expovariate(0.5)), 7) for _ in range(random.randint(1, 3))})
        words = {min(int(random.expovariate(0.02)) + 1, 400) for _ in range(15)} | {300 + 10 * j for j in labels}
        out.write(",".join(map(str, labels)) + " " + " ".join(f"{k}:{random.random():.4f}" for k in sorted(words)) + "\n")
DATA

workloads=(
  "dense br|train $scratch/dense.csv --labels last:6 --metric micro-f1 --method br --model $scratch/m.mmo"
  "dense auto|train $scratch/dense.csv --labels last:6 --metric micro-f1 --model $scratch/m.mmo"
  "sparse br|train $scratch/sparse.svm --metric macro-f1 --method br --model $scratch/s.mmo"
  "sparse auto|train $scratch/sparse.svm --metric macro-f1 --model $scratch/s.mmo"
  "sparse predict|predict $scratch/s.mmo $scratch/sparse.svm --as svmlight --out $scratch/p.svm"
  "convert|convert $scratch/sparse.svm $scratch/c.npz"
)

# count PROGRAM ARGUMENTS...: executed instructions
count() {
  local program=$1
  shift
  if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" --threads 1 --force --quiet \
    > /dev/null 2> "$scratch/log"; then
    cat "$scratch/log" >&2
    return 1
  fi
  sed -n 's/.*Collected : *//p' "$scratch/log"
}

status=0
printf '%-16s %15s %15s %9s\n' workload old new change
for workload in "${workloads[@]}"; do
  name=${workload%%|*}
  read -ra arguments <<< "${workload#*|}"
  before=$(count "$old" "${arguments[@]}")
  after=$(count "$new" "${arguments[@]}")
  change=$(awk -v a="$before" -v b="$after" 'BEGIN { printf "%+.2f", 100 * (b / a - 1) }')
  printf '%-16s %15d %15d %8s%%\n' "$name" "$before" "$after" "$change"
  awk -v c="$change" -v l="$limit" 'BEGIN { exit !(c > l) }' && status=1
done
[ "$status" = 0 ] || echo "more than $limit % more instructions" >&2
exit "$status"
