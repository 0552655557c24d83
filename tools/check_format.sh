#!/usr/bin/env bash
# Fails when one of the given sources is not in the house style (.clang-format); `make format` repairs it.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v clang-format-19 > /dev/null; then
  echo "format: clang-format-19 is not installed; skipped" >&2
  exit 0
fi
clang-format-19 --dry-run --Werror "$@" || { echo "format: run make format" >&2; exit 1; }
echo "format: $# files in the house style"
