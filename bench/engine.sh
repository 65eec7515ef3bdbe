#!/usr/bin/env bash
# Measures fits whose rows stay in an engine, for one shape of the rows after the other: what each part
# costs (bench/engine), and the memory of sqlcluster in fit, predict and score.
#
#   bench/engine.sh duckdb|clickhouse|clickhouse2 ROWSxCOLUMNSxK…
#
# clickhouse2 is a Distributed table over two servers of this machine. The servers and tables are made in DIR
# (default $TMPDIR/sqlcluster-engine), 8 bytes a cell, and removed at the end unless KEEP=1; they are made up by arithmetic
# from ten clusters. Lines are added to DIR/measured.tsv, as bench/cost reads them, and to DIR/memory.tsv.
#
#   PARTS="parts fit predict score"   what is measured; parts is bench/engine
#   TURNS=3 STARTS=1 HAND=true ASSIGN=true    flags of bench/engine
#   MEMORY=8000000000                 bytes that a statement of a server may take
#   THREADS=2                         of a server, for a statement
#   LIMIT_MIB=0                       limit of the control group that DuckDB runs in; it takes four fifths of it
#   PORT=28123                        the first of the ports of the servers: three for each
#   BUILT=1                           DIR has the programs already
set -euo pipefail
cd "$(dirname "$0")/.."
engine=$1
shift
dir=${DIR:-${TMPDIR:-/tmp}/sqlcluster-engine}
memory=${MEMORY:-8000000000}
port=${PORT:-28123}
servers=1
[ "$engine" = clickhouse2 ] && servers=2
mkdir -p "$dir"
[ "${BUILT:-}" = 1 ] || go build -o "$dir/sqlcluster" ./cmd/sqlcluster
[ "${BUILT:-}" = 1 ] || go build -o "$dir/engine" ./bench/engine
[ -s "$dir/measured.tsv" ] || "$dir/engine" -heading >"$dir/measured.tsv"
[ -s "$dir/memory.tsv" ] || printf 'engine\tservers\trows\tfeatures\tk\tcommand\tseconds\tcpu\tMiB\n' >"$dir/memory.tsv"

pids=()
remove() {
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" || true
  wait || true
  [ "${KEEP:-}" = 1 ] || rm -rf "$dir"/data "$dir"/server? "$dir"/runs*
}
trap remove EXIT

# say SERVER STATEMENT asks a server.
say() { clickhouse-client --port $((port + 3 * $1 + 1)) --query "$2"; }

# serve starts the servers, which are a cluster.
serve() {
  local i shards=''
  for ((i = 0; i < servers; i++)); do
    shards+="<shard><replica><host>127.0.0.1</host><port>$((port + 3 * i + 1))</port></replica></shard>"
  done
  for ((i = 0; i < servers; i++)); do
    local of=$dir/server$i http=$((port + 3 * i))
    mkdir -p "$of"
    cat >"$of/users.xml" <<END
<yandex><profiles><default><max_memory_usage>$memory</max_memory_usage><max_threads>${THREADS:-2}</max_threads></default></profiles>
<users><default><networks><ip>127.0.0.1</ip></networks><quota>default</quota><password></password><profile>default</profile></default></users>
<quotas><default></default></quotas></yandex>
END
    cat >"$of/config.xml" <<END
<yandex><logger><level>warning</level><log>$of/log</log><errorlog>$of/errors</errorlog></logger>
<http_port>$http</http_port><tcp_port>$((http + 1))</tcp_port>
<interserver_http_port>$((http + 2))</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
<listen_host>127.0.0.1</listen_host><uncompressed_cache_size>0</uncompressed_cache_size><mark_cache_size>67108864</mark_cache_size>
<path>$of/data/</path><tmp_path>$of/tmp/</tmp_path><users_config>$of/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><timezone>UTC</timezone>
<remote_servers><shards>$shards</shards></remote_servers></yandex>
END
    (cd "$of" && exec clickhouse-server --config-file="$of/config.xml" >/dev/null 2>&1) &
    pids+=($!)
  done
  for ((i = 0; i < servers; i++)); do
    for ((n = 0; n < 600; n++)); do
      say "$i" 'SELECT 1' >/dev/null 2>&1 && continue 2
      sleep 0.1
    done
    echo "server $i does not start:" >&2
    cat "$dir/server$i/errors" >&2
    exit 1
  done
}

# cells writes the columns: of ten clusters, whose centers are in [0, 10); cells are up to 5 beside them.
# number is the name of a row's number, hash the function, and double the type.
cells() {
  local columns=$1 number=$2 hash=$3 double=$4 l
  for ((l = 0; l < columns; l++)); do
    printf ', CAST(%s(CAST(%s AS %s) %% 10 * 1000 + %d) AS %s) / 1844674407370955161.6 + CAST(%s(%s * %d + %d) AS %s) / 3689348814741910323.2 AS x%d' \
      "$hash" "$hash($number)" "$([ "$hash" = hash ] && echo UBIGINT || echo UInt64)" "$l" "$double" "$hash" "$number" "$((columns + 10))" "$l" "$double" "$l"
  done
}

