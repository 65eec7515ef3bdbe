#!/usr/bin/env bash
# Table 3 of the paper of SKFR: control mice in 49 clusters, trisomic mice in 36.
# Argument: the number of fits of each method, which differ in their seed.
set -euo pipefail
cd "$(dirname "$0")/../.."
sqlcluster=${SQLCLUSTER:-sqlcluster}
sql="CREATE TEMP TABLE result (mice VARCHAR, method VARCHAR, score VARCHAR, value DOUBLE);"
for mice in c:49 t:36; do
  sql+="CREATE OR REPLACE TEMP TABLE mice AS FROM read_csv('examples/mice_protein.csv', delim = ',', quote = '')
    WHERE class LIKE '${mice%:*}-%';"
  for method in "kmeans" "skfr', sparsity := '24"; do
    for space in fitted raw; do
      for seed in $(seq "${1:-20}"); do
        sql+="CREATE OR REPLACE TEMP TABLE m AS FROM cluster_fit(mice, 'id', exclude := ['class'], k := ${mice#*:},
            algorithm := '$method', restarts := 20, seed := $seed, init_space := '$space');
          INSERT INTO result SELECT '${mice%:*}', '${method%%\'*}, $space', score, value
            FROM cluster_score(m, mice, truth := 'class', sample := 100) WHERE score LIKE 'mixed%';"
      done
    done
  done
done
sql+="SELECT mice, method, score, count(*) AS fits, round(avg(value), 1) AS mean,
    round(stddev(value) / sqrt(count(*)), 1) AS se, min(value) AS least, max(value) AS most
  FROM result GROUP BY ALL ORDER BY ALL"
$sqlcluster sql -q -f /dev/stdin <<<"$sql"
