#!/usr/bin/env bash
# Figure 1 of the paper of SKFR: which number of features the gap statistic picks, of 15
# informative ones. Argument: the number of data sets of each width.
set -euo pipefail
cd "$(dirname "$0")/../.."
sqlcluster=${SQLCLUSTER:-sqlcluster}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for p in 50 20; do
  grid=5,10,13,14,15,16,17,19
  if [ "$p" = 50 ]; then grid+=,20,30,40; fi
  for seed in $(seq "${1:-5}"); do
    go run ./bench/reproductions rows $p 15 "$seed" >"$dir/rows.csv"
    printf '\np = %s, data set %s\n' $p "$seed"
    $sqlcluster tune "$dir/rows.csv" --id id --exclude class -a skfr -k 10 --method gap --grid $grid --draws 25 \
      --init-space raw --no-fit -q
  done
done
