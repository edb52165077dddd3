#!/usr/bin/env bash
# Runs both versions of the official conformance suite against a demo store. It exits 0 only when every failure is
# listed in expected-failures.yml and everything listed there still fails.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
start_demo

"$node" test/conformance/proxy.mjs "$rpc" "$key" >"$work/proxy.port" &
proxy=$!
trap 'kill "$proxy" 2>/dev/null || true; stop' EXIT
for _ in $(seq 50); do [ -s "$work/proxy.port" ] && break; sleep 0.1; done
url=http://127.0.0.1:$(cat "$work/proxy.port")/api/mcp/rpc

suite() {
  local package=$1
  shift
  echo "== $package"
  HOME=$work CI=1 NO_COLOR=1 "$node" "$clients/node_modules/$package/dist/index.js" server --url "$url" \
    --expected-failures test/conformance/expected-failures.yml "$@" >"$work/suite.log" 2>&1 \
    || { tail -60 "$work/suite.log"; exit 1; }
  grep -E 'Total:|✓' "$work/suite.log" | tail -20
}
suite @modelcontextprotocol/conformance --requirements 2025-11-25 --timeout 5000
suite conformance-legacy
