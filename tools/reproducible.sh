#!/usr/bin/env bash
# Builds HEAD twice, in folders of different names and depths and without a compiler cache, and compares the bytes.
#   tools/reproducible.sh [TARGET...]   default: mmo_cli (program and library: twice a cold build)
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$#" -gt 0 ] || set -- mmo_cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build SOURCE TARGET...: into SOURCE/build
build() {
  local source=$1
  shift
  mkdir -p "$source"
  git archive HEAD | tar -x -C "$source"
  CCACHE_DISABLE=1 cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMMO_TESTS=OFF \
    -DMMO_WEB=OFF > /dev/null
  CCACHE_DISABLE=1 cmake --build "$source/build" -j "$(nproc)" --target "$@" > "$work/log" || { cat "$work/log" >&2; exit 1; }
}

built() { (cd "$1/build" && find . -type f \( -name mmo -o -name '*.a' -o -name '*.o' \) | sort | xargs sha256sum); }

build "$work/one" "$@"
build "$work/another/place/of/two" "$@"
built "$work/one" > "$work/one.txt"
built "$work/another/place/of/two" > "$work/two.txt"
[ -s "$work/one.txt" ] || { echo "reproducible: nothing was built" >&2; exit 1; }
if ! diff "$work/one.txt" "$work/two.txt" >&2; then
  echo "reproducible: these files differ between two builds" >&2
  exit 1
fi
echo "reproducible: $(wc -l < "$work/one.txt") files, the same bytes in both builds"
