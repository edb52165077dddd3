#!/usr/bin/env bash
# Tests the service with both official TypeScript SDK clients, the Go SDK client and the Inspector CLI.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
start_demo

calls=$work/calls.json
(cd $clients && "$node" sdk.mjs v1 && calls=$calls "$node" sdk.mjs v2)

ASSAY_TEST_RPC=$rpc ASSAY_TEST_KEY=$key ASSAY_TEST_CALLS=$calls go test -count=1 -run 'TestOfficialGoClient$' ./test/clients/

inspect() {
  HOME=$work CI=1 NO_COLOR=1 "$node" "$clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" \
    --cli "$rpc" --transport http --header "Authorization: Bearer $key" "$@" --format json -q
}
listed=$(inspect --method tools/list --strict | grep -o '"inputSchema"' | wc -l)
[ "$listed" -eq 29 ] || { echo "Inspector lists $listed tools, want 29" >&2; exit 1; }
while IFS=$'\t' read -r tool arguments; do
  inspect --method tools/call --tool-name "$tool" --tool-args-json "$arguments" >"$work/answer"
  grep -q '"content"' "$work/answer" || { echo "Inspector: $tool gives $(head -c 300 "$work/answer")" >&2; exit 1; }
done < <(node -p "Object.entries(require('$calls')).map(([t, a]) => t + '\t' + JSON.stringify(a)).join('\n')")
status=0
inspect --method tools/call --tool-name campaigns --tool-args-json '{"limit":101}' >/dev/null 2>&1 || status=$?
[ "$status" -eq 5 ] || { echo "Inspector: a wrong value gives exit status $status, want 5" >&2; exit 1; }
inspect --method tools/call --tool-name chart --tool-args-json '{"metric":"revenue"}' --app-info --advertise-apps >"$work/app"
grep -q 'ui://assay/chart.html' "$work/app" || { echo "Inspector: the view of chart gives $(head -c 300 "$work/app")" >&2; exit 1; }
if inspect --method tools/call --tool-name chart --tool-args-json '{"metric":"revenue"}' --app-info >"$work/app" 2>&1; then
  echo "Inspector: chart has a view for a client that shows none" >&2
  exit 1
fi
echo "Inspector: 29 tools listed under --strict, each built tool called, a wrong value refused"

# Imports a published export and compares its monthly totals with the published ones, to the penny.
orders=../shared/data/commerce/derived_shopify_format/orders_export_2011-03_2011-05.csv.gz
if [ ! -f "$orders" ]; then
  echo "published months: skipped, $orders is not there"
  exit 0
fi
quietly() { "$@" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }; }
export ASSAY_DATA=$work/reference ASSAY_ADDR=127.0.0.1:$(free_port)
quietly bin/assay workspace create Reference --currency GBP --timezone Europe/London >/dev/null
bin/assay import "$orders" --workspace reference >/dev/null
bin/assay import "$orders" --workspace reference | grep -q 'already imported.*nothing changed'
ASSAY_TEST_KEY=$(quietly bin/assay keys create --workspace reference --name suite)
stop_server
bin/assay serve >"$work/reference.log" 2>&1 &
server=$!
wait_for http://$ASSAY_ADDR/readyz
ASSAY_TEST_RPC=http://$ASSAY_ADDR/api/mcp/rpc ASSAY_TEST_KEY=$ASSAY_TEST_KEY \
  go test -count=1 -v -run TestOfficialGoClientReadsPublishedMonths ./test/clients/ | grep -v '^=== '
