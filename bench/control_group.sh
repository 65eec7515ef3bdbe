# Runs commands in a control group of their own, and measures their memory. Sourced by
# memory.sh and growth.sh, which name themselves in $0.
#
# The limit is a control group: in version 1 a group below that of this shell,
# which needs root; in version 2 a scope of systemd-run.
# A limit on addresses (ulimit -v) would not work: it counts mapped files, and
# counts memory twice that processes share.

own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ -n "$own" ]; then
  group=/sys/fs/cgroup/memory$own/sqlcluster-bench-$$
  [ -d "/sys/fs/cgroup/memory$own" ] || group=/sys/fs/cgroup/memory/sqlcluster-bench-$$
  kind='control group, version 1'
elif command -v systemd-run >/dev/null && systemd-run --help >/dev/null && [ -d /run/systemd/system ]; then
  group=
  kind='control group, version 2, by systemd-run'
else
  echo "${0##*/}: no control group can be made here: version 1 needs root, version 2 systemd" >&2
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
