#!/usr/bin/env bash
# Fits made-up mixtures of more and more rows, columns and clusters, and prints how
# time and memory grow: 1 start, 10 iterations, results written.
#
#   bench/growth.sh [ROWSxCOLUMNSxK…]
#
# Without designs: 10 times as many rows, then columns, then clusters, each from
# 100000x10x10 on. DIR (default $TMPDIR/sqlcluster-bench) gets the data, and LIMIT_MIB
# limits the memory (default 0: no limit). THREADS (default 2) is that of fit.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=$((${LIMIT_MIB:-0} << 20))
dir=${DIR:-${TMPDIR:-/tmp}/sqlcluster-bench}
[ $# -gt 0 ] && designs=("$@") || designs=(10000x10x10 100000x10x10 1000000x10x10 10000000x10x10
  100000x100x10 100000x1000x10 100000x10x100 100000x10x1000)
mkdir -p "$dir"
go build -o "$dir/sqlcluster" ./cmd/sqlcluster
. bench/control_group.sh

echo "$kind; limit ${LIMIT_MIB:-none} MiB; ${THREADS:-2} threads; load $(cut -d' ' -f1 /proc/loadavg)"
echo
echo '| rows × columns, k | whole command, s | read, s | seeding, s | iterations, s | distances and results, s | written and rest, s | held, MiB | with copies of files, MiB |'
echo '|---|---|---|---|---|---|---|---|---|'
for design in "${designs[@]}"; do
  data=$dir/$design.duckdb
  [ -e "$data" ] || go run ./bench/generate -dir "$dir" -table-only "$design" >/dev/null
  status=0
  measured "$limit" "$dir/sqlcluster" fit rows --db "$data" --id id -k "${design##*x}" --into grown --replace --quiet \
    --restarts 1 --max-iter 10 --threads "${THREADS:-2}" >"$dir/grown.out" 2>&1 || status=$?
  if [ "$status" != 0 ]; then
    echo "| $design | failed with exit code $status after $seconds s | | | | | | $((held >> 20)) | $((peak >> 20)) |"
    cat "$dir/grown.out"
    continue
  fi
  "$dir/sqlcluster" show grown run --db "$data" -o json >"$dir/grown.run"
  of() { sed -n "s/.*\"seconds_$1\": \([0-9.e-]*\).*/\1/p" "$dir/grown.run"; }
  echo "$seconds $(of read) $(of seeding) $(of iterations) $(of fit)" | awk -v design="$design" -v held="$((held >> 20))" -v peak="$((peak >> 20))" '{
    sub("x", " × ", design); sub("x", ", k ", design)
    printf "| %s | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %d | %d |\n", design, $1, $2, $3, $4, $5 - $3 - $4, $1 - $2 - $5, held, peak }'
done
