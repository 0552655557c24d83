#!/usr/bin/env bash
# Packs a build (make build) as a Debian package and tries it in an empty root: installed, used, linked with, removed.
#   tools/deb.sh [FOLDER]   default: dist
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-dist}")
say() { echo "deb: $*" >&2; }
command -v dpkg-shlibdeps > /dev/null || { say "dpkg-shlibdeps is missing: apt-get install dpkg-dev"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/packed" "$work/root/var/lib/dpkg/updates" "$work/root/var/lib/dpkg/info"
: > "$work/root/var/lib/dpkg/status"
cpack --config build/CPackConfig.cmake -B "$work/packed" > "$work/log" || { cat "$work/log" >&2; exit 1; }
package=$(ls "$work"/packed/*.deb)

# The packages that ours depends on are not in the empty root, nor is it the machine's own: dpkg is told so.
dpkg_there() { dpkg --root="$work/root" --log="$work/dpkg.log" --force-not-root --force-depends "$@" >> "$work/log" 2>&1; }
dpkg_there --install "$package" || { cat "$work/log" >&2; exit 1; }
"$work/root/usr/bin/mmo" --version
readelf --wide --sections "$work/root/usr/bin/mmo" | grep -q ' \.symtab ' && { say "the program is not stripped"; exit 1; }
bash -n "$work/root/usr/share/bash-completion/completions/mmo"
cmake -S tests/consumer -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/root/usr" -DLINES="$PWD/tests/consumer/main.cpp" > "$work/log"
cmake --build "$work/consumer" --target consumer >> "$work/log" || { cat "$work/log" >&2; exit 1; }
printf "0,2 1:0.5 3:1\n1 2:1\n" > "$work/data.svm"
[ "$("$work/consumer/consumer" "$work/data.svm")" = 1.000 ] || { say "a program linked with the library is wrong"; exit 1; }
dpkg_there --remove mmo || { cat "$work/log" >&2; exit 1; }
left=$(find "$work/root/usr" ! -type d 2> /dev/null || true)
[ -z "$left" ] || { say "removing it leaves $left"; exit 1; }

cp "$package" "$out/"
say "$(basename "$package"), $(stat -c %s "$package") bytes: installed, used, linked with, removed"
dpkg-deb --field "$package" Depends
