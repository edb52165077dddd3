#!/usr/bin/env bash
# Drives the service with the official TypeScript SDK clients of both lines, the Go SDK client and the Inspector CLI.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
start_demo

(cd $clients && "$node" sdk.mjs v1 && "$node" sdk.mjs v2)

ASSAY_TEST_RPC=$rpc ASSAY_TEST_KEY=$key go test -count=1 -run TestOfficialGoClient ./test/clients/

inspect() {
  HOME=$work CI=1 NO_COLOR=1 "$node" "$clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" \
    --cli "$rpc" --transport http --header "Authorization: Bearer $key" "$@" --format json -q
}
listed=$(inspect --method tools/list --strict | grep -o '"inputSchema"' | wc -l)
[ "$listed" -eq 29 ] || { echo "Inspector lists $listed tools, want 29" >&2; exit 1; }
for tool in performance compare trends campaigns products discover diagnose \
  customers lifecycle surveys email_lifecycle creators omnichannel forecasting; do
  inspect --method tools/call --tool-name "$tool" --tool-arg detail_level=summary >"$work/answer"
  grep -q '"content"' "$work/answer" || { echo "Inspector: $tool gives $(head -c 300 "$work/answer")" >&2; exit 1; }
done
status=0
inspect --method tools/call --tool-name campaigns --tool-args-json '{"limit":101}' >/dev/null 2>&1 || status=$?
[ "$status" -eq 5 ] || { echo "Inspector: a wrong value gives exit status $status, want 5" >&2; exit 1; }
echo "Inspector: 29 tools listed under --strict, the tools without required arguments called, a wrong value refused"
