#!/usr/bin/env bash
# Installs what the Makefile's targets need on Debian or Ubuntu, and nothing that is already there.
#   tools/setup.sh build   compiler, CMake and libraries
#   tools/setup.sh test    GoogleTest, Google Benchmark, Python and a virtual environment (build/venv) with the test oracles
#   tools/setup.sh python  Python's headers and an environment (build/venv-python) with what its package is tested with
#   tools/setup.sh deep    libjpeg, Open MPI and an environment (build/venv-deep) with libtorch and what networks are compared with
#   tools/setup.sh cluster Open MPI, a Java for Spark and an environment (build/venv-cluster) with Dask, Spark and Ray
#   tools/setup.sh bench   Google Benchmark, valgrind, Python (the peers' own environment: benchmarks/peers/install.py)
#   tools/setup.sh species R with ade4, for nine real data sets
#   tools/setup.sh web     Node.js with npm, for the report's page (the page's own packages: web/build.sh)
#   tools/setup.sh browser Chromium, which tests that page
#   tools/setup.sh docs    Python and an environment (build/venv-docs) with what makes the documentation a site
#   tools/setup.sh fuzz    clang 19 with its sanitizers, fuzzer and coverage tools
#   tools/setup.sh deb     what reads a Debian package's dependencies from its program
#   tools/setup.sh lint    clang-format and clang-tidy 19, where the distribution has them
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(g++ cmake ninja-build make pkg-config ccache libeigen3-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libpugixml-dev zlib1g-dev libzstd-dev libutf8proc-dev libfast-float-dev)
test_packages=(libgtest-dev libbenchmark-dev zstd python3 python3-venv python3-pip)
bench_packages=(libbenchmark-dev valgrind python3 python3-venv python3-pip)
python_packages=(python3-dev python3-venv python3-pip)
docs_packages=(python3 python3-venv python3-pip)
deep_packages=(libjpeg-dev libopenmpi-dev openmpi-bin python3 python3-venv python3-pip)
cluster_packages=(libopenmpi-dev openmpi-bin default-jre-headless python3-dev python3-venv python3-pip)
species_packages=(r-base-core r-cran-ade4 python3)
fuzz_packages=(clang-19 libclang-rt-19-dev libomp-19-dev llvm-19 libjpeg-dev python3)
lint_packages=(clang-format-19 clang-tidy-19 python3)
cmake_minimum=3.25

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo > /dev/null; then sudo "$@"
  else fail "installing packages needs root: run as root, install sudo, or install them yourself: apt-get install ${missing[*]}"
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }

updated=no
update_lists() {
  [ "$updated" = no ] || return 0
  say "refreshing the package lists"
  as_root apt-get update -qq
  updated=yes
}

# install_missing required|optional PACKAGE...
install_missing() {
  local need=$1 package
  shift
  missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ "${#missing[@]}" -gt 0 ] || return 0
  command -v apt-get > /dev/null ||
    fail "this is not Debian or Ubuntu; install what corresponds to: ${missing[*]}"
  update_lists
  if [ "$need" = optional ]; then
    local available=()
    for package in "${missing[@]}"; do
      if apt-cache show "$package" > /dev/null 2>&1; then available+=("$package")
      else say "$package is not in this distribution: its checks are skipped"; fi
    done
    missing=("${available[@]}")
    [ "${#missing[@]}" -gt 0 ] || return 0
  fi
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
}

check_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  [ "$(printf '%s\n' "$cmake_minimum" "$version" | sort -V | head -n 1)" = "$cmake_minimum" ] ||
    fail "CMake $cmake_minimum or newer is needed and this distribution has $version: use Debian 12, Ubuntu 24.04 or newer, or put a newer cmake first in PATH (pip install cmake)"
}

# python_environment FOLDER REQUIREMENTS
python_environment() {
  local venv=$1 requirements=$2
  cmp -s "$requirements" "$venv/installed.txt" && return 0
  say "installing into $venv: $(grep -v '^#' "$requirements" | tr '\n' ' ')"
  mkdir -p build
  python3 -m venv "$(realpath -m "$venv")"  # it refuses to make one behind a link
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" ||
    fail "pip could not install the packages of $requirements: check the network or your pip settings"
  cp "$requirements" "$venv/installed.txt"
}

for part in "$@"; do
  case $part in
    build) install_missing required "${build_packages[@]}" && check_cmake ;;
    test) install_missing required "${test_packages[@]}" && python_environment build/venv tools/requirements-test.txt ;;
    python)
      install_missing required "${python_packages[@]}"
      python_environment build/venv-python python/requirements-test.txt
      ;;
    deep)
      install_missing required "${deep_packages[@]}"
      python_environment build/venv-deep deep/requirements.txt
      ;;
    docs)
      install_missing required "${docs_packages[@]}"
      python_environment build/venv-docs docs/site/requirements.txt
      ;;
    cluster)
      install_missing required "${cluster_packages[@]}"
      python_environment build/venv-cluster python/requirements-cluster.txt
      ;;
    bench) install_missing required "${bench_packages[@]}" ;;
    species) install_missing required "${species_packages[@]}" ;;
    web) command -v npm > /dev/null || install_missing optional nodejs npm || say "no Node.js: no report page" ;;
    browser) command -v chromium > /dev/null || install_missing optional chromium || say "no Chromium: the page is not tested" ;;
    fuzz) install_missing required "${fuzz_packages[@]}" ;;
    deb) install_missing required dpkg-dev file ;;
    lint) install_missing optional "${lint_packages[@]}" ;;
    *) fail "unknown part '$part': build, test, python, deep, docs, cluster, bench, species, web, browser, fuzz, deb or lint" ;;
  esac
done
