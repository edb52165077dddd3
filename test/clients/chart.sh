#!/usr/bin/env bash
# Tests the interactive view of charts with headless Chromium. Pictures are saved in the folder PICTURES (default: a temporary folder).
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
install_browser
start_demo
first=$(date -u -d '-40 days' +%F)
last=$(date -u +%F)
export first last
pictures=$(realpath -m "${PICTURES:-$work/pictures}")
(cd $clients && "$node" chart.mjs "$pictures")
