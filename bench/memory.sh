#!/usr/bin/env bash
# Fits a table that is larger than the memory allowed: by default 20 million
# rows of 20 DOUBLEs, a matrix of 3.2 GB, in a control group of 2 GiB; and the
# same without a limit. Prints time and peak memory of both, and whether the
# results are the same.
#
#   bench/memory.sh [LIMIT_MIB [ROWSxCOLUMNSxK [FLAGS OF fit …]]]
#
# DIR (default $TMPDIR/sqlcluster-bench) gets the data: 3.5 GB, and as much
# again while it runs. It must not be on a memory file system.
#
# control_group.sh says what a limit is.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=$((${1:-2048} << 20))
design=${2:-20000000x20x10}
[ $# -gt 2 ] && flags=("${@:3}") || flags=(--restarts 1 --max-iter 10)
dir=${DIR:-${TMPDIR:-/tmp}/sqlcluster-bench}
k=${design##*x}
mkdir -p "$dir"
go build -o "$dir/sqlcluster" ./cmd/sqlcluster
[ -e "$dir/$design.duckdb" ] || go run ./bench/generate -dir "$dir" -table-only "$design"

. bench/control_group.sh

# fit LIMIT NAME prints a line of the table.
fit() {
  local status=0 what='no limit'
  [ "$1" = 0 ] || what="$(($1 >> 20)) MiB"
  measured "$1" "$dir/sqlcluster" fit rows --db "$dir/$design.duckdb" --id id -k "$k" --into "$2" --replace --quiet "${flags[@]}" \
    >"$dir/$2.out" || status=$?
  if [ "$status" != 0 ]; then
    echo "| $what | failed with exit code $status after $seconds s | | $((held >> 20)) | $((peak >> 20)) |"
    return "$status"
  fi
  "$dir/sqlcluster" show "$2" run --db "$dir/$design.duckdb" -o json >"$dir/$2.run"
  of() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$dir/$2.run"; }
  echo "| $what | $seconds | $(of seconds_read "$2") | $(of seconds_fit "$2") | $(of seconds_iterations "$2")" \
    "| $((held >> 20)) | $((peak >> 20)) |"
}

# same prints what a fit found: its objective, and all iterations.
same() {
  local table
  for table in trace centers; do "$dir/sqlcluster" show "$1" $table --db "$dir/$design.duckdb" -o csv; done
}

echo "$design, ${flags[*]}; $kind; load $(cut -d' ' -f1 /proc/loadavg)"
echo
echo '| memory | whole command, s | read, s | fit, s | of that iterations, s | held, MiB | with copies of files, MiB |'
echo '|---|---|---|---|---|---|---|'
fit 0 free
fit "$limit" limited
if diff <(same free) <(same limited) >/dev/null; then
  echo; echo 'the results are the same, bit for bit'
else
  echo; echo 'THE RESULTS DIFFER'; exit 1
fi
