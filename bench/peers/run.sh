#!/usr/bin/env bash
# Compares Assay's methods with the open-source systems that analysts use, on the same data in turn, and prints Markdown tables of
# medians, ranges and ratios. docs/benchmarks.md has the results and the differences between the sides.
#
#   ROUNDS   seeds of each comparison (default 5, recovery 20; 1 when quick)
#   QUICK=1  fewer series, budgets and draws
#   PARTS    which comparisons: budgets regions forecasts mixes, the default, and meridian holdouts recovery
#   CACHE    where the peers are installed, about 2 GB, 5 GB with meridian (default: assay-peers under TMPDIR)
#   RUNS     folder of finished runs (default: runs under CACHE). An interrupted comparison is resumed; without the folder
#            everything is measured again
#   STORES   the repository of recovery's generator (default: PyMC Labs' on GitHub)
#   KEPT=1   print tables of finished runs only
#   ASSAY    another binary than bin/assay
#   PYTHON   names of interpreters to try (default: python3.13 python3.12 python3)
#
# The peers come from PyPI, in the versions of bench/peers/requirements; R's forecast is measured where Rscript has it.
set -euo pipefail
cd "$(dirname "$0")/../.."

ASSAY=${ASSAY:-bin/assay}
CACHE=${CACHE:-${TMPDIR:-/tmp}/assay-peers}
PARTS=${PARTS:-budgets regions forecasts mixes}
data=../shared/data

[ -x "$ASSAY" ] || { echo "$ASSAY is missing: make build" >&2; exit 1; }
[ -d "$data" ] || { echo "$data is missing: the published data sets are next to the project" >&2; exit 1; }
python=
for name in ${PYTHON:-python3.13 python3.12 python3}; do # a version manager's stand-in may be there and not run
  if "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    python=$name
    break
  fi
done
[ -n "$python" ] || { echo "Python 3.12 or later with venv is missing; PYTHON names one" >&2; exit 1; }

# An environment is created again when its list has changed.
environment() {
  local name=$1 list=bench/peers/requirements/$1.txt
  cmp -s "$list" "$CACHE/$name/installed.txt" && return
  rm -rf "${CACHE:?}/$name"
  "$python" -m venv "$CACHE/$name"
  "$CACHE/$name/bin/pip" install --quiet --disable-pip-version-check --requirement "$list"
  cp "$list" "$CACHE/$name/installed.txt"
}
# The generator at the commit with which its stores were published. Only its package is copied; the rest is notebooks.
stores() {
  local commit=8a8468f folder=$CACHE/mmm-param-recovery
  [ -d "$folder/mmm_param_recovery" ] && return
  rm -rf "$folder"
  git clone --quiet --no-checkout "${STORES:-https://github.com/pymc-labs/mmm-param-recovery}" "$folder"
  git -C "$folder" checkout --quiet "$commit" -- mmm_param_recovery
}
mkdir -p "$CACHE"
for part in $PARTS; do
  case $part in
    budgets | forecasts) environment forecast ;;
    regions) environment causal; environment causalpy; environment mlsynth ;;
    mixes | holdouts) environment mmm ;;
    recovery) environment mmm; stores ;;
    meridian) environment mmm; environment meridian ;;
    *) echo "there is no part $part (want budgets, regions, forecasts, mixes, meridian, holdouts, recovery)" >&2; exit 1 ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in $PARTS; do
  case $part in
    budgets) go build -o "$work/budgets" ./bench/peers/budgets ;;
    regions) go build -o "$work/impact" ./bench/peers/impact ;;
    forecasts) go test -c -o "$work/forecast.test" ./internal/measure/forecast ;;
  esac
done

echo "$(date -u +%F), $(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), Linux $(uname -r), $(go version | cut -d' ' -f3)"
# One thread for each chain or model, because threads of linear algebra libraries would compete with them.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=agg
# shellcheck disable=SC2086 # parts are words
"$python" bench/peers/compare.py --assay "$ASSAY" --data "$data" --cache "$CACHE" --work "$work" \
  --runs "${RUNS:-$CACHE/runs}" --rounds "${ROUNDS:-0}" ${KEPT:+--kept} ${QUICK:+--quick} $PARTS
