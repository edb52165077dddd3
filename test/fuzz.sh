#!/usr/bin/env bash
# Runs every fuzz target of the project for the given time each (default 10s), all of them whatever one finds, and fails
# at the end when any failed. What was found lies under the package's testdata/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
failed=()
for package in $(go list ./...); do
  listed=$(go test -list '^Fuzz' "$package") # a package that does not compile ends the run here
  for target in $(grep '^Fuzz' <<<"$listed" || true); do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" || failed+=("$package $target")
  done
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
