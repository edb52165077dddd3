#!/usr/bin/env bash
# Runs every fuzz target of the project for the given time each (default 10s), all of them whatever one finds, and fails
# at the end when any failed. What was found lies under the package's testdata/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
failed=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Go's fuzzing may take the end of the time for a failure that no input has caused (golang/go#75804): such a run is repeated.
fuzz() {
  local turn
  for turn in 1 2 3; do
    go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" "$1" | tee "$log" && return
    if grep -q 'Failing input written' "$log" || ! grep -qx '    context deadline exceeded' "$log"; then
      return 1
    fi
    echo "no input failed in turn $turn"
  done
  return 1
}

for package in $(go list ./...); do
  listed=$(go test -list '^Fuzz' "$package") # a package that does not compile ends the run here
  for target in $(grep '^Fuzz' <<<"$listed" || true); do
    echo "== $package $target"
    fuzz "$package" "$target" || failed+=("$package $target")
  done
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
