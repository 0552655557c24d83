#!/bin/sh
# Builds the report's page: web/build.sh BUILD_FOLDER writes report.html and report_template.cpp there. Where npm
# cannot fetch what it takes, the page is the empty one and the build goes on.
set -u
web=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$build" || exit 1
if ! cmp -s "$web/package-lock.json" installed-lock.json; then
  cp "$web/package.json" "$web/package-lock.json" .
  if npm ci --omit=dev --no-audit --no-fund --loglevel=error > npm.log 2>&1; then
    cp package-lock.json installed-lock.json
  else
    echo "web: npm could not install esbuild (see $build/npm.log): this build has no report page" >&2
    cp "$web/no_page.cpp" report_template.cpp
    exit 0
  fi
fi
exec node "$web/build.mjs" "$build"
