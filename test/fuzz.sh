#!/usr/bin/env bash
# Runs every fuzz target of the project for the given time each (default 10s), one per processor. It continues after a failure and
# fails at the end. Failing inputs are in the package's testdata/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
work=$(mktemp -d)
kept=$(go env GOCACHE)/fuzz # interesting inputs of `go test -fuzz`
trap 'rm -rf "$work"' EXIT
export time work kept

# run PACKAGE FOLDER TARGET: one target of a package's test program. Go may report the end of the time as a failure
# without an input (golang/go#75804): such a run is repeated.
run() {
  local package=$1 folder=$2 target=$3 log=$work/$3.log turn
  for turn in 1 2 3; do
    if (cd "$folder" && "$work/${package//\//-}.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" \
      -test.parallel 1 -test.fuzzcachedir "$kept/$package") &>"$log"; then
      printf '== %s %s\n%s\n' "$package" "$target" "$(tail -n 2 "$log")"
      return
    fi
    printf '== %s %s\n%s\n' "$package" "$target" "$(cat "$log")"
    if grep -q 'Failing input written' "$log" || ! grep -qx '    context deadline exceeded' "$log"; then
      break
    fi
    echo "no input failed in turn $turn"
  done
  echo "$package $target" >>"$work/failed"
}
export -f run

while read -r package folder; do
  grep -qs '^func Fuzz' "$folder"/*_test.go || continue
  program=$work/${package//\//-}.test
  # Like `go test -fuzz`, but only the project's packages get the coverage instrumentation: the others are already compiled.
  go test -c -gcflags=assay/...=-d=libfuzzer -o "$program" "$package" # a package that does not compile ends the run here
  (cd "$folder" && "$program" -test.list '^Fuzz') | sed "s|^|$package $folder |" >>"$work/targets"
done < <(go list -f '{{.ImportPath}} {{.Dir}}' ./...)
xargs -r -P "$(nproc)" -L 1 bash -c 'run "$@"' run <"$work/targets"
if [ -s "$work/failed" ]; then
  sed 's/^/failed: /' "$work/failed" >&2
  exit 1
fi
