#!/usr/bin/env bash
# Takes screenshots of every page at two widths, light and dark, and of every kind of chart, checks each page with axe-core, and
# uses each page with the keyboard only.
# Screenshots are saved in the folder PICTURES (default: a temporary folder).
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
install_browser
# The date is fixed because on some dates the small regions of this store have too few orders for a geo experiment.
demo_options=(--today 2026-11-24)
start_demo
email=$(node -p "require('$work/data/demo.json').email")
password=$(node -p "require('$work/data/demo.json').password")
bin/assay workspace create "Without data" --data "$work/data"
bin/assay user create "$email" --workspace without-data --data "$work/data" >/dev/null
pictures=$(realpath -m "${PICTURES:-$work/pictures}")
export email password
mkdir -p "$pictures/charts"
ASSAY_PICTURES="$pictures/charts" ${GO:-go} test -count=1 -run TestEveryFormIsDrawnForEveryGround ./internal/chart

(cd $clients && "$node" pages.mjs "$pictures" && "$node" keyboard.mjs)
