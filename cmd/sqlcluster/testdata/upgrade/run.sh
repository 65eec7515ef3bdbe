#!/bin/bash
# run.sh PROGRAM FILE makes the database FILE with what PROGRAM can do of fits.txt. Blocks are
# small, since the tables are.
set -eu
rm -f "$2"
sqlcluster sql -q -c "ATTACH '$2' AS new (BLOCK_SIZE 16384); CREATE TABLE new.t AS SELECT 1; DROP TABLE new.t"
while IFS= read -r line; do
  case $line in
    sql*) eval "$1 sql $2 -q -c ${line#sql}" ;;
    *) eval "$1 $line --db $2 -q" ;;
  esac >/dev/null 2>error.txt </dev/null || echo "not in $2: $line: $(head -n 1 error.txt)"
done <fits.txt
rm -f error.txt
