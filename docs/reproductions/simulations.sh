#!/usr/bin/env bash
# The simulated experiments of the paper of SKFR. Arguments: flags of
# bench/reproductions, such as -trials 5 -most 100 for a quick look. Medians are slow, so
# they get five starts, and no more than 100 features.
set -euo pipefail
cd "$(dirname "$0")/../.."
for flags in time clean outliers '-restarts 1 outliers' local missing '-most 100 -restarts 5 medians'; do
  printf '\n%s\n\n' "$flags"
  # shellcheck disable=SC2086 # flags are words
  go run ./bench/reproductions "$@" $flags
done
