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
# The limit is a control group: in version 1 a group below that of this shell,
# which needs root; in version 2 a scope of systemd-run.
# A limit on addresses (ulimit -v) would not work: it counts mapped files, and
# counts memory twice that processes share.
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

own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ -n "$own" ]; then
  group=/sys/fs/cgroup/memory$own/sqlcluster-bench-$$
  [ -d "/sys/fs/cgroup/memory$own" ] || group=/sys/fs/cgroup/memory/sqlcluster-bench-$$
  kind='control group, version 1'
elif command -v systemd-run >/dev/null && systemd-run --help >/dev/null && [ -d /run/systemd/system ]; then
  group=
  kind='control group, version 2, by systemd-run'
else
  echo 'memory.sh: no control group can be made here: version 1 needs root, version 2 systemd' >&2
  exit 1
fi

# clean removes a group without processes.
clean() { if [ -n "$group" ] && [ -d "$group" ]; then rmdir "$group"; fi; }
trap clean EXIT

# sum adds up lines of memory.stat.
sum() { awk -v names=" $1 " 'index(names, " " $1 " ") { s += $2 } END { printf "%.0f\n", s }' "$2" 2>/dev/null || echo 0; }

# measured LIMIT COMMAND… runs the command in a group of its own and sets
# seconds, peak (the peak of all memory, with cached files) and held (the peak of
# anonymous and shared memory, which cannot be dropped, read ten times a second).
measured() {
  local bytes=$1 scope=sqlcluster-bench-$$ from status=0 pid stat files
  shift
  if [ -n "$group" ]; then
    mkdir "$group"
    [ "$bytes" = 0 ] || echo "$bytes" >"$group/memory.limit_in_bytes"
    from=$(date +%s.%N)
    (echo "$BASHPID" >"$group/cgroup.procs" && exec "$@") &
    stat=$group/memory.stat files='total_rss total_shmem'
  else
    local allow=(-p MemorySwapMax=0)
    [ "$bytes" = 0 ] || allow+=(-p "MemoryMax=$bytes")
    [ "$(id -u)" = 0 ] || allow+=(--user)
    from=$(date +%s.%N)
    systemd-run --quiet --scope --unit "$scope" "${allow[@]}" "$@" &
    stat='' files='anon shmem'
  fi
  pid=$! held=0 peak=0
  while kill -0 "$pid" 2>/dev/null; do
    [ -n "$stat" ] || stat=$(find /sys/fs/cgroup -path "*$scope.scope/memory.stat" 2>/dev/null | head -n 1)
    if [ -n "$stat" ]; then
      now=$(sum "$files" "$stat")
      [ "$now" -le "$held" ] || held=$now
      now=$(cat "${stat%stat}peak" 2>/dev/null || cat "${stat%stat}max_usage_in_bytes" 2>/dev/null || echo 0)
      [ "$now" -le "$peak" ] || peak=$now
    fi
    sleep 0.1
  done
  wait "$pid" || status=$?
  seconds=$(echo "$(date +%s.%N) $from" | awk '{ printf "%.1f", $1 - $2 }')
  clean
  return $status
}

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
