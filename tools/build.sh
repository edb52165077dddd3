#!/bin/sh
# Builds bin/assay and shows the progress: build.sh GO LDFLAGS
set -eu
go=$1 flags=$2
total=$($go list -deps ./cmd/assay | wc -l)
echo "building bin/assay: a few minutes the first time, seconds later" >&2
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT
# go build -v prints each package that it compiles.
{ $go build -v -ldflags "$flags" -o bin/assay ./cmd/assay 2>&1 || echo failed >"$failed"; } | awk -v total="$total" '
	/^[^ #]+$/ && !/:/ { done++; if (done % 20 == 0) printf "  %d of %d packages\n", done, total > "/dev/stderr"; next }
	{ print > "/dev/stderr" }'
[ ! -s "$failed" ]
