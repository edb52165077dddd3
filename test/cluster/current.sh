#!/usr/bin/env bash
# Runs the SQL that the service sends to ClickHouse on a current engine: the library in the npm package chdb. The tests run
# on Debian's server, whose log has the statements; then the engine runs each distinct statement. Needs the package
# clickhouse-server, Go, Node and npm, and 550 MB for the library.
set -euo pipefail
cd "$(dirname "$0")/../.."
export work
work=$(mktemp -d "${TMPDIR:-/tmp}/assay-chdb-XXXXXX")
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" chdb@3.4.0
CLICKHOUSE_LOG=debug test/cluster/up --single bash -euc '
  go test -count=1 -run "NodesSee|DeletedWorkspace|LastBase|EarlierRelease|Move" ./internal/warehouse/clickhouse
  sed -n "s/.*executeQuery: (from [^)]*) //p" "$ASSAY_TEST_CLUSTER_DIR"/s1r1/server.log >"$work/statements"'
# The settings of the driver are not part of a statement.
grep -o 'ettings\(\["\|{"\)[a-z_]*' internal/warehouse/clickhouse/store.go | cut -d'"' -f2 | sort -u >"$work/settings"
cp test/cluster/current.mjs "$work"
node "$work/current.mjs" "$work/statements" "$work/settings"
