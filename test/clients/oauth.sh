#!/usr/bin/env bash
# Connects official OAuth clients to a demo store, with consent in a real browser: both TypeScript SDKs, the Go SDK and
# golang.org/x/oauth2. Then checks that no secret is in the service's log.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
install_browser
ASSAY_LOG_LEVEL=debug start_demo
email=$(node -p "require('$work/data/demo.json').email")
password=$(node -p "require('$work/data/demo.json').password")
secrets=$work/secrets
: >"$secrets"
export email password secrets

(cd $clients && "$node" oauth.mjs v1 && "$node" oauth.mjs v2)
ASSAY_TEST_RPC=$rpc ASSAY_TEST_BROWSER=$node go test -count=1 -v -run 'SignsIn$' ./test/clients/ | grep -v '^=== '

count=$(sort -u "$secrets" | grep -c .)
[ "$count" -ge 20 ] || { echo "only $count secrets were noted" >&2; exit 1; }
if sort -u "$secrets" | grep . | grep -Fq -f - "$work/demo.log"; then
  echo "the log holds a code, a token or a verifier" >&2
  exit 1
fi
echo "None of $count codes, tokens and verifiers is in the service's log of $(wc -l <"$work/demo.log") lines"
