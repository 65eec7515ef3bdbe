#!/usr/bin/env bash
# Table 1 of the paper of groupskm, and what selecting six of 13 columns costs.
set -euo pipefail
cd "$(dirname "$0")/../.."
sqlcluster=${SQLCLUSTER:-sqlcluster}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for run in six:0.0527 thirteen:0; do
  $sqlcluster fit examples/heart.csv --id id --exclude HD --categorical sex,cp,fbs,restecg,exang,slope,thal \
    -a groupskm -k 2 --lambda "${run#*:}" --init-space raw --db "$dir/heart.duckdb" --into "${run%:*}" -q
done
# The gain of groupskm is the variance between the clusters. The variance of all columns is
# 6 for the numbers, and one less than their categories for the others: 18.
$sqlcluster sql "$dir/heart.duckdb" -q -c "
  SELECT cluster, feature, category, round(center, 2) AS mean, round(100 * frequency, 1) AS percent FROM six_centers
    WHERE feature IN ('maxhr', 'oldpeak', 'slope', 'exang', 'age', 'numv') ORDER BY ALL;
  SELECT (SELECT sum(gain) / 18 FROM six_features) AS explained_by_six,
    (SELECT sum(gain) / 18 FROM thirteen_features) AS explained_by_thirteen"
