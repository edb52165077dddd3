#!/bin/sh
# Renders the pictures of this folder to PNG with Chromium, to be looked at: ./look.sh OUTPUT-FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the pictures}
mkdir -p "$out"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
for svg in "$here"/*.svg; do
	size=$(sed -n '1s/.* width="\([0-9]*\)" height="\([0-9]*\)".*/\1,\2/p' "$svg")
	chromium --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update \
		--user-data-dir="$profile" --hide-scrollbars --window-size="$size" --screenshot="$out/$(basename "$svg" .svg).png" \
		"file://$svg" 2>/dev/null
done
