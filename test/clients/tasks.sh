#!/usr/bin/env bash
# Does five tasks on a demo store in a browser and prints the clicks and seconds. See docs/design.md.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
install_browser
start_demo
email=$(node -p "require('$work/data/demo.json').email")
password=$(node -p "require('$work/data/demo.json').password")
export email password
(cd $clients && "$node" tasks.mjs)