# table ROWS COLUMNS makes a table, if it is not there, and sets relation.
table() {
  local rows=$1 columns=$2 i each
  relation=rows_${rows}x$columns
  if [ "$engine" = duckdb ]; then
    [ -e "$dir/data/$relation" ] && return
    mkdir -p "$dir/data"
    limited "$dir/sqlcluster" sql "$dir/data/$relation" -q -c \
      "CREATE TABLE $relation AS SELECT i AS id$(cells "$columns" i hash DOUBLE) FROM range($rows) t(i)"
    return
  fi
  [ "$(say 0 "EXISTS TABLE $relation")" = 1 ] && return
  each=$((rows / servers))
  for ((i = 0; i < servers; i++)); do
    local here=$relation
    [ "$servers" = 1 ] || here=${relation}_here
    say "$i" "CREATE TABLE $here (id UInt64$(for ((l = 0; l < columns; l++)); do printf ', x%d Float64' "$l"; done)) ENGINE = MergeTree ORDER BY id"
    say "$i" "SYSTEM STOP MERGES $here" # their time would count
    local writers=()
    for ((n = 0; n < 4; n++)); do
      say "$i" "INSERT INTO $here SELECT id$(cells "$columns" id intHash64 Float64)
        FROM (SELECT number + $((each * i + each / 4 * n)) AS id FROM numbers($((each / 4))))" &
      writers+=($!)
    done
    wait "${writers[@]}"
    [ "$servers" = 1 ] || say "$i" "CREATE TABLE $relation AS $here ENGINE = Distributed(shards, default, $here)"
  done
}

# limited runs a command of DuckDB in a control group, if there is a limit.
limited() {
  if [ "$engine" = duckdb ] && [ "${LIMIT_MIB:-0}" != 0 ]; then
    measured $((LIMIT_MIB << 20)) "$@"
  else
    "$@"
  fi
}
if [ "$engine" = duckdb ] && [ "${LIMIT_MIB:-0}" != 0 ]; then
  . bench/control_group.sh
  trap 'clean; remove' EXIT
fi

# ticks is the processor time of the servers, in hundredths of a second.
ticks() {
  local pid all=0
  for pid in "${pids[@]}"; do all=$((all + $(sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'))); done
  echo "$all"
}

# command NAME ARGUMENTS… runs a command of sqlcluster and adds a line to memory.tsv: the larger of the
# peaks of the process and of the plugin that it starts.
command_of() {
  local name=$1 before
  shift
  before=$(ticks)
  limited /usr/bin/time -o "$dir/time" -f '%e %U %S %M' "$dir/sqlcluster" "$@" >"$dir/$name.out"
  printf '%s\t%d\t%d\t%d\t%d\t%s\t%s\n' "${engine%2}" "$servers" "$rows" "$columns" "$k" "$name" \
    "$(awk -v servers="$(($(ticks) - before))" '{ printf "%.1f\t%.1f\t%.0f", $1, $2 + $3 + servers / 100, $4 / 1024 }' "$dir/time")" |
    tee -a "$dir/memory.tsv"
}

[ "$engine" = duckdb ] || serve
for shape in "$@"; do
  IFS=x read -r rows columns k <<<"$shape"
  table "$rows" "$columns"
  echo "$engine $shape, load $(cut -d' ' -f1-3 /proc/loadavg)"
  db=$dir/runs.duckdb address=clickhouse://127.0.0.1:$port/default
  [ "$engine" = duckdb ] && db=$dir/data/$relation address=duckdb
  for part in ${PARTS:-parts fit predict score}; do
    case $part in
    parts)
      of=(-engine "$address" -servers "$servers" -pids "$(IFS=,; echo "${pids[*]}")" -assign="${ASSIGN:-true}" -k "$k")
      [ "$engine" = duckdb ] && of+=(-db "$db")
      limited "$dir/engine" "${of[@]}" -turns "${TURNS:-3}" -starts "${STARTS:-1}" -hand="${HAND:-true}" "$relation" >"$dir/line"
      tee -a "$dir/measured.tsv" <"$dir/line"
      ;;
    fit) command_of fit fit "$relation" --engine "$address" --id id -k "$k" --restarts 1 --max-iter 3 --db "$db" --into grown --replace -q ;;
    predict) command_of predict predict grown "$relation" --engine "$address" --db "$db" --into labelled --replace -q ;;
    score) command_of score score grown "$relation" --engine "$address" --db "$db" -q ;;
    esac
  done
done
