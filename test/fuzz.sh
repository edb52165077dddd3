#!/usr/bin/env bash
# Runs every fuzz target of the project for the given time each (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
for package in $(go list ./...); do
  for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
  done
done
