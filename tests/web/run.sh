#!/bin/sh
# Tests the report's page in Chromium: tests/web/run.sh BUILD_FOLDER [screenshots FOLDER]. Exits with 77 (skipped) and a reason where there
# is no Node.js, no Chromium, no page or no way to the npm registry.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
skip() { echo "web tests skipped: $*"; exit 77; }

command -v node > /dev/null && command -v npm > /dev/null || skip "Node.js with npm is not installed (make web installs it)"
MMO_CHROMIUM=${MMO_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$MMO_CHROMIUM" ] || skip "chromium is not installed (make test-web installs it)"
[ -f "$build/web/report.html" ] || skip "this build has no report page (make web)"

modules=$build/web-test
mkdir -p "$modules"
if ! cmp -s "$tests/../../web/package-lock.json" "$modules/installed-lock.json"; then
  cp "$tests/../../web/package.json" "$tests/../../web/package-lock.json" "$modules/"
  (cd "$modules" && npm ci --no-audit --no-fund --loglevel=error > npm.log 2>&1) || skip "npm could not install playwright-core (see $modules/npm.log)"
  cp "$modules/package-lock.json" "$modules/installed-lock.json"
fi
export MMO_CHROMIUM MMO_BINARY="$build/mmo" MMO_WEB_MODULES="$modules"
if [ "${2:-}" = screenshots ]; then
  mkdir -p "$3"
  exec node "$tests/screenshots.mjs" "$3"
fi
node "$modules/node_modules/typescript/bin/tsc" -p "$tests/../../web/tsconfig.json" || exit 1
exec node --test "$tests/page.test.mjs"
