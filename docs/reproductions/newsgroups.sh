#!/usr/bin/env bash
# 20 newsgroups: k-means and sparse k-means on tf-idf, compared with the newsgroups.
# Arguments: counts.parquet (doc, term, count), docs.parquet (doc, split, article, "group")
# and terms.parquet (term, word, doc_freq, total).
set -euo pipefail
sqlcluster=${SQLCLUSTER:-sqlcluster}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
db=$dir/newsgroups.duckdb

# A document without one of the terms keeps a row, with a NULL in the place of the word.
$sqlcluster sql "$db" -q -f /dev/stdin <<SQL
CREATE TABLE docs AS SELECT doc, "group" AS newsgroup FROM '$2';
CREATE TABLE ranked AS
WITH n AS (SELECT count(*) AS documents FROM docs),
  frequency AS (SELECT term, count(*) AS df, sum(count) AS s, sum(count ** 2) AS ss FROM '$1' GROUP BY term)
SELECT term, word, ln(documents / df) AS idf, ss / documents - (s / documents) ** 2 AS variance,
  row_number() OVER (ORDER BY variance DESC, word) AS rank
FROM frequency JOIN '$3' USING (term), n;
CREATE MACRO tfidf(most) AS TABLE
SELECT doc, newsgroup, word, v / sqrt(sum(v * v) OVER (PARTITION BY doc)) AS value
FROM (SELECT doc, newsgroup, word, count * idf AS v
  FROM docs LEFT JOIN (SELECT * FROM '$1' JOIN ranked USING (term) WHERE rank <= most) USING (doc));
CREATE TABLE tfidf_100 AS FROM tfidf(100);
CREATE TABLE tfidf_1000 AS FROM tfidf(1000);
CREATE TABLE tfidf_10000 AS FROM tfidf(10000);
SQL

$sqlcluster sql "$db" -q -c "CREATE TABLE result (name VARCHAR, terms INTEGER, method VARCHAR, seed INTEGER, kept BIGINT,
  largest BIGINT, cer DOUBLE, nmi DOUBLE, seconds DOUBLE)"

# fit NAME TERMS RESTARTS SEED METHOD [FLAG VALUE]... fits, and keeps the scores.
fit() {
  local name=$1 started=$EPOCHREALTIME
  $sqlcluster fit "tfidf_$2" --db "$db" --long doc,word,value -k 20 --restarts "$3" --seed "$4" -a "${@:5}" \
    --center-rows nonzero --into "$name" >/dev/null 2>"$dir/log" || { cat "$dir/log" >&2; exit 1; }
  local seconds=$(((${EPOCHREALTIME/./} - ${started/./}) / 1000))e-3
  $sqlcluster score "$name" --truth newsgroup --sample 100 --db "$db" -q -o csv >"$dir/scores.csv" 2>/dev/null
  $sqlcluster sql "$db" -q -c "INSERT INTO result
    SELECT '$name', $2, '${*:5}', $4, (SELECT coalesce(nullif(count(*) FILTER (selected), 0), count(*)) FROM ${name}_features),
      (SELECT max(size) FROM ${name}_clusters),
      any_value(value) FILTER (score = 'majority_error'), any_value(value) FILTER (score = 'nmi_arithmetic'), $seconds
    FROM '$dir/scores.csv'"
}

i=0
for size in 100:10 1000:31 10000:100; do
  terms=${size%:*} largest=${size#*:}
  for method in "kmeans --scale raw" "kmeans --scale sd" spherical \
    "skfr --scale raw --sparsity "{$((terms / 10)),$((terms / 4)),$((terms / 2))} "skfr --scale sd --sparsity $((terms / 4))" \
    "skm --scale raw --l1-bound "{3,4,"$largest"}; do
    # shellcheck disable=SC2086 # a method and its flags
    fit "r$((i++))" "$terms" 5 1 $method
  done
done
$sqlcluster sql "$db" -q -c "SELECT terms, method, kept, largest, round(cer, 4) AS cer, round(nmi, 4) AS nmi, round(seconds, 1) AS seconds
  FROM result ORDER BY rowid"

# What depends on the start: ten fits of one start each.
for seed in $(seq 10); do
  fit "k$seed" 10000 1 "$seed" kmeans --scale raw
  fit "s$seed" 10000 1 "$seed" spherical
done
$sqlcluster sql "$db" -q -c "SELECT method, round(min(cer), 3) AS least, round(avg(cer), 3) AS mean, round(max(cer), 3) AS most
  FROM result WHERE name[1] <> 'r' GROUP BY method"

# The words of the best fit of five starts.
best=$($sqlcluster sql "$db" -q -o csv -c "SELECT name FROM result WHERE name[1] = 'r' ORDER BY cer LIMIT 1" | tail -1)
$sqlcluster sql "$db" -q -c "
  WITH counts AS (SELECT cluster, newsgroup, count(*) AS n FROM ${best}_assignments JOIN docs USING (doc) GROUP BY ALL),
  ranked AS (SELECT *, row_number() OVER (PARTITION BY cluster ORDER BY center_scaled DESC, feature) AS place FROM ${best}_centers),
  words AS (SELECT cluster, string_agg(feature, ', ' ORDER BY place) AS words FROM ranked WHERE place <= 8 GROUP BY cluster)
  SELECT arg_max(newsgroup, n) AS newsgroup, round(max(n) / sum(n), 2) AS share, sum(n) AS posts, words
  FROM counts JOIN words USING (cluster) GROUP BY cluster, words ORDER BY newsgroup, posts DESC"
