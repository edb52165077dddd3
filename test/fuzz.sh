#!/usr/bin/env bash
# Runs every fuzz target of the project for the given time each (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
for package in $(go list ./...); do
  listed=$(go test -list '^Fuzz' "$package") # a package that does not compile ends the run here
  for target in $(grep '^Fuzz' <<<"$listed" || true); do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
  done
done
