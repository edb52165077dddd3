#!/usr/bin/env bash
# Takes the screenshots of README.md: pages of the console with the demo store of a fixed day, in docs/pictures.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
install_browser
demo_options=(--today 2026-11-18 --days 730 --orders 60000)
start_demo
email=$(node -p "require('$work/data/demo.json').email")
password=$(node -p "require('$work/data/demo.json').password")
base=${rpc%/api/mcp/rpc}
export email password base

(cd $clients && "$node" screenshots.mjs ../../docs/pictures)
