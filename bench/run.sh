#!/usr/bin/env bash
# Compares Assay with its peers and prints tables of medians, ranges and ratios. ORDERS sets the size of the store
# (default 10,000,000, which takes about 4 GB under TMPDIR). TOOLS_ORDERS sets the size of the store with touchpoints,
# lines and surveys (default 1,000,000; the import takes four minutes of CPU and 6 GB). ASSAY names another binary than
# bin/assay.
set -euo pipefail
cd "$(dirname "$0")/.."

ASSAY=${ASSAY:-bin/assay}
ORDERS=${ORDERS:-10000000}
TOOLS_ORDERS=${TOOLS_ORDERS:-1000000}
clients=test/clients
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

[ -x "$ASSAY" ] || { echo "$ASSAY is missing: make build" >&2; exit 1; }
if [ ! -d $clients/node_modules/@modelcontextprotocol/sdk ]; then
  command -v npm >/dev/null || { echo "npm is missing (Debian: apt-get install nodejs npm)" >&2; exit 1; }
  (cd $clients && INSPECTOR_SKIP_CLIENT_INSTALL=1 npm ci --no-audit --no-fund --loglevel=error)
fi
# The TypeScript SDK needs Node 22. If the machine's Node is older, the Node that npm installs is used.
node=node
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 22 ]; then
  node=$clients/node_modules/.bin/node
fi

mkdir "$TMPDIR/bin"
go build -o "$TMPDIR/bin/" ./bench/signin ./bench/start ./bench/store ./bench/tools ./bench/wire

sdk=$("$node" -p "require('./$clients/node_modules/@modelcontextprotocol/sdk/package.json').version")
echo "$(date -u +%F), $(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(awk '/^MemTotal/ {printf "%d GB", $2 / 1e6}' /proc/meminfo), Linux $(uname -r)"
echo "$(go version), DuckDB driver $(go list -m -f '{{.Version}}' github.com/duckdb/duckdb-go/v2), ts-sdk $sdk on Node $("$node" --version), load $(cut -d' ' -f1 /proc/loadavg)"

"$TMPDIR/bin/start" --assay "$ASSAY"
"$TMPDIR/bin/wire" run --assay "$ASSAY" --ts $clients --node "$node"
"$TMPDIR/bin/signin" --assay "$ASSAY"
go test -run '^$' -bench 'AuthenticateARememberedKey|Verify' ./internal/auth ./internal/oauth | grep ^Benchmark
"$TMPDIR/bin/store" run --assay "$ASSAY" --orders "$ORDERS"
"$TMPDIR/bin/tools" --orders "$TOOLS_ORDERS"
echo
echo "load at the end $(cut -d' ' -f1 /proc/loadavg)"
