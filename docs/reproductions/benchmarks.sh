#!/usr/bin/env bash
# Table 4 of the paper of SKFR: normalised mutual information with the classes of
# measured data. Iris and wine are in this repository; arguments are more CSV files, with
# columns id and class, and numbers in all others.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
sqlcluster=${SQLCLUSTER:-sqlcluster}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# Iris has 50 rows of each class, one class after the other.
awk -v OFS=, 'NR == 1 { print "id", $0, "class" } NR > 1 { print NR - 1, $0, int((NR - 2) / 50) }' \
  "$root/framework/seeding/testdata/fisheriris.csv" >"$dir/iris.csv"

# fits METHOD SETTINGS prints statements that score 20 fits of one start each.
fits() {
  local seed
  for seed in $(seq 20); do
    printf '%s\n' "CREATE OR REPLACE TEMP TABLE m AS FROM cluster_fit('$file', 'id', exclude := ['class'], k := $k,
        restarts := 1, seed := $seed, $2);
      INSERT INTO result SELECT '$1', value FROM cluster_score(m, '$file', truth := 'class', sample := 100)
        WHERE score = 'nmi_max';"
  done
}

for file in "$dir/iris.csv" "$root/examples/wine.csv" "$@"; do
  read -r k p < <($sqlcluster sql -q -o csv -c "SELECT count(DISTINCT class) || ' ' || (SELECT count(*) - 2 FROM (DESCRIBE FROM '$file'))
    FROM '$file'" | tail -1 | tr -d '"')
  values=$(for i in 1 2 3 4 5 6; do echo $(((i * p + 5) / 6)); done | sort -nu)
  picked=$($sqlcluster sql -q -o csv -c "SELECT value::INTEGER FROM cluster_tune('$file', 'id', exclude := ['class'], k := $k,
    algorithm := 'skfr', method := 'gap', draws := 25, grid := '$(paste -sd, <<<"$values")') WHERE best" | tail -1)
  printf '\n%s: k = %s, %s features; the gap picks s = %s\n' "$(basename "$file")" "$k" "$p" "$picked"
  {
    echo "CREATE TEMP TABLE result (method VARCHAR, value DOUBLE);"
    fits 'k-means, raw data' "scale := 'raw'"
    fits 'k-means' "init_space := 'fitted'"
    for s in $values; do
      fits "SKFR1, s = $s" "algorithm := 'skfr', sparsity := $s, init_space := 'fitted'"
    done
    echo "SELECT method, round(avg(value), 3) AS nmi, round(stddev(value), 3) AS sd, round(stddev(value) / sqrt(count(*)), 3) AS se
      FROM result GROUP BY ALL ORDER BY min(rowid)"
  } >"$dir/fits.sql"
  $sqlcluster sql -q -f "$dir/fits.sql"
done
